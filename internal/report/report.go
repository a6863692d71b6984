package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/internal/words"
)

// formatVersion stands in the JSON form.
const formatVersion = 1

// Report is what an account did in a span. Figures and money are decimal text, "" where they are not known.
type Report struct {
	FormatVersion int              `json:"format_version"`
	Name          string           `json:"name"` // what people call the account
	Account       planview.Account `json:"account"`
	Since         string           `json:"since"` // first and last day, both inside, in the account's zone
	Until         string           `json:"until"`
	Before        Days             `json:"before"` // what the change is against
	Made          time.Time        `json:"made"`
	Source        string           `json:"source"`      // kept, by the daemon, or service
	Preliminary   bool             `json:"preliminary"` // a day had not ended when it was read
	Gaps          []string         `json:"gaps"`        // the days that were not read
	Compared      bool             `json:"compared"`    // every day of both spans was read, after its end
	Totals        []Figure         `json:"totals"`
	Days          []Day            `json:"days"`
	Campaigns     []Campaign       `json:"campaigns"` // the greatest spend first
	RankedBy      string           `json:"ranked_by"` // the figure by which ads are best and worst
	Top           []Ad             `json:"top"`
	Bottom        []Ad             `json:"bottom"`   // what spent the most for the least
	Rejected      []Rejected       `json:"rejected"` // ads that the service rejected or limited
	ReviewsRead   *time.Time       `json:"reviews_read"`
	Runs          []Run            `json:"runs"`      // of the span, the newest first
	RunsMore      int              `json:"runs_more"` // that are not listed
	Waits         []Wait           `json:"waits"`     // for somebody
	WaitsAt       *time.Time       `json:"waits_at"`  // when the daemon looked last; null without one

	inReview int // ads of which the service had not decided
	page     string
	due      time.Time
}

// Days are days in a row, both ends inside.
type Days struct {
	Since string `json:"since"`
	Until string `json:"until"`
}

// Figures are figures by the service's words, as decimal text; "" is not known.
type Figures map[string]string

// Figure is one figure of the whole account, beside that of the span before.
type Figure struct {
	Name   string `json:"name"`
	Header string `json:"header"`
	Value  string `json:"value"`
	Before string `json:"before"`
	Change string `json:"change"` // by what share it grew
}

// Day is what the account did on one day.
type Day struct {
	Date        string  `json:"date"`
	Gap         bool    `json:"gap"`
	Preliminary bool    `json:"preliminary"`
	Figures     Figures `json:"figures"`
}

// Campaign is what one campaign did, and what of its budget it spent.
type Campaign struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Figures     Figures `json:"figures"`
	SpendBefore string  `json:"spend_before"`
	SpendChange string  `json:"spend_change"`
	Budget      *Budget `json:"budget"` // null where adsync has no record of one
}

// Budget is a campaign's budget as it is now, against its spend.
type Budget struct {
	Kind   string `json:"kind"`   // daily or lifetime
	Amount string `json:"amount"` // of a day, or of its whole life
	Within string `json:"within"` // what it lets the days that were read spend; of a lifetime budget all of it
	Spent  string `json:"spent"`  // on those days; of a lifetime budget since the campaign began
	Share  string `json:"share"`  // spent of within
}

// Ad is what one ad did.
type Ad struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	In      string  `json:"in"` // campaign and ad group
	Figures Figures `json:"figures"`

	picture *Picture // nil where there is none
}

// Rejected is an ad that is not shown as it should be.
type Rejected struct {
	Name  string    `json:"name"`
	State string    `json:"state"`
	Why   string    `json:"why"`
	Do    string    `json:"do"`
	Since time.Time `json:"since"`
}

// metrics are the figures of a report. Those behind a sum that neither span has are left out.
var metrics = []string{"spend", "impressions", "clicks", "ctr", "cpc", "cpm", "conversions", "cpa",
	"order_created_attributed_sales", "order_created_roas"}

const sales = "order_created_attributed_sales"

// Facts are what a report is made of. Without reviews, runs or a plan it says so.
type Facts struct {
	Name     string
	Account  planview.Account
	Now      time.Time // in the account's zone
	Span     insights.Span
	Kept     figures.Kept
	Source   string
	Record   *resource.Snapshot // what was applied last
	Schemas  resource.Schemas
	Reviews  *review.Record
	Runs     []runview.Head                     // the newest first, of any time
	Document func(run string) *runview.Document // nil where there is none
	Waiting  Waiting
	Page     string    // address of the account's page; "" where there is none
	Due      time.Time // when it was to be sent; zero where nobody said

	Picture func(ad string) *Picture // of an ad by its id; nil where the form shows none
}

