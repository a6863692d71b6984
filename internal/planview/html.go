package planview

import (
	"crypto/sha256"
	_ "embed" // the look and the filter of the page
	"encoding/base64"
	"html/template"
	"io"

	"adsync/internal/cards"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
)

var (
	//go:embed html/plan.html
	htmlText string
	//go:embed html/plan.css
	htmlStyle string
	planStyle = htmlStyle + cards.Style()
	//go:embed html/plan.js
	htmlScript string

	//go:embed html/part.html
	htmlParts string
	//go:embed html/told.html
	htmlTold string

	htmlTemplate = catalogue.Pages(htmlText, htmlParts, htmlTold)
)

// WriteHTML writes a plan as one page that needs no network and loads nothing:
// its policy lets a browser run the page's own script and style alone. It reads
// on a phone, in the dark, by keyboard and on paper, and without its script.
func WriteHTML(w io.Writer, schemas resource.Schemas, d *Document) error {
	p := describe(schemas, d, detail{room: 400, list: 1000, like: 100})
	page, err := htmlPageOf(p, d)
	if err != nil {
		return err
	}
	return htmlTemplate().ExecuteTemplate(w, "plan", page)
}

// htmlPage is a page as the template reads it.
type htmlPage struct {
	Policy          template.HTMLAttr
	Style           template.CSS
	Script          template.JS
	Account         string
	Commit, Service string
	Hash            string
	Money           []htmlSum
	Movers          []htmlSum
	Others          int
	Bounds          []htmlSum
	Notes           []string // what somebody should know who trusts the sums
	Failed          string
	Plan            string
	Says            *says
	Held            string
	Slips           []htmlSlip
	ReviewTitle     string
	Review          string
	Reviewed        []htmlReviewed
	ReviewsLeft     string
	Releases        []htmlRelease
	Unallowed       []string
	Problems        []htmlProblem
	Trees           []htmlTree
	Groups          []htmlGroup // of the trees, for marketers
	Left            []string
	Kept            string
	Drafts          string
	PendingPresent  bool
}

type htmlSum struct {
	Label, Text string
	Moves       int
}

type htmlSlip struct {
	Hazard, Message, Examples, Release string
	Holds                              bool
}

type htmlRelease struct {
	Allow string
	Holds int
}

type htmlProblem struct {
	Severity, Grave, Position, Message, Hint, Code string
}

type htmlTree struct {
	Top, Aside string
	First      bool // the first of those that are pending
	Held       bool
	Count      string
	Changes    []htmlChange
	Left       []string
}

type htmlChange struct {
	Tag, Symbol, Action, Address, Name, ID, Position, Money, Note, Along, Recorded, Starts, Hazards string
	Depth                                                                                           int
	Held, Goes                                                                                      bool
	Fields                                                                                          []htmlField
	Holds                                                                                           []htmlHold
	Cards                                                                                           []template.HTML
	Sentence, Anchor                                                                                string
	Whole, Folded                                                                                   bool // its values
	Said                                                                                            Said
}

// remark puts at each change what people said of it.
func (h *htmlPage) remark(said func(address string) Said, p *page) {
	if said == nil {
		return
	}
	for i := range h.Trees {
		for k := range h.Trees[i].Changes {
			h.Trees[i].Changes[k].Said = said(p.trees[i].changes[k].raw)
		}
	}
}

type htmlField struct {
	Name, Value, Why string
	Holds            []htmlHold
}

type htmlHold struct{ Title, Message, Allow, Final string }

