package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/insights"
)

// What stands in HTML, which has two pages: the workbook and JSON have all.
const (
	pageCampaigns = 10
	pageLines     = 4
	pageDays      = 8   // beyond which the chart alone has the days
	pageName      = 34  // letters of a name
	pageSaid      = 150 // letters of a sentence
)

//go:embed report.html
var pageText string

// styles stand in each element: readers of mail take no others.
var styles = map[string]string{
	"body": "margin:0 auto;padding:16px;max-width:760px;background:#ffffff;color:#1c2430;" +
		"font:13px/1.45 Arial,Helvetica,sans-serif",
	"h1":    "font-size:20px;margin:0 0 4px",
	"h2":    "font-size:15px;margin:18px 0 6px",
	"p":     "margin:4px 0",
	"dim":   "margin:4px 0;color:#56606f",
	"note":  "margin:6px 0;padding:6px 10px;background:#fff4d6;color:#4a3500",
	"wide":  "overflow-x:auto",
	"table": "border-collapse:collapse;width:100%",
	"th":    "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:600;white-space:nowrap",
	"thn":   "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:600",
	"span":  "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:600;min-width:90px",
	"name": "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1;font-weight:400;" +
		"overflow-wrap:anywhere;min-width:120px",
	"pic":  "float:left;width:40px;height:40px;margin:0 8px 0 0;border-radius:4px",
	"in":   "color:#56606f;font-size:85%",
	"td":   "text-align:left;padding:4px 6px;border-bottom:1px solid #d9dce1",
	"tdn":  "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;white-space:nowrap",
	"big":  "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;white-space:nowrap;font-weight:700",
	"good": "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;background:#e3f4e6;color:#14532d",
	"bad":  "text-align:right;padding:4px 6px;border-bottom:1px solid #d9dce1;background:#fde4e1;color:#7f1d1d",
	"bars": "border-collapse:collapse;width:100%;margin-top:14px",
	"bar":  "font-size:1px;line-height:12px",
	"ul":   "margin:4px 0;padding-left:18px",
	"li":   "margin:4px 0;overflow-wrap:anywhere",
}

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"style": func(name string) template.HTMLAttr { return template.HTMLAttr(`style="` + styles[name] + `"`) },
	}).Parse(pageText))
})

// pageView is the report as the page shows it.
type pageView struct {
	Title, About, Span, Before, Made string
	Page                             string
	Notes                            []string
	Read, Compared                   bool
	Totals                           []pageTotal
	Chart                            template.HTML
	Bars                             bool // of the days, in place of the chart
	DayHeads                         []string
	Days                             []pageDay
	Heads                            []string
	Campaigns                        []pageCampaign
	MoreCampaigns                    string
	Ads                              []pageAds
	Lists                            []list
}

type pageTotal struct{ Header, Value, Before, Change, Turn string }

type pageDay struct {
	Date   string
	Gap    bool
	Wide   int
	Cells  []string
	Bar    int // pixels
	Colour string
}

type pageCampaign struct {
	Name, Spend, Change, Budget, Share, Pace string
	Cells                                    []string
}

type pageAds struct {
	Title string
	Heads []string
	Lines []pageAd
}

type pageAd struct {
	Name, In string
	Cells    []string
	Picture  template.URL // "" where there is none
	Alt      string
}

// What stands beside spend, of days, campaigns and ads.
var (
	dayMetrics      = []string{"spend", "impressions", "clicks", "conversions"}
	campaignMetrics = []string{"clicks", "cpc", "conversions", "cpa"}
	adMetrics       = []string{"spend", "impressions", "clicks", "ctr", "cpc", "conversions", "cpa"}
)

// of are those of some metrics that the account has.
func (r *Report) of(metrics []string) []string {
	return slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return !slices.Contains(r.names(), m) })
}

// inPage has a picture stand in the page itself: for a browser and paper.
func inPage(jpeg []byte) template.URL {
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(jpeg))
}

// Embedded is a picture of a mail. The page names it as cid:NAME@adsync.
type Embedded struct {
	Name string
	JPEG []byte
}

// Mail writes the page as a mail has it. Programs for mail show no picture that stands in the page: it is a part of the
// mail by itself. They take out drawings, too: the chart is a table with bars.
func (r *Report) Mail(w io.Writer) (all []Embedded, err error) {
	v := viewOf(r, func(jpeg []byte) template.URL {
		sum := sha256.Sum256(jpeg)
		one := Embedded{hex.EncodeToString(sum[:16]) + ".jpg", jpeg}
		if !slices.ContainsFunc(all, func(e Embedded) bool { return e.Name == one.Name }) {
			all = append(all, one)
		}
		return template.URL("cid:" + one.Name + "@adsync")
	})
	v.drawBars(r)
	return all, page().Execute(w, v)
}

