package ads

import (
	"cmp"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"

	"adsync/internal/cards"
	"adsync/internal/daemon"
	"adsync/internal/daemon/web/campaigns"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/insights"
	"adsync/internal/review"
	"adsync/internal/words/catalogue"
)

// View is the page of how an account's ads look.
type View struct {
	Asked
	campaigns.Days
	Name, Path     string // of the account
	Ads            []card
	All, Matching  int
	First, Last    int // of those that are shown, counted from 1
	Counts         string
	Orders         []campaigns.Offer
	Deliveries     []campaigns.Offer
	Campaigns      []campaigns.Offer // some of them
	More           bool              // there are others
	Reviews        []campaigns.Offer
	Statuses       []campaigns.Offer
	Previous, Next string // path of the page before and of the next; "" where there is none
}

// card is an ad as people see it, and what is known of it.
type card struct {
	Name, Above      string
	Drawn            template.HTML // "" where it is not known how it looks
	Standing, Class  string        // where it stands with the review
	Status           string        // "" where that is active
	Why, Do          string        // where it is not well
	Facts            []fact
	Cell, Change     string // Change is the path of what the plan changes of it; "" where it changes nothing
	Figures, History string // paths
}

// fact is a figure with what the page calls it.
type fact struct{ Words, Text string }

// metrics are those that a card has.
var metrics = []string{"spend", "impressions", "clicks", "ctr", "conversions"}

// campaignsMost is how many campaigns the page offers. A search finds the ads of others.
const campaignsMost = 200

// classes are those of where an ad stands.
var classes = map[string]string{standings[0]: "ill", standings[1]: "wait", standings[2]: "wait", standings[3]: "well"}

// View is the page of an account that is called so.
func (f *Found) View(name, path string) (*View, error) {
	q := f.asked
	v := &View{Asked: q, Days: f.days, Name: name, Path: path, All: f.all, Matching: len(f.ads),
		Counts: f.counts(), Orders: offered(orders, q.Order), Deliveries: offered(deliveries, q.Delivery)}
	from := min((q.Page-1)*adsMost, len(f.ads))
	to := min(from+adsMost, len(f.ads))
	v.First, v.Last = from+1, to
	for i := range f.ads[from:to] {
		one, err := f.cardOf(&f.ads[from+i], path)
		if err != nil {
			return nil, err
		}
		v.Ads = append(v.Ads, one)
	}
	v.offer(f)
	at := path + "/ads?"
	if q.Page = v.Page - 1; q.Page > 0 {
		v.Previous = at + q.query()
	}
	if q.Page = v.Page + 1; to < len(f.ads) {
		v.Next = at + q.query()
	}
	return v, nil
}

// counts says where all ads stand.
func (f *Found) counts() string {
	var all []string
	for _, standing := range standings {
		if n := f.reviews[standing]; n > 0 {
			all = append(all, catalogue.Say("ads.count", "n", n, "standing", review.State(standing).Words()))
		}
	}
	return strings.Join(all, ", ")
}

func offered(of []campaigns.Offer, chosen string) []campaigns.Offer {
	all := slices.Clone(of)
	for i := range all {
		all[i].Words, all[i].Chosen = catalogue.Say(all[i].Words), all[i].Path == chosen
	}
	return all
}

// offer puts in what ads may be chosen by.
func (v *View) offer(f *Found) {
	choice := func(words, value, chosen string) campaigns.Offer {
		return campaigns.Offer{Words: shown.Name(words), Path: value, Chosen: value == chosen}
	}
	for _, standing := range standings {
		if f.reviews[standing] > 0 || standing == v.Review {
			v.Reviews = append(v.Reviews, choice(review.State(standing).Words(), standing, v.Review))
		}
	}
	f.statuses[v.Status] = true
	for _, status := range slices.Sorted(maps.Keys(f.statuses)) {
		if status != "" {
			v.Statuses = append(v.Statuses, choice(status, status, v.Status))
		}
	}
	ids := slices.SortedFunc(maps.Keys(f.campaigns), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.campaigns[a], f.campaigns[b]), cmp.Compare(a, b))
	})
	if v.Campaign != "" && !slices.Contains(ids, v.Campaign) {
		ids = append([]string{v.Campaign}, ids...)
	}
	for _, id := range ids {
		switch {
		case id == "":
		case len(v.Campaigns) >= campaignsMost && id != v.Campaign:
			v.More = true
		default:
			v.Campaigns = append(v.Campaigns, choice(cmp.Or(f.campaigns[id], id), id, v.Campaign))
		}
	}
}

