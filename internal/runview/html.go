package runview

import (
	_ "embed" // the page
	"html/template"
	"io"
	"strings"

	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/state"
)

var (
	//go:embed html/run.html
	htmlText string

	//go:embed html/part.html
	htmlParts string

	htmlTemplate = catalogue.Pages(htmlText, htmlParts)
)

// pageList is how many outcomes of one sort a page lists.
const pageList = 1000

// WriteHTML writes a run as one page that needs no network, runs no script and
// loads nothing.
func WriteHTML(w io.Writer, schemas resource.Schemas, d *Document) error {
	return htmlTemplate().ExecuteTemplate(w, "run", htmlPageOf(schemas, d))
}

// HTMLPart writes a run as a part of a page that has a first heading and the look
// of planview.Style, in a marketer's words. Nothing in it runs or loads. Where undo is the path at which the run is
// taken back, what it applied leads there, each for itself.
func HTMLPart(schemas resource.Schemas, d *Document, undo string) (template.HTML, error) {
	var b strings.Builder
	p := htmlPageOf(schemas, d)
	p.plainly(schemas, d, undo)
	err := htmlTemplate().ExecuteTemplate(&b, "part", p)
	return template.HTML(b.String()), err
}

func htmlPageOf(schemas resource.Schemas, d *Document) *htmlPage {
	p := &htmlPage{
		Policy: planview.StylePolicy(), Style: planview.Style(), Title: d.title(), About: d.about(),
		Counts: d.counts(), Error: printable(d.Error), Next: printable(d.Next), Hash: printable(d.PlanHash),
		Verified: catalogue.Say("run.verified",
			"n", planview.Thousands(d.Verified), "all", planview.Thousands(d.Touched)),
	}
	for i, s := range d.sums() {
		moves := d.Money.Reached.DailyAfter - d.Money.Reached.DailyBefore
		if i > 0 {
			moves = d.Money.Reached.LifetimeAfter - d.Money.Reached.LifetimeBefore
		}
		p.Sums = append(p.Sums, htmlSum{s.label, s.text, moves})
	}
	for _, said := range append(d.caveats(), d.how(), d.recovery()) {
		if said != "" {
			p.Notes = append(p.Notes, said)
		}
	}
	for _, a := range d.Approved {
		p.Approved = append(p.Approved, Approver{printable(a.By), Page(a.Link)})
	}
	for _, problem := range d.Problems {
		p.Problems = append(p.Problems, htmlProblem{string(problem.Severity),
			planview.Severity(problem.Severity), problem.Position.String(),
			printable(problem.Message), printable(problem.Hint), string(problem.Code)})
	}
	for _, outcome := range outcomes {
		if some := d.of(outcome); len(some) > 0 {
			p.Groups = append(p.Groups, groupOf(schemas, outcome, some))
		}
	}
	return p
}

// htmlPage is a run as the template reads it.
type htmlPage struct {
	Policy                                            template.HTMLAttr
	Style                                             template.CSS
	Title, About, Counts, Error, Next, Hash, Verified string
	Sums                                              []htmlSum
	Notes                                             []string
	Approved                                          []Approver
	Problems                                          []htmlProblem
	Groups                                            []htmlGroup
}

type htmlSum struct {
	Label, Text string
	Moves       int64
}

type htmlProblem struct{ Severity, Grave, Position, Message, Hint, Code string }

type htmlGroup struct {
	Title, Left string
	Whole       string // how to see what is left out
	Outcomes    []htmlOutcome
}

type htmlOutcome struct {
	Symbol, Action, Address, Name, At, ID, Message, Do string
	Trouble                                            bool
	Fields                                             []string
	Undo                                               string // where it is taken back; "" where it cannot be
}

func groupOf(schemas resource.Schemas, outcome state.Outcome, some []*Outcome) htmlGroup {
	g := htmlGroup{
		Title: titles[outcome] + " (" + planview.Thousands(len(some)) + ")",
		Whole: "; adsync show --full lists everything",
	}
	for i, o := range some {
		if i == pageList {
			g.Left = planview.Thousands(len(some) - i)
			break
		}
		at := o.Cell
		if at.IsZero() {
			at = o.Position
		}
		one := htmlOutcome{
			Symbol: planview.Symbol(o.Action), Action: printable(string(o.Action)),
			Address: printable(o.Address), Name: printable(o.Name), At: at.String(), ID: printable(o.ID),
			Message: o.coded(), Do: o.Do, Trouble: outcome != state.OutcomeApplied, Fields: o.lines(schemas),
		}
		if one.Trouble {
			one.Symbol = "!"
		}
		g.Outcomes = append(g.Outcomes, one)
	}
	return g
}
