package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/overview"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// How many accounts a list has, and a page of cards; and from how many on the page offers to search them.
const (
	listUsual  = 100
	listMost   = 500
	cardsMost  = 48
	searchFrom = 13
)

// bySpend is how an address asks for the order of spend.
const bySpend = "spend"

// queryOf reads which accounts a program wants.
func queryOf(v url.Values) (q daemon.Query, p *problem) {
	q = daemon.Query{Words: shown.Name(v.Get("q")), After: v.Get("after"), Most: listUsual}
	for _, state := range v["state"] {
		if _, known := moods[daemon.Class(state)]; !known {
			return q, &problem{http.StatusBadRequest, "bad_request",
				"state is " + shown.Text(state, 40) + "; want one of those that docs/operate/api.yaml names"}
		}
		q.States = append(q.States, daemon.Class(state))
	}
	if text := v.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > listMost {
			return q, &problem{http.StatusBadRequest, "bad_request",
				"limit is " + shown.Text(text, 40) + "; want 1 to " + strconv.Itoa(listMost)}
		}
		q.Most = n
	}
	switch order := v.Get("sort"); order {
	case "", "name":
	case bySpend:
		q.BySpend = true
	default:
		return q, &problem{http.StatusBadRequest, "bad_request",
			"sort is " + shown.Text(order, 40) + "; want name or " + bySpend}
	}
	return q, nil
}

// accountsView is the page of all accounts.
type accountsView struct {
	Cards   []card
	Offers  bool // to search, as there are many
	Words   string
	Mood    string // whose accounts are shown; "" for all
	Moods   []moodCount
	Sort    string         // "" by name
	Sums    *overview.Sums // of all that are chosen, in this page or another; nil where there are not several
	Total   int
	Next    string // path of the next page; "" where there is none
	First   string // path of the first, where this is another
	Missing string
}

// moodCount is how many accounts look so.
type moodCount struct {
	Class, Words string
	N            int
	Chosen       bool
}

// moodWords have the texts of what the page calls accounts of a mood.
var moodWords = []moodCount{
	{Class: "ill", Words: "accounts.ill"}, {Class: "wait", Words: "accounts.wait-mood"},
	{Class: "well", Words: "accounts.well"},
}

func (h *pages) showAccounts(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	q := daemon.Query{Words: shown.Name(asked.Get("q")), After: asked.Get("after"), Most: cardsMost}
	v := accountsView{Words: q.Words}
	if asked.Get("sort") == bySpend {
		v.Sort, q.BySpend = bySpend, true
	}
	q.Now, q.Only = h.Now(), callerOf(r).grant.Seen()
	if is := asked.Get("mood"); slices.ContainsFunc(moodWords, func(m moodCount) bool { return m.Class == is }) {
		v.Mood, q.States = is, classesOf(is)
	}
	l := h.desk.List(r.Context(), q)
	for _, m := range moodWords {
		for _, class := range classesOf(m.Class) {
			m.N += l.Counts[class]
		}
		m.Words, m.Chosen = catalogue.Say(m.Words), m.Class == v.Mood
		v.Total += m.N
		v.Moods = append(v.Moods, m)
	}
	v.Sums = overview.SumsOf(l.Totals)
	v.Offers, v.Missing = v.Total >= searchFrom || v.Words+v.Mood+v.Sort != "", shown.Reason(l.Missing)
	if l.Next != "" {
		v.Next = v.path(l.Next)
	}
	if q.After != "" {
		v.First = v.path("")
	}
	for i := range l.Accounts {
		c := card{}
		if a := &l.Accounts[i]; a.Told == nil {
			plan, _ := h.desk.Plan(r.Context(), a.Name) // of this daemon's own memory
			c = h.cardOf(a, plan)
		} else {
			c = h.cardOf(a, nil)
		}
		v.Cards = append(v.Cards, c)
	}
	h.show(w, r, http.StatusOK, "accounts", view{Title: catalogue.Say("accounts.title"), Follows: true, Of: v})
}

// path is that of the page that begins behind a name.
func (v *accountsView) path(after string) string {
	said := url.Values{}
	for name, value := range map[string]string{"q": v.Words, "mood": v.Mood, "sort": v.Sort, "after": after} {
		if value != "" {
			said.Set(name, value)
		}
	}
	if len(said) == 0 {
		return "/"
	}
	return "/?" + said.Encode()
}

// classesOf are the classes of a mood.
func classesOf(is string) (classes []daemon.Class) {
	for class, m := range moods {
		if m.Class == is {
			classes = append(classes, class)
		}
	}
	slices.Sort(classes)
	return classes
}

// toldView is where the page has the status of another daemon's account from.
type toldView struct {
	Elsewhere bool
	Host, By  string
	At, Seen  shown.Moment
	Lives     bool
}

func toldOf(a *daemon.Status, zone *time.Location) toldView {
	t := a.Told
	if t == nil {
		return toldView{}
	}
	return toldView{Elsewhere: true, Host: shown.Text(t.Host, 200), By: shown.Text(t.By, 200),
		At: shown.MomentOf(t.At, zone), Seen: shown.MomentOf(t.Seen, zone), Lives: t.Lives}
}
