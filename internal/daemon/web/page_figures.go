package web

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/resource"
)

// shownMetrics are the columns of figures, by the service's words.
var shownMetrics = []string{"spend", "impressions", "clicks", "ctr", "cpc", "cpm", "conversions", "cpa"}

// How many lines a page of figures has, and how many pages anybody can want.
const (
	figuresMost = 100
	pagesMost   = 1_000_000
)

// levelWords are what the page calls the lines of a level.
var levelWords = map[string]string{"campaign": "Campaigns", "ad_group": "Ad groups", "ad": "Ads"}

// figuresAsked is what the address of a page of figures asks for.
type figuresAsked struct {
	Level, Span, Words, Sort, In string
	Up                           bool // the least first
	Page                         int
	span                         insights.Span
}

// askedFigures reads an address; what it does not say is as most want it. now is in the account's zone.
func askedFigures(v url.Values, now time.Time) (q figuresAsked, p *problem) {
	q = figuresAsked{
		Level: cmp.Or(v.Get("level"), figures.Levels[0]), Span: cmp.Or(v.Get("span"), "7d"),
		Words: printable(v.Get("q"), nameMost), Sort: cmp.Or(v.Get("sort"), "spend"), In: v.Get("in"),
	}
	q.Up = cmp.Or(v.Get("order"), usualOrder(q.Sort)) == "asc"
	q.Page, _ = strconv.Atoi(v.Get("page"))
	q.Page = min(max(q.Page, 1), pagesMost)
	wrong := func(format string, args ...any) (figuresAsked, *problem) {
		return q, &problem{http.StatusBadRequest, "bad_request", fmt.Sprintf(format, args...)}
	}
	var err error
	switch {
	case levelWords[q.Level] == "":
		return wrong("level is %s; want campaign, ad_group or ad", printable(q.Level, 40))
	case v.Has("order") && v.Get("order") != "asc" && v.Get("order") != "desc":
		return wrong("order is %s; want asc or desc", printable(v.Get("order"), 40))
	case q.Sort != "name" && !slices.Contains(shownMetrics, q.Sort):
		return wrong("sort is %s; want name or one of %s", printable(q.Sort, 40), strings.Join(shownMetrics, ", "))
	case v.Get("from") != "" || v.Get("to") != "":
		q.span, err = insights.Between(v.Get("from"), v.Get("to"), now)
		q.Span = q.span.From + ".." + q.span.To
	default:
		q.span, err = insights.NamedSpan(q.Span, now)
	}
	if err != nil {
		return wrong("%s", printable(strings.TrimPrefix(err.Error(), "--"), reasonMost)) // as the command says it
	}
	if len(q.span.From) != len(time.DateOnly) {
		return wrong("figures are kept by day; want days such as 2026-11-01")
	}
	from, _ := time.Parse(time.DateOnly, q.span.From) // both were read
	if to, _ := time.Parse(time.DateOnly, q.span.To); to.Sub(from) >= figures.KeptDays*24*time.Hour {
		return wrong("the span is %s to %s; want at most %d days, which is how long figures are kept",
			q.span.From, q.span.To, figures.KeptDays)
	}
	return q, nil
}

// usualOrder is how people want a column: names from A, figures from the greatest.
func usualOrder(sort string) string {
	if sort == "name" {
		return "asc"
	}
	return "desc"
}

// figuresView is the page of what an account's campaigns, ad groups or ads did.
type figuresView struct {
	figuresAsked
	Name, Path    string // of the account
	Title         string
	From, To      string
	Read          bool   // some day was
	Gaps          string // the days that were not read, in words; "" where all were
	Preliminary   bool
	Compared      string // the span before; "" where it was not read whole
	Levels, Spans []offered
	Heads         []figuresHead
	Total         figuresLine
	Lines         []figuresLine
	N, Matching   int
	First         int
	Inside        string // what the lines are in; "" of the whole account
	Previous      string // path of the page before and of the next; "" where there is none
	Next          string
	CSV           string
	Currency      string
}

// offered is one of several, with the address that takes it.
type offered struct {
	Words, Path string
	Chosen      bool
}

type figuresHead struct {
	Words, Path string
	Sorted      string // ascending, descending; "" where another column sorts
}

type figuresLine struct {
	Name, ID, Above, Below string // Below is the path of what is in it
	Cells                  []string
	Spark, Sparks          string // a path of spend a day, and its words; "" where there is none
	Change                 string // of spend against the span before
}

// figures reads what an address asks for, with the span before; nil where a day of either was not read.
func (re *replies) figures(r *http.Request, a *daemon.Status) (q figuresAsked, now, before *figures.Table, p *problem) {
	archive, err := re.desk.Archive(r.Context(), a.Name)
	if err != nil {
		failed := re.problemOf(err)
		return q, nil, nil, &failed
	}
	kept := archive.Figures()
	index, err := kept.Index()
	if err == nil {
		today, _ := index.Now(re.Now())
		if q, p = askedFigures(r.URL.Query(), today); p != nil {
			return q, nil, nil, p
		}
		now, err = kept.Table(q.Level, q.span)
	}
	if err == nil {
		before, err = kept.Table(q.Level, q.span.Before())
	}
	if err != nil {
		failed := re.problemOf(err)
		return q, nil, nil, &failed
	}
	if len(before.Gaps()) > 0 || len(now.Gaps()) > 0 {
		before = nil // a change against a part would be none
	}
	return q, now, before, nil
}

