package campaigns

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/daemon/web/shown"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/words/catalogue"
)

// metrics are the columns of figures, by the service's words.
var metrics = []string{"spend", "impressions", "clicks", "ctr", "cpc", "cpm", "conversions", "cpa"}

// How many lines a page of figures has, and how many pages anybody can want.
const (
	linesMost = 100
	pagesMost = 1_000_000
)

// levelWord is what the page calls the lines of a level.
func levelWord(level string) string { return catalogue.Say("campaigns." + level) }

// Asked is what the address of a page of figures asks for.
type Asked struct {
	Level, Span, Words, Sort, In string
	Status, Review               string   // that lines must have; "" for any
	Changed                      string   // the only one there is where lines must have been changed lately
	Up                           bool     // the least first
	Columns                      []string // those that are wanted, in their order
	Page                         int
	span                         insights.Span
}

// Wrong is that an address asks for what there is not.
type Wrong string

func (w Wrong) Error() string { return string(w) }

// read reads an address; what it does not say is as most want it. now is in the account's zone.
func read(v url.Values, now time.Time) (q Asked, wrongly error) {
	q = Asked{
		Level: cmp.Or(v.Get("level"), figures.Levels[0]), Span: cmp.Or(v.Get("span"), "7d"),
		Words: shown.Name(v.Get("q")), Sort: cmp.Or(v.Get("sort"), "spend"), In: v.Get("in"),
		Status: shown.Name(v.Get("status")), Review: shown.Name(v.Get("review")), Changed: v.Get("changed"),
	}
	q.Columns = slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return !slices.Contains(v["col"], c) })
	if len(q.Columns) == 0 {
		q.Columns = columns
	}
	q.Up = cmp.Or(v.Get("order"), usualOrder(q.Sort)) == "asc"
	q.Page, _ = strconv.Atoi(v.Get("page"))
	q.Page = min(max(q.Page, 1), pagesMost)
	wrong := func(name, value, wanted string) (Asked, error) {
		return q, Wrong(catalogue.Say("wrong.choice", "name", name, "value", shown.Text(value, 40), "wanted", wanted))
	}
	var err error
	switch {
	case !slices.Contains(figures.Levels[:], q.Level):
		return wrong("level", q.Level, "campaign, ad_group, ad")
	case slices.ContainsFunc(v["col"], func(c string) bool { return !slices.Contains(columns, c) }):
		return q, Wrong(catalogue.Say("wrong.columns", "value", shown.Text(strings.Join(v["col"], ", "), 40),
			"wanted", strings.Join(columns, ", ")))
	case v.Has("order") && v.Get("order") != "asc" && v.Get("order") != "desc":
		return wrong("order", v.Get("order"), "asc, desc")
	case q.Changed != "" && q.Changed != lately:
		return wrong("changed", q.Changed, lately)
	case q.Sort != "name" && !slices.Contains(columns, q.Sort):
		return wrong("sort", q.Sort, "name, "+strings.Join(columns, ", "))
	case v.Get("from") != "" || v.Get("to") != "":
		q.span, err = insights.Between(v.Get("from"), v.Get("to"), now)
		q.Span = q.span.From + ".." + q.span.To
	default:
		q.span, err = insights.NamedSpan(q.Span, now)
	}
	if err != nil {
		return q, Wrong(shown.Reason(strings.TrimPrefix(err.Error(), "--"))) // as the command says it
	}
	if len(q.span.From) != len(time.DateOnly) {
		return q, Wrong(catalogue.Say("wrong.hours"))
	}
	from, _ := time.Parse(time.DateOnly, q.span.From) // both were read
	if to, _ := time.Parse(time.DateOnly, q.span.To); to.Sub(from) >= figures.KeptDays*24*time.Hour {
		return q, Wrong(catalogue.Say("wrong.span", "from", q.span.From, "to", q.span.To, "n", figures.KeptDays))
	}
	return q, nil
}

// usualOrder is how people want a column: words from A, figures from the greatest.
func usualOrder(sort string) string {
	if sort == "name" || isWord(sort) {
		return "asc"
	}
	return "desc"
}

// Chosen reports whether some columns are left out.
func (q *Asked) Chosen() bool { return len(q.Columns) < len(columns) }

// query is the address that asks for the same.
func (q *Asked) query() string {
	v := url.Values{"level": {q.Level}}
	set := func(name, value, usual string) {
		if value != usual {
			v.Set(name, value)
		}
	}
	set("span", q.Span, "7d")
	set("q", q.Words, "")
	set("sort", q.Sort, "spend")
	set("in", q.In, "")
	set("status", q.Status, "")
	set("review", q.Review, "")
	set("changed", q.Changed, "")
	if q.Chosen() {
		v["col"] = q.Columns
	}
	order := "desc"
	if q.Up {
		order = "asc"
	}
	set("order", order, usualOrder(q.Sort))
	if q.Page > 1 {
		v.Set("page", strconv.Itoa(q.Page))
	}
	return v.Encode()
}
