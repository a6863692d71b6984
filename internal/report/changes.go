package report

import (
	"slices"
	"time"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/state"
)

// Run is one run of the span: who changed what.
type Run struct {
	Run      string    `json:"run"`
	Started  time.Time `json:"started"`
	By       string    `json:"by"`
	Approved []string  `json:"approved"` // who approved something of it at a forge
	Commit   string    `json:"commit"`
	Result   string    `json:"result"`  // in words: how many changes have which outcome
	Changes  []string  `json:"changes"` // that were applied, in words
	More     int       `json:"more"`    // that are not listed
}

// Wait is what waits for somebody.
type Wait struct {
	What string `json:"what"`
	Why  string `json:"why"` // "" where what says it
}

// Waiting is what waits, as the state of an account has it. Texts may have addresses in them.
type Waiting struct {
	At    *time.Time // when a daemon looked last; nil where none looks after the account
	Waits []Wait
}

// Bounds of what is listed.
const (
	mostRuns    = 50
	mostChanges = 12
)

// changed fills the runs of the span that changed something.
func (r *Report) changed(f *Facts) {
	for i := range f.Runs {
		h := &f.Runs[i]
		day := h.Started.In(f.Now.Location()).Format(time.DateOnly)
		if day < r.Since || day > r.Until || h.Command == runview.Resolve ||
			h.Summary[string(state.OutcomeApplied)] == 0 && h.Decided == "" {
			continue
		}
		if len(r.Runs) == mostRuns {
			r.RunsMore++
			continue
		}
		line := h.Line()
		run := Run{Run: h.Run, Started: h.Started.UTC(), By: h.By, Approved: []string{}, Changes: []string{},
			Result: line.Result}
		for _, a := range h.Approved {
			if !slices.Contains(run.Approved, a.By) {
				run.Approved = append(run.Approved, a.By)
			}
		}
		if h.Revision != nil {
			run.Commit = h.Revision.Commit
		}
		if d := f.Document(h.Run); d != nil {
			run.Changes, run.More = changesOf(f.Schemas, d)
		}
		r.Runs = append(r.Runs, run)
	}
}

// changesOf puts what a run applied in words.
func changesOf(schemas resource.Schemas, d *runview.Document) (said []string, more int) {
	said = []string{}
	named := make([]plan.ChangeDocument, len(d.Outcomes))
	for i := range d.Outcomes {
		named[i].Address, named[i].Name = d.Outcomes[i].Address, d.Outcomes[i].Name
	}
	names := words.NamesOf(schemas, named)
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		if o.Outcome != state.OutcomeApplied {
			continue
		}
		if len(said) == mostChanges {
			more++
			continue
		}
		text := words.Upper(words.Done(o.Action)) + ": " + names.Of(o.Address)
		address, _ := resource.ParseAddress(o.Address)
		for k := range o.Fields {
			if field := &o.Fields[k]; field.Applied && o.Action == plan.Update && schemas.Of(address.Kind) != nil {
				text += "; " + words.Label(schemas.Of(address.Kind), field.Name) + ": " +
					planview.Values(schemas, address.Kind, field.Name, field.Before, field.After, false)
			}
		}
		said = append(said, diag.Printable(text))
	}
	return said, more
}

// wait fills what waits, with names in the place of addresses.
func (r *Report) wait(f *Facts) {
	r.WaitsAt = f.Waiting.At
	var named []plan.ChangeDocument
	if f.Record != nil {
		for res := range f.Record.All() {
			named = append(named, plan.ChangeDocument{Address: res.Address.String(), Name: res.Value("name").Text()})
		}
	}
	names := words.NamesOf(f.Schemas, named)
	for _, w := range f.Waiting.Waits {
		r.Waits = append(r.Waits, Wait{said(names, w.What), said(names, w.Why)})
	}
}

func said(names *words.Names, text string) string { return diag.Printable(words.Upper(names.In(text))) }
