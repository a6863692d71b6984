package campaigns

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"adsync/internal/daemon/web/chart"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/figures"
	"adsync/internal/words/catalogue"
)

// View is the page of what an account's campaigns, ad groups or ads did.
type View struct {
	Asked
	Name, Path string // of the account
	Title      string
	Days
	Compared    string // the span before; "" where it was not read whole
	Levels      []Offer
	All         []Offer // columns that may be chosen
	Statuses    []Offer // any, and those that a resource of the level has; none where nothing is known of them
	Reviews     []Offer
	Paces       bool // a column says how budgets are spent
	Heads       []head
	Total       line
	Lines       []line
	N, Matching int
	First       int
	Inside      string // what the lines are in; "" of the whole account
	Previous    string // path of the page before and of the next; "" where there is none
	Next        string
	CSV         string
}

// Days are those that a page is about.
type Days struct {
	From, To    string
	Read        bool   // some day was
	Gaps        string // the days that were not read, in words; "" where all were
	Preliminary bool
	Currency    string
	Brand       string // what people see as who advertises; "" is not known
	Spans       []Offer
	Unset       bool // what resources are set to cannot be read now
}

// Days returns those that an address asks for.
func (f *Found) Days() Days {
	now, span := f.now, &f.asked.span
	d := Days{From: span.From, To: span.To, Read: now.Read(), Gaps: gapWords(now),
		Preliminary: now.Preliminary(), Currency: now.Currency, Brand: f.brand, Unset: f.unset}
	named := false
	for _, s := range spansShown {
		d.Spans = append(d.Spans, Offer{catalogue.Say("span." + s), s, s == f.asked.Span})
		named = named || s == f.asked.Span
	}
	if !named {
		d.Spans = append(d.Spans,
			Offer{catalogue.Say("campaigns.span", "from", d.From, "to", d.To), f.asked.Span, true})
	}
	return d
}

// Offer is one of several, with the address that takes it.
type Offer struct {
	Words, Path string
	Chosen      bool
}

type head struct {
	Words, Path string
	Sorted      string // ascending, descending; "" where another column sorts
	Word        bool
}

type line struct {
	Name, ID, Above, Below string // Below is the path of what is in it
	History                string // path of what happened to it
	Pause                  string // path of where it is paused; "" where it does not deliver, or cannot be
	Why                    string // what the review says where it is not well
	Cells                  []cell
	Spark, Sparks          string // a path of spend a day, and its words; "" where there is none
	Change                 string // of spend against the span before
}

type cell struct {
	Text string
	Word bool
	Path string // of what waits to be changed there
}

// View is the page of an account that is called so.
func (f *Found) View(name, path string) *View {
	q, now := f.asked, f.now
	v := &View{Asked: q, Name: name, Path: path, Title: levelWord(q.Level), Days: f.Days()}
	if f.before != nil {
		v.Compared = catalogue.Say("campaigns.span", "from", q.span.Before().From, "to", q.span.Before().To)
	}
	v.N, v.Matching, v.Inside = len(now.Lines), len(f.lines), insideOf(q, f.lines)
	sums := total(f.lines)
	if !f.now.Read() {
		sums = figures.Unknown()
	}
	v.Total = line{Change: changeOf(&sums, f.totalBefore())}
	v.First = min((q.Page-1)*linesMost, len(f.lines))
	for _, c := range f.columns() {
		text := ""
		if !slices.Contains(settings, c) {
			text = inWords(c, sums.Of(c)) // "" of what no sum has
		}
		v.Total.Cells = append(v.Total.Cells, cell{Text: text, Word: isWord(c)})
	}
	for _, l := range f.lines[v.First:min(v.First+linesMost, len(f.lines))] {
		one := v.lineOf(l, now)
		one.Change = f.change(l)
		for _, c := range f.columns() {
			text := inWords(c, f.of(l, c))
			if c == pacedColumn {
				text = f.paced[l.ID].words()
			}
			made := cell{Text: text, Word: isWord(c)}
			if anchor := f.files[l.ID].anchor; c == cellColumn && anchor != "" {
				made.Path = v.Path + "#" + anchor
			}
			one.Cells = append(one.Cells, made)
		}
		if slices.Contains(f.columns(), "review") {
			one.Why = shown.Reason(f.settings[l.ID].Why)
		}
		if q.Level == figures.Levels[0] && f.settings[l.ID].Status == "active" {
			one.Pause = path + "/pause?resource=" + url.QueryEscape(l.ID)
		}
		v.Lines = append(v.Lines, one)
	}
	v.Paces = slices.Contains(f.columns(), pacedColumn)
	v.Statuses = offered("status", f.values("status"), q.Status)
	v.Reviews = offered("review", f.values("review"), q.Review)
	v.link(f.columns())
	return v
}

