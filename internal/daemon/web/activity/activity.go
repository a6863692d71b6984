// Package activity is what happened in an account in one line of time, the newest first: runs, what people approved,
// accepted and ordered, and what others did at the service.
//
// It refuses to ask anybody: it has what the daemon keeps. Its invariant: figures of before and after are given where
// all their days are known, and never said to be because of a run.
package activity

import (
	"cmp"
	"context"
	_ "embed" // the page
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/outside"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// Template defines "activity", the page of a View.
//
//go:embed page.html
var Template string

// Event is something that happened.
type Event struct {
	Time     time.Time `json:"time"`
	Kind     string    `json:"kind"` // run, approval, acceptance, order, comment or outside
	What     string    `json:"what"`
	By       string    `json:"by,omitempty"`
	From     string    `json:"from,omitempty"` // how the order came, and from which address
	Why      string    `json:"why,omitempty"`
	Run      string    `json:"run,omitempty"`
	Commit   string    `json:"commit,omitempty"` // of the files it was planned from
	Link     string    `json:"link,omitempty"`   // to where somebody approved
	Compared *Compared `json:"compared,omitempty"`

	address string // of what was changed outside
	said    string // address of what somebody commented on
	undo    bool   // a run can be taken back
	part    string // address of what of it is told alone
	changed bool   // a run applied something
}

// Sources are what events are told from.
type Sources struct {
	Schemas   resource.Schemas
	Plan      *planview.Document // nil before there is one
	Runs      []runview.Head
	Approvals []daemon.Approval
	Accepted  []daemon.Acceptance
	Comments  []comments.Comment
	Outside   []outside.Entry // of the service's audit log
	Archive   daemon.Archive
	Of        string // the id or address of a resource, of which alone it is told; "" of the whole account
	Name      string // what it is called, once Events knows
}

// ordered are the texts of what people ordered.
var ordered = map[string]string{
	"suspend": "activity.suspend", "resume": "activity.resume", "reconcile": "activity.reconcile",
	"pause": "activity.pause", "go-on": "activity.go-on", "undo": "activity.undo-done", "send": "activity.send",
	"take-theirs": "activity.take-theirs",
}

// Events returns what happened, the newest first.
func (s *Sources) Events(ctx context.Context) ([]Event, error) {
	all, err := s.events(ctx)
	slices.SortStableFunc(all, func(a, b Event) int { return b.Time.Compare(a.Time) })
	return all, err
}

func (s *Sources) events(ctx context.Context) ([]Event, error) {
	if s.Of != "" {
		return s.ofOne(ctx)
	}
	var all []Event
	for i := range s.Runs {
		all = append(all, ofRun(&s.Runs[i]))
	}
	names := words.NamesOf(s.Schemas, nil)
	if s.Plan != nil {
		names = words.NamesOf(s.Schemas, s.Plan.Changes)
	}
	all = append(all, s.outside(names)...)
	for _, a := range s.Approvals {
		var allowed []string
		for _, text := range a.Allow {
			allowed = append(allowed, names.Allowance(text))
		}
		all = append(all, Event{Time: a.Time, Kind: "approval", By: a.By, From: a.From, Why: a.Note,
			What: catalogue.Say("activity.approved", "what", strings.Join(allowed, "; ")), Link: runview.Page(a.Link)})
	}
	all = append(all, s.commented(names)...)
	for _, a := range s.Accepted {
		all = append(all, Event{Time: a.Time, Kind: "acceptance", By: a.By, What: catalogue.Say("activity.accepted"),
			From: a.From, Why: a.Note, Commit: a.Commit})
	}
	orders, err := s.Archive.Ordered()
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		what := catalogue.Say("activity.order", "what", o.Order)
		if key, known := ordered[string(o.Order)]; known {
			what = catalogue.Say(key)
		}
		if o.Of != "" {
			what += ": " + o.Of
		}
		all = append(all, Event{Time: o.Time, Kind: "order", What: what, By: o.By, From: o.From, Why: o.Reason})
	}
	return all, nil
}

// ofOne are the runs that changed a resource, as far as their reports are kept, and what others did to it.
func (s *Sources) ofOne(ctx context.Context) (all []Event, _ error) {
	applied, err := s.Archive.Touched(ctx, time.Time{})
	if err != nil {
		return nil, err
	}
	changed := map[string]string{}
	for _, a := range applied {
		if s.Of == a.ID || s.Of == a.Address {
			changed[a.Run], s.Name = a.Address, cmp.Or(s.Name, a.Name)
		}
	}
	for i := range s.Runs {
		if address := changed[s.Runs[i].Run]; address != "" {
			e := ofRun(&s.Runs[i])
			e.part = address
			all = append(all, e)
		}
	}
	one := *s
	one.Comments = slices.DeleteFunc(slices.Clone(s.Comments), func(c comments.Comment) bool {
		return c.Address != s.Of || c.Address == ""
	})
	all = append(all, one.commented(words.NamesOf(s.Schemas, nil))...)
	names := words.NamesOf(s.Schemas, nil)
	one = Sources{Schemas: s.Schemas, Plan: &planview.Document{}}
	for i := range s.Outside {
		if e := &s.Outside[i]; s.Of == e.Of || s.Of == e.Address {
			one.Outside, s.Name = append(one.Outside, *e), cmp.Or(s.Name, e.Name)
		}
	}
	if s.Plan != nil {
		names = words.NamesOf(s.Schemas, s.Plan.Changes)
		for i := range s.Plan.Changes {
			if c := &s.Plan.Changes[i]; s.Of == c.ID || s.Of == c.Address {
				one.Plan.Changes, s.Name = append(one.Plan.Changes, *c), cmp.Or(c.Name, s.Name)
			}
		}
	}
	return append(all, one.outside(names)...), nil
}

// commented is what people said of changes and runs.
func (s *Sources) commented(names *words.Names) (all []Event) {
	for i := range s.Comments {
		c := &s.Comments[i]
		e, of := Event{Time: c.Time, Kind: "comment", By: c.By, Why: c.Text, Run: c.Run}, c.Run
		if c.Run == "" {
			of, e.said = cmp.Or(c.About, names.Of(c.Address)), c.Address
		}
		e.What = catalogue.Say("activity.commented", "what", of)
		all = append(all, e)
	}
	return all
}

func ofRun(h *runview.Head) Event {
	line := h.Line()
	e := Event{Time: h.Started, Kind: "run", Run: h.Run, By: h.By, Why: h.Error, changed: h.Touched > 0,
		undo: h.Undoable(),
		What: catalogue.Say("activity.run", "what", words.Upper(line.What), "how", line.Ends, "result", line.Result)}
	if h.Revision != nil {
		e.Commit = h.Revision.Commit
	}
	return e
}

// path leads to where an event is shown whole; "" where that is nowhere.
func (e *Event) path(account string) string {
	switch {
	case e.said != "":
		return account + "/comments?" + url.Values{"of": {e.said}}.Encode()
	case e.Run != "":
		return account + "/runs/" + url.PathEscape(e.Run)
	case e.address != "":
		return account + "#" + planview.Anchor(e.address)
	}
	return ""
}

// undoPath leads to where a run is taken back, or what is told of it; "" where it cannot be.
func (e *Event) undoPath(account string) string {
	if !e.undo {
		return ""
	}
	path := account + "/runs/" + url.PathEscape(e.Run) + "/undo"
	if e.part != "" {
		path += "?" + url.Values{"of": {e.part}}.Encode()
	}
	return path
}