// writePage writes one page that loads nothing and runs nothing.
func writePage(w io.Writer, r *Report) error {
	v := viewOf(r, inPage)
	v.Chart = r.chart()
	return page().Execute(w, v)
}

// viewOf is a report as a page has it, without a chart. at returns the address of a picture.
func viewOf(r *Report, at func(jpeg []byte) template.URL) pageView {
	v := pageView{Title: r.Title(), About: r.about(), Span: r.span(), Before: r.Before.String(), Made: r.moment(r.Made),
		Page:  r.page,
		Notes: r.notes(), Read: len(r.Gaps) < len(r.Days), Compared: r.Compared,
		DayHeads: headers(r.of(dayMetrics)), Heads: headers(r.of(campaignMetrics)), Lists: r.short()}
	for i := range r.Totals {
		f := &r.Totals[i]
		v.Totals = append(v.Totals, pageTotal{f.Header, shown(f.Name, f.Value), shown(f.Name, f.Before),
			insights.Signed(f.Change), map[int]string{-1: "bad", 0: "tdn", 1: "good"}[f.turn()]})
	}
	if len(r.Days) <= pageDays {
		for _, d := range r.Days {
			v.Days = append(v.Days, dayOf(d, r.of(dayMetrics)))
		}
	}
	for i := range r.Campaigns[:min(len(r.Campaigns), pageCampaigns)] {
		c := &r.Campaigns[i]
		v.Campaigns = append(v.Campaigns, pageCampaign{cut(c.Name, pageName), money(c.Figures["spend"]),
			insights.Signed(c.SpendChange), c.Budget.words(), c.Budget.share(), c.Budget.pace(),
			cells(c.Figures, r.of(campaignMetrics))})
	}
	v.MoreCampaigns = r.moreCampaigns(pageCampaigns)
	for _, of := range r.ranks() {
		ads := pageAds{Title: of.title, Heads: headers(r.of(adMetrics))}
		for i := range of.ads {
			ad := &of.ads[i]
			line := pageAd{Name: cut(ad.Name, pageName), In: cut(ad.In, pageName),
				Cells: cells(ad.Figures, r.of(adMetrics))}
			if ad.picture != nil {
				line.Picture, line.Alt = at(ad.picture.JPEG), cut(ad.picture.Title, pageSaid)
			}
			ads.Lines = append(ads.Lines, line)
		}
		v.Ads = append(v.Ads, ads)
	}
	return v
}

func dayOf(d Day, metrics []string) pageDay {
	day := pageDay{Date: d.Date, Gap: d.Gap, Wide: len(metrics), Cells: cells(d.Figures, metrics)}
	if d.Preliminary {
		day.Date += " *"
	}
	return day
}

// ranked are ads under their heading.
type ranked struct {
	title string
	ads   []Ad
}

func (r *Report) ranks() []ranked {
	return []ranked{
		{"Ads with the most " + r.RankedBy, r.Top},
		{"Ads with the fewest " + r.RankedBy + " for their spend", r.Bottom},
	}
}

// pace colours what was spent beyond a budget.
func (b *Budget) pace() string {
	if b == nil {
		return "tdn"
	}
	share, known := insights.Millionths(b.Share)
	switch {
	case !known || b.Share == "":
	case share > 1_000_000:
		return "bad"
	}
	return "tdn"
}

// moreCampaigns says how many are not listed, and what they spent.
func (r *Report) moreCampaigns(listed int) string {
	if len(r.Campaigns) <= listed {
		return ""
	}
	spent, known := int64(0), true
	for i := range r.Campaigns[listed:] {
		n, is := insights.Millionths(r.Campaigns[listed+i].Figures["spend"])
		spent, known = spent+n, known && is
	}
	text := fmt.Sprintf("and %d more", len(r.Campaigns)-listed)
	if known {
		text += ", which spent " + money(decimal(spent))
	}
	return text + "; the workbook has all."
}

func headers(metrics []string) (all []string) {
	for _, m := range metrics {
		_, header := insights.Shown(m, "")
		all = append(all, header)
	}
	return all
}

func cells(f Figures, metrics []string) (all []string) {
	for _, m := range metrics {
		all = append(all, shown(m, f[m]))
	}
	return all
}

// cut is a text with so many letters at most.
func cut(text string, most int) string {
	text = diag.Printable(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// short are the parts that are sentences, as the page has room for them.
func (r *Report) short() []list {
	lists := r.lists(pageLines)
	for i := range lists {
		for k := range lists[i].Lines {
			l := &lists[i].Lines[k]
			l.What, l.Said = cut(l.What, pageSaid), slices.Clone(l.Said)
			for n := range l.Said {
				l.Said[n] = cut(l.Said[n], pageSaid)
			}
		}
	}
	return lists
}