func (f *Found) cardOf(a *ad, path string) (card, error) {
	s := &a.Setting
	c := card{Name: shown.Name(cmp.Or(a.Name, a.ID)), Standing: review.State(s.Review).Words(),
		Class: classes[s.Review], Why: shown.Reason(s.Why), Do: shown.Reason(s.Do), Cell: shown.Reason(a.Cell),
		Figures: path + "/campaigns?" + url.Values{"level": {"ad"}, "span": {f.asked.Span}, "q": {a.ID}}.Encode(),
		History: path + "/activity?" + url.Values{"of": {a.ID}}.Encode()}
	if s.Status != "active" {
		c.Status = shown.Name(s.Status)
	}
	if a.Anchor != "" {
		c.Change = path + "#" + a.Anchor
	}
	var above []string
	for _, r := range a.Above {
		above = append(above, shown.Name(r.Name))
	}
	c.Above = strings.Join(above, " › ")
	for _, m := range metrics {
		text, words := insights.Shown(m, f.of(a, m))
		c.Facts = append(c.Facts, fact{words, cmp.Or(text, f.lacking(a, m))})
	}
	if s.Look == nil {
		return c, nil
	}
	drawn := cards.Card{Title: s.Look.Title, Body: s.Look.Body, Price: s.Look.Price, Target: s.Look.Target,
		Crop: s.Look.Crop, Brand: shown.Name(f.days.Brand), Icon: f.iconAt(path)}
	drawn.From, drawn.Left = f.picture(s.Look, path)
	var err error
	c.Drawn, err = drawn.HTML(catalogue.Say("ads.live"))
	return c, err
}

// of is a figure of an ad as programs get it; "" where it is not known, as no day was read.
func (f *Found) of(a *ad, metric string) string {
	if !f.days.Read {
		return ""
	}
	return a.Of(metric)
}

// lacking is why an ad has no such figure: a rate of what was not shown is none.
func (f *Found) lacking(a *ad, metric string) string {
	if shown := f.of(a, "impressions"); metric == "ctr" && shown != "" && count(&a.Row, "impressions") == 0 {
		return catalogue.Say("ads.lacks-shown")
	}
	return catalogue.Say("ads.lacks")
}

// IconPath is the path of an icon of an account, by what names its bytes.
func IconPath(account, sum string) string { return "/api/v1" + account + "/icons/" + sum }

// iconAt is the path of the brand's icon; "" where there is none.
func (f *Found) iconAt(path string) string {
	if f.icon == "" {
		return ""
	}
	return IconPath(path, f.icon)
}

// picture is the path of an ad's picture, or why there is none.
func (f *Found) picture(l *daemon.Look, path string) (from, left string) {
	sum, ofFile := strings.CutPrefix(l.Image, "sha256:")
	u, err := url.Parse(l.Image)
	switch {
	case ofFile && f.pictures[l.Image] != "":
		return "/api/v1" + path + "/pictures/" + url.PathEscape(sum), ""
	case l.Image == "":
		return "", catalogue.Say("picture.none")
	case !ofFile && err == nil && u.Host != "":
		return "", catalogue.Say("picture.elsewhere", "host", shown.Name(u.Hostname()))
	case ofFile:
		return "", catalogue.Say("picture.no-file")
	}
	return "", catalogue.Say("picture.unknown")
}