// Make adds the facts up.
func Make(f Facts) (*Report, error) {
	r := &Report{
		FormatVersion: formatVersion, Name: f.Name, Account: f.Account, Since: f.Span.From, Until: f.Span.To,
		Made: f.Now.UTC().Truncate(time.Second), Source: f.Source,
		Gaps: []string{}, Days: []Day{}, Campaigns: []Campaign{}, Top: []Ad{}, Bottom: []Ad{}, Rejected: []Rejected{},
		Runs: []Run{}, Waits: []Wait{}, page: f.Page, due: f.Due,
	}
	before := f.Span.Before()
	r.Before = Days{before.From, before.To}
	now, err := f.Kept.Table(figures.Levels[0], f.Span)
	if err != nil {
		return nil, err
	}
	then, err := f.Kept.Table(figures.Levels[0], before)
	if err != nil {
		return nil, err
	}
	ads, err := f.Kept.Table(figures.Levels[len(figures.Levels)-1], f.Span)
	if err != nil {
		return nil, err
	}
	r.Gaps, r.Preliminary = append(r.Gaps, now.Gaps()...), now.Preliminary()
	if r.Compared = len(r.Gaps)+len(then.Gaps()) == 0 && !r.Preliminary; !r.Compared {
		then = &figures.Table{}
	}
	r.total(now, then)
	if err := r.campaigns(&f, now, then); err != nil {
		return nil, err
	}
	r.rank(ads)
	if f.Picture != nil {
		draw(f.Picture, r.Top, r.Bottom)
	}
	r.reviewed(f.Reviews)
	r.changed(&f)
	r.wait(&f)
	return r, nil
}

// total fills the figures of the account, as a whole and by day.
func (r *Report) total(now, then *figures.Table) {
	read := len(r.Gaps) < len(now.Days)
	for _, m := range shownOf(now, then) {
		_, header := insights.Shown(m, "")
		figure := Figure{Name: m, Header: header}
		if read {
			figure.Value = now.Total.Of(m)
		}
		if r.Compared {
			figure.Before = then.Total.Of(m)
			figure.Change = insights.Change(figure.Value, figure.Before)
		}
		r.Totals = append(r.Totals, figure)
	}
	for i := range now.Days {
		d := &now.Days[i]
		day := Day{Date: d.Date, Gap: d.Gap, Preliminary: d.Preliminary, Figures: Figures{}}
		if !d.Gap {
			day.Figures = r.figures(&d.Sums)
		}
		r.Days = append(r.Days, day)
	}
}

// shownOf are the metrics that the account has.
func shownOf(now, then *figures.Table) (all []string) {
	sum := map[string]string{"conversions": "conversions", "cpa": "conversions", sales: sales,
		"order_created_roas": sales}
	for _, m := range metrics {
		if of := sum[m]; of == "" || something(now.Total.Of(of)) || something(then.Total.Of(of)) {
			all = append(all, m)
		}
	}
	return all
}

func something(text string) bool {
	n, known := insights.Millionths(text)
	return known && n > 0
}

// figures are the sums as the totals name them.
func (r *Report) figures(s *figures.Sums) Figures {
	f := Figures{}
	for i := range r.Totals {
		f[r.Totals[i].Name] = s.Of(r.Totals[i].Name)
	}
	return f
}

// campaigns fills what each campaign did.
func (r *Report) campaigns(f *Facts, now, then *figures.Table) error {
	budgets, err := budgetsOf(f, now)
	if err != nil {
		return err
	}
	before := map[string]*figures.Line{}
	for i := range then.Lines {
		before[then.Lines[i].ID] = &then.Lines[i]
	}
	for i := range now.Lines {
		l := &now.Lines[i]
		c := Campaign{ID: l.ID, Name: cmp.Or(l.Name, l.ID), Figures: r.figures(&l.Sums), Budget: budgets(l)}
		if was := before[l.ID]; was != nil {
			c.SpendBefore = was.Of("spend")
			c.SpendChange = insights.Change(c.Figures["spend"], c.SpendBefore)
		}
		r.Campaigns = append(r.Campaigns, c)
	}
	slices.SortStableFunc(r.Campaigns, func(a, b Campaign) int { return most(a.Figures["spend"], b.Figures["spend"]) })
	return nil
}

// most orders the greatest first; what is not known is last.
func most(a, b string) int {
	x, known := insights.Millionths(a)
	y, also := insights.Millionths(b)
	switch {
	case !known && !also:
		return 0
	case !known:
		return 1
	case !also:
		return -1
	}
	return cmp.Compare(y, x)
}

func (r *Report) reviewed(known *review.Record) {
	if known == nil {
		return
	}
	if read := known.Read.UTC(); !read.IsZero() {
		r.ReviewsRead = &read
	}
	for _, l := range known.Lines() {
		if l.State == review.InReview {
			r.inReview++
		}
		if l.State != review.Rejected && l.State != review.Limited {
			continue
		}
		r.Rejected = append(r.Rejected, Rejected{
			Name: l.Called(), State: string(l.State), Why: words.Upper(l.WhyInWords()), Do: words.Upper(l.Do),
			Since: l.Since.UTC(),
		})
	}
}

// Forms are the forms of a report.
var Forms = []string{"markdown", "html", "xlsx", "json"}

// Write writes the report in a form.
func (r *Report) Write(w io.Writer, form string) error {
	write := map[string]func(io.Writer) error{
		"markdown": r.markdown, "html": func(w io.Writer) error { return writePage(w, r) },
		"xlsx": r.xlsx, "json": r.json,
	}[form]
	if write == nil {
		return fmt.Errorf("no form is called %q", form)
	}
	return write(w)
}

func (r *Report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