// offered are values of which one may be chosen, or any.
func offered(column string, values []string, chosen string) (all []Offer) {
	if chosen != "" && !slices.Contains(values, chosen) {
		values = append(values, chosen)
	}
	for _, value := range values {
		all = append(all, Offer{shown.Text(inWords(column, value), 40), value, value == chosen})
	}
	return all
}

func insideOf(q Asked, lines []*figures.Line) string {
	if q.In == "" {
		return ""
	}
	if len(lines) == 0 || len(lines[0].Above) == 0 {
		return shown.Name(q.In)
	}
	return shown.Name(lines[0].Above[len(lines[0].Above)-1].Name)
}

func total(lines []*figures.Line) (sums figures.Sums) {
	for _, l := range lines {
		sums.Add(&l.Sums)
	}
	return sums
}

// totalBefore adds up the same resources in the span before; nil where that was not read whole. What is not in it did
// nothing then.
func (f *Found) totalBefore() *figures.Sums {
	if f.then == nil {
		return nil
	}
	var sums figures.Sums
	for _, l := range f.lines {
		if before := f.then[l.ID]; before != nil {
			sums.Add(before)
		}
	}
	return &sums
}

// changeOf is by how much spend grew, in whole percent; "" where that is not known.
func changeOf(now, before *figures.Sums) string {
	if before == nil {
		return ""
	}
	n, known := now.Micros()
	b, also := before.Micros()
	if !known || !also {
		return ""
	}
	return shown.Change(n, b)
}

func (v *View) lineOf(l *figures.Line, t *figures.Table) line {
	one := line{Name: shown.Name(cmp.Or(l.Name, l.ID)), ID: shown.Name(l.ID)}
	one.History = v.Path + "/activity?of=" + url.QueryEscape(l.ID)
	one.Spark, one.Sparks = chart.Spark(l.Spend, t.Days)
	var above []string
	for _, r := range l.Above {
		above = append(above, shown.Name(r.Name))
	}
	one.Above = strings.Join(above, " › ")
	if at := slices.Index(figures.Levels[:], v.Level); at+1 < len(figures.Levels) {
		below := v.Asked
		below.Level, below.In, below.Words, below.Page = figures.Levels[at+1], l.ID, "", 1
		below.Status, below.Review, below.Changed = "", "", ""
		one.Below = v.Path + "/campaigns?" + below.query()
	}
	return one
}

// gapWords says which days of a table were not read.
func gapWords(t *figures.Table) string {
	gaps := t.Gaps()
	switch len(gaps) {
	case 0:
		return ""
	case 1:
		return gaps[0]
	case len(t.Days):
		return catalogue.Say("gaps.all")
	}
	return catalogue.Say("gaps.some",
		"n", len(gaps), "all", len(t.Days), "first", gaps[0], "last", gaps[len(gaps)-1])
}

// spansShown are the spans that the page offers.
var spansShown = []string{"today", "yesterday", "7d", "30d", "90d", "this-week", "last-week", "this-month",
	"last-month"}

// link puts in the addresses of what else may be looked at.
func (v *View) link(heads []string) {
	at := v.Path + "/campaigns?"
	for _, level := range figures.Levels {
		q := Asked{Level: level, Span: v.Span, Sort: v.Sort, Up: v.Up, Columns: v.Columns, span: v.span}
		v.Levels = append(v.Levels, Offer{levelWord(level), at + q.query(), level == v.Level && v.In == ""})
	}
	for _, c := range columns {
		v.All = append(v.All, Offer{headOf(c), c, slices.Contains(v.Columns, c)})
	}
	for _, m := range append([]string{"name"}, heads...) {
		q := v.Asked
		q.Sort, q.Up, q.Page = m, usualOrder(m) == "asc", 1
		head := head{Words: cmp.Or(headOf(m), catalogue.Say("names.name")), Word: isWord(m)}
		if v.Sort == m {
			q.Up = !v.Up
			head.Sorted = "descending"
			if v.Up {
				head.Sorted = "ascending"
			}
		}
		head.Path = at + q.query()
		v.Heads = append(v.Heads, head)
	}
	q := v.Asked
	if q.Page = v.Page - 1; q.Page > 0 {
		v.Previous = at + q.query()
	}
	if q.Page = v.Page + 1; v.First+linesMost < v.Matching {
		v.Next = at + q.query()
	}
	q.Page = 1
	v.CSV = v.Path + "/campaigns.csv?" + q.query()
}