func (h *pages) showFigures(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	q, now, before, p := h.figures(r, &a)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	v := &figuresView{figuresAsked: q, Name: printable(a.Name, nameMost), Path: accountPath(a.Name),
		Title: levelWords[q.Level], From: q.span.From, To: q.span.To, Currency: now.Currency,
		Read: len(now.Gaps()) < len(now.Days), Gaps: gapWords(now), Preliminary: now.Preliminary()}
	if before != nil {
		v.Compared = q.span.Before().From + " to " + q.span.Before().To
	}
	lines := q.chosen(now)
	v.N, v.Matching, v.Inside = len(now.Lines), len(lines), insideOf(q, lines)
	sums := total(lines)
	v.Total = figuresLine{Cells: cellsOf(&sums), Change: changeOf(&sums, totalIn(before, lines))}
	then := spendBefore(before)
	v.First = min((q.Page-1)*figuresMost, len(lines))
	for _, line := range lines[v.First:min(v.First+figuresMost, len(lines))] {
		v.Lines = append(v.Lines, v.lineOf(line, now, then))
	}
	v.link()
	h.show(w, r, http.StatusOK, "figures", view{Title: v.Title + " of " + v.Name, Account: a.Name, Of: v})
}

// chosen are the lines that are asked for, in their order.
func (q *figuresAsked) chosen(t *figures.Table) []*figures.Line {
	var lines []*figures.Line
	words := strings.ToLower(q.Words)
	for i := range t.Lines {
		l := &t.Lines[i]
		if q.In != "" && l.Parent != q.In || words != "" && !strings.Contains(strings.ToLower(l.Name+" "+l.ID), words) {
			continue
		}
		lines = append(lines, l)
	}
	switch {
	case q.Sort != "name":
		slices.SortStableFunc(lines, func(a, b *figures.Line) int {
			return compareFigures(a.Of(q.Sort), b.Of(q.Sort), q.Up)
		})
	case !q.Up:
		slices.Reverse(lines) // they are from A
	}
	return lines
}

// compareFigures orders the greatest first; what is not known is last either way.
func compareFigures(a, b string, up bool) int {
	x, known := insights.Millionths(a)
	y, also := insights.Millionths(b)
	switch {
	case !known && !also:
		return 0
	case !known:
		return 1
	case !also:
		return -1
	case up:
		return cmp.Compare(x, y)
	}
	return cmp.Compare(y, x)
}

func insideOf(q figuresAsked, lines []*figures.Line) string {
	if q.In == "" {
		return ""
	}
	if len(lines) == 0 || len(lines[0].Above) == 0 {
		return printable(q.In, nameMost)
	}
	return printable(lines[0].Above[len(lines[0].Above)-1].Name, nameMost)
}

func total(lines []*figures.Line) (sums figures.Sums) {
	for _, l := range lines {
		sums.Add(&l.Sums)
	}
	return sums
}

// totalIn adds up the same resources of another table; nil where there is none. What is not in it did nothing then.
func totalIn(t *figures.Table, lines []*figures.Line) *figures.Sums {
	if t == nil {
		return nil
	}
	wanted := map[string]bool{}
	for _, l := range lines {
		wanted[l.ID] = true
	}
	var sums figures.Sums
	for i := range t.Lines {
		if wanted[t.Lines[i].ID] {
			sums.Add(&t.Lines[i].Sums)
		}
	}
	return &sums
}

func spendBefore(t *figures.Table) map[string]*figures.Sums {
	if t == nil {
		return nil
	}
	all := map[string]*figures.Sums{}
	for i := range t.Lines {
		all[t.Lines[i].ID] = &t.Lines[i].Sums
	}
	return all
}

func cellsOf(s *figures.Sums) (cells []string) {
	for _, m := range shownMetrics {
		text, _ := insights.Shown(m, s.Of(m))
		cells = append(cells, text)
	}
	return cells
}

// changeOf is by how much spend grew, in whole percent; "" where that is not known.
func changeOf(now, before *figures.Sums) string {
	if before == nil {
		return ""
	}
	n, known := now.Micros()
	b, also := before.Micros()
	if !known || !also || b <= 0 {
		return ""
	}
	percent := (n - b) / max(b/100, 1)
	switch {
	case percent > 999:
		return "over +999%"
	case percent == 0:
		return "0%"
	}
	return fmt.Sprintf("%+d%%", percent)
}

