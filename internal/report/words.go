package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/insights"
	"adsync/internal/planview"
)

// Title is what the report is called.
func (r *Report) Title() string {
	return diag.Printable(cmp.Or(r.Name, r.Account.ID)) + ": " + r.span()
}

func (r *Report) span() string { return Days{r.Since, r.Until}.String() }

// String is the days as people read them.
func (d Days) String() string {
	if d.Since == d.Until {
		return d.Since
	}
	return d.Since + " to " + d.Until
}

// about says whose figures these are.
func (r *Report) about() string {
	text := fmt.Sprintf("Account %s · days of %s · money in %s", r.Account.ID, r.Account.TimeZone, r.Account.Currency)
	if r.Compared {
		text += " · change against " + r.Before.String()
	}
	return diag.Printable(text)
}

// lateAfter is how long after its hour a report says that it is late.
const lateAfter = 10 * time.Minute

// notes are what a reader has to know before the figures.
func (r *Report) notes() (notes []string) {
	if !r.due.IsZero() && r.Made.Sub(r.due) > lateAfter {
		notes = append(notes, fmt.Sprintf("Late: this report of %s was due at %s.", r.span(), r.moment(r.due)))
	}
	switch gaps := len(r.Gaps); {
	case gaps == 0:
	case gaps == len(r.Days):
		notes = append(notes, "No figures of these days were read.")
	case gaps == 1:
		notes = append(notes, "Not read, and in no figure here: "+r.Gaps[0]+".")
	default:
		notes = append(notes, fmt.Sprintf("Not read, and in no figure here: %d of %d days, the first %s, the last %s.",
			gaps, len(r.Days), r.Gaps[0], r.Gaps[gaps-1]))
	}
	if r.Preliminary {
		notes = append(notes, "Preliminary: the account's current day is among them, and its figures still change.")
	}
	if !r.Compared {
		why := "not every day of both was read"
		if r.Preliminary {
			why = "the current day is not over"
		}
		notes = append(notes, fmt.Sprintf("Not compared with %s, as %s.", r.Before, why))
	}
	return notes
}

// shown is a figure as people read it.
func shown(metric, text string) string {
	text, _ = insights.Shown(metric, text)
	return text
}

// money is an amount as people read it.
func money(text string) string { return shown("spend", text) }

// percent is a share as people read it.
func percent(share string) string {
	if share == "" {
		return ""
	}
	return strings.TrimPrefix(insights.Signed(share), "+")
}

// words are a budget as people read it.
func (b *Budget) words() string {
	switch {
	case b == nil:
		return ""
	case b.Kind == "daily":
		return money(b.Amount) + " a day"
	}
	return money(b.Amount) + " in all"
}

func (b *Budget) share() string {
	if b == nil {
		return ""
	}
	return percent(b.Share)
}

// turns say of which figures more is better, and of which less is.
var turns = map[string]int{"impressions": 1, "clicks": 1, "ctr": 1, "conversions": 1, sales: 1,
	"order_created_roas": 1, "cpc": -1, "cpm": -1, "cpa": -1}

// turn is 1 where a figure became better, -1 where it became worse, and 0 where nobody can say.
func (f *Figure) turn() int {
	n, known := insights.Millionths(f.Change)
	switch {
	case !known || insights.Signed(f.Change) == "0.0%":
		return 0
	case n < 0:
		return -turns[f.Name]
	}
	return turns[f.Name]
}

// list is a part of the report that is sentences.
type list struct {
	Title string
	None  string // what stands where there is no line
	Lines []line
	More  string
}

type line struct {
	What string
	Said []string
}

// lists are the parts that are sentences, each with so many lines at most; 0 is all.
func (r *Report) lists(most int) []list {
	lists := []list{r.rejectedList(), r.runsList(), r.waitsList()}
	for i := range lists {
		l := &lists[i]
		if left := len(l.Lines) - most; most > 0 && left > 0 {
			l.Lines = l.Lines[:most]
			l.More = strings.TrimSpace(fmt.Sprintf("and %d more. %s", left, l.More))
		}
	}
	return lists
}

func (r *Report) rejectedList() list {
	l := list{Title: "Ads that were rejected or limited", None: "None."}
	if r.ReviewsRead == nil {
		l.None = "The service's reviews were not read yet: apply reads them, and the daemon every few minutes."
	}
	if r.ReviewsRead != nil {
		l.Title += ", as of " + r.moment(*r.ReviewsRead)
	}
	if r.inReview > 0 {
		reviewed := planview.Plural(r.inReview, "ad") + " in review then."
		if l.None = "None. " + reviewed; len(r.Rejected) > 0 {
			l.More = reviewed
		}
	}
	for i := range r.Rejected {
		a := &r.Rejected[i]
		one := line{What: diag.Printable(a.Name + ": " + a.State)}
		for _, text := range []string{a.Why, a.Do} {
			if text != "" {
				one.Said = append(one.Said, diag.Printable(text))
			}
		}
		l.Lines = append(l.Lines, one)
	}
	return l
}

// mostShown is how many changes of a run stand in a form for people.
const mostShown = 3

func (r *Report) runsList() list {
	l := list{Title: "What was changed, and by whom", None: "Nothing was changed by adsync."}
	for i := range r.Runs {
		run := &r.Runs[i]
		what := r.moment(run.Started) + ", " + cmp.Or(run.By, "nobody is named")
		if len(run.Approved) > 0 {
			what += ", approved by " + strings.Join(run.Approved, ", ")
		}
		one := line{What: diag.Printable(what), Said: run.Changes[:min(len(run.Changes), mostShown)]}
		if left := len(run.Changes) - len(one.Said) + run.More; left > 0 {
			one.Said = append(one.Said[:len(one.Said):len(one.Said)], "and "+planview.Plural(left, "change")+" more")
		}
		if len(run.Changes) == 0 {
			one.Said = []string{run.Result}
		}
		l.Lines = append(l.Lines, one)
	}
	if r.RunsMore > 0 {
		l.More = planview.Plural(r.RunsMore, "older run") + " of these days are not listed."
	}
	return l
}

func (r *Report) waitsList() list {
	l := list{Title: "What waits for somebody", None: "Nothing waits."}
	if r.WaitsAt == nil {
		l.None = "Without a daemon nobody knows which changes are held: adsync plan says it."
		if len(r.Waits) > 0 {
			l.More = l.None
		}
	} else {
		l.Title += ", as of " + r.moment(*r.WaitsAt)
	}
	for _, w := range r.Waits {
		one := line{What: w.What}
		if w.Why != "" {
			one.Said = []string{w.Why}
		}
		l.Lines = append(l.Lines, one)
	}
	return l
}

// moment is a time in the account's zone.
func (r *Report) moment(at time.Time) string {
	zone, err := time.LoadLocation(r.Account.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return at.In(zone).Format("2006-01-02 15:04 MST")
}