func htmlPageOf(p *page, d *Document) (_ *htmlPage, err error) {
	h := &htmlPage{
		Policy: htmlPolicy(), Style: template.CSS(planStyle), Script: template.JS(htmlScript),
		Account: diag.Printable(d.Account.ID), Hash: diag.Printable(d.PlanHash),
		Money: htmlSums(p.money), Movers: htmlSums(p.movers), Others: p.others, Bounds: htmlSums(p.bounds),
		Failed: p.failed, Plan: p.plan, Says: p.says, Held: p.held, Unallowed: p.unallowed, Left: p.left,
		Kept: p.kept, Drafts: p.drafts,
	}
	h.Notes = append(append(append(h.Notes, p.caveat...), p.since...), p.selected...)
	h.Service = p.service
	if d.Revision != nil {
		h.Commit = diag.Printable(short(d.Revision.Commit))
	}
	for _, s := range p.slips {
		h.Slips = append(h.Slips, htmlSlip{s.hazard, s.message, s.examples, s.release, s.held > 0})
	}
	h.reviews(p)
	for _, r := range p.releases {
		h.Releases = append(h.Releases, htmlRelease{"--allow " + r.allow, r.holds})
	}
	for _, problem := range p.problems {
		h.Problems = append(h.Problems, htmlProblem{
			string(problem.Severity), Severity(problem.Severity), problem.Position.String(),
			diag.Printable(problem.Message), diag.Printable(problem.Hint), string(problem.Code),
		})
	}
	for i := range p.trees {
		t, err := htmlTreeOf(p, &p.trees[i])
		if err != nil {
			return nil, err
		}
		t.First = p.trees[i].pending && !h.PendingPresent
		h.PendingPresent = h.PendingPresent || t.First
		h.Trees = append(h.Trees, t)
	}
	return h, nil
}

// htmlPolicy allows this page's own style and script by their digests and the pictures
// that are written into it, and nothing else.
func htmlPolicy() template.HTMLAttr {
	return template.HTMLAttr(`content="default-src 'none'; style-src '` +
		digest(planStyle) + `'; script-src '` + digest(htmlScript) +
		`'; img-src data:; base-uri 'none'; form-action 'none'"`)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func htmlSums(sums []sum) []htmlSum {
	var all []htmlSum
	for _, s := range sums {
		all = append(all, htmlSum{s.label, s.text, s.moves})
	}
	return all
}

func htmlTreeOf(p *page, t *tree) (htmlTree, error) {
	h := htmlTree{Top: t.top, Aside: t.aside(p.says), Left: t.left}
	h.Count = catalogue.Say("changes.n", "n", Thousands(len(t.changes)))
	for i := range t.changes {
		c := htmlChangeOf(&t.changes[i], p.says)
		if err := c.draw(t.changes[i].drawn); err != nil {
			return h, err
		}
		h.Held = h.Held || c.Held
		h.Changes = append(h.Changes, c)
	}
	return h, nil
}

// draw adds how an ad looks before and after.
func (h *htmlChange) draw(d Drawn) error {
	for _, each := range []struct {
		card *cards.Card
		says string
	}{{d.Before, catalogue.Say("change.now")}, {d.After, catalogue.Say("change.after")}} {
		if each.card == nil {
			continue
		}
		drawn, err := each.card.HTML(each.says)
		if err != nil {
			return err
		}
		h.Cards = append(h.Cards, drawn)
	}
	return nil
}

func htmlChangeOf(c *entry, says *says) htmlChange {
	h := htmlChange{
		Tag: c.tag, Symbol: c.symbol, Action: c.action, Address: c.address,
		Name: c.name, ID: c.id, Position: c.position, Money: c.money, Note: c.note, Along: c.along,
		Recorded: c.recorded, Starts: c.starts,
		Depth: c.depth, Held: c.held, Goes: c.goes, Holds: htmlHolds(c.holds),
	}
	if c.hazards != "" {
		h.Hazards = says.hazards(c.hazards)
	}
	h.Sentence, h.Whole, h.Anchor, h.Folded = c.Text, c.Whole, c.anchor, len(c.fields) > valuesShown
	for _, f := range c.fields {
		h.Fields = append(h.Fields, htmlField{f.name, f.value, f.why, htmlHolds(f.holds)})
		h.Folded = h.Folded && len(f.holds) == 0
	}
	return h
}

func htmlHolds(holds []hold) []htmlHold {
	var all []htmlHold
	for _, h := range holds {
		allow := h.allow
		if allow != "" {
			allow = "--allow " + allow
		}
		all = append(all, htmlHold{h.title, h.message, allow, h.final})
	}
	return all
}