func (v *figuresView) lineOf(l *figures.Line, t *figures.Table, then map[string]*figures.Sums) figuresLine {
	line := figuresLine{Name: printable(cmp.Or(l.Name, l.ID), nameMost), ID: printable(l.ID, nameMost),
		Cells: cellsOf(&l.Sums)}
	line.Spark, line.Sparks = spark(l.Spend, t.Days)
	var above []string
	for _, r := range l.Above {
		above = append(above, printable(r.Name, nameMost))
	}
	line.Above = strings.Join(above, " › ")
	if then != nil {
		line.Change = changeOf(&l.Sums, then[l.ID])
		if then[l.ID] == nil {
			line.Change = "new"
		}
	}
	if at := slices.Index(figures.Levels[:], v.Level); at+1 < len(figures.Levels) {
		below := v.figuresAsked
		below.Level, below.In, below.Words, below.Page = figures.Levels[at+1], l.ID, "", 1
		line.Below = v.Path + "/campaigns?" + below.query()
	}
	return line
}

// Bounds of a small line of spend, in its own units.
const (
	sparkWide = 100
	sparkHigh = 20
)

// spark draws spend a day, and says its bounds; days that were not read are left out of the line.
func spark(spend []int64, days []figures.DayTotal) (drawn, words string) {
	least, most := int64(math.MaxInt64), int64(0)
	for i, n := range spend {
		if !days[i].Gap {
			least, most = min(least, n), max(most, n)
		}
	}
	if len(spend) < 2 || most == 0 {
		return "", ""
	}
	var path strings.Builder
	pen := "M"
	for i, n := range spend {
		if days[i].Gap {
			pen = "M"
			continue
		}
		fmt.Fprintf(&path, "%s%d %d", pen, i*sparkWide/(len(spend)-1), sparkHigh-scaled(max(n, 0), sparkHigh, most))
		pen = "L"
	}
	from, _ := insights.Shown("spend", resource.FormatMoney(least))
	to, _ := insights.Shown("spend", resource.FormatMoney(most))
	return path.String(), fmt.Sprintf("%s to %s a day", from, to)
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
		return "all days"
	}
	return fmt.Sprintf("%d of %d days, the first %s, the last %s", len(gaps), len(t.Days), gaps[0], gaps[len(gaps)-1])
}

// query is the address that asks for the same.
func (q *figuresAsked) query() string {
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

// spansShown are the spans that the page offers, with what it calls them.
var spansShown = []offered{{Words: "Today", Path: "today"}, {Words: "Yesterday", Path: "yesterday"},
	{Words: "7 days", Path: "7d"}, {Words: "30 days", Path: "30d"}, {Words: "90 days", Path: "90d"},
	{Words: "This week", Path: "this-week"}, {Words: "Last week", Path: "last-week"},
	{Words: "This month", Path: "this-month"}, {Words: "Last month", Path: "last-month"}}

// link puts in the addresses of what else may be looked at.
func (v *figuresView) link() {
	at := v.Path + "/campaigns?"
	for _, level := range figures.Levels {
		q := figuresAsked{Level: level, Span: v.Span, Sort: v.Sort, Up: v.Up, span: v.span}
		v.Levels = append(v.Levels, offered{levelWords[level], at + q.query(), level == v.Level && v.In == ""})
	}
	named := false
	for _, s := range spansShown {
		v.Spans = append(v.Spans, offered{s.Words, s.Path, s.Path == v.Span})
		named = named || s.Path == v.Span
	}
	if !named {
		v.Spans = append(v.Spans, offered{v.From + " to " + v.To, v.Span, true})
	}
	heads := append([]string{"name"}, shownMetrics...)
	for _, m := range heads {
		q := v.figuresAsked
		q.Sort, q.Up, q.Page = m, usualOrder(m) == "asc", 1
		_, words := insights.Shown(m, "")
		head := figuresHead{Words: cmp.Or(words, "Name")}
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
	q := v.figuresAsked
	if q.Page = v.Page - 1; q.Page > 0 {
		v.Previous = at + q.query()
	}
	if q.Page = v.Page + 1; v.First+figuresMost < v.Matching {
		v.Next = at + q.query()
	}
	q.Page = 1
	v.CSV = v.Path + "/campaigns.csv?" + q.query()
}

// sendFigures gives all lines that are asked for as CSV: figures as the service has them.
func (h *pages) sendFigures(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	q, now, _, p := h.figures(r, &a)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition",
		fmt.Sprintf(`attachment; filename="%s-%s-%s.csv"`, q.Level, q.span.From, q.span.To))
	out := csv.NewWriter(w)
	_ = out.Write(append([]string{"from", "to", "in", "name", "id"}, shownMetrics...)) // who asked may be gone
	for _, l := range q.chosen(now) {
		var above []string
		for _, up := range l.Above {
			above = append(above, up.Name)
		}
		row := []string{q.span.From, q.span.To, csvfile.Plain(strings.Join(above, " › ")), csvfile.Plain(l.Name),
			csvfile.Plain(l.ID)}
		for _, m := range shownMetrics {
			row = append(row, l.Of(m))
		}
		_ = out.Write(row)
	}
	out.Flush()
}
