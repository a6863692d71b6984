package daemon

import (
	"context"
	"time"

	"adsync/internal/comments"
	"adsync/internal/figures"
	"adsync/internal/icons"
	"adsync/internal/orders"
	"adsync/internal/outside"
	"adsync/internal/planview"
	"adsync/internal/runview"
)

// Account is what a loop is about. Worker, Orders and Archive are needed.
type Account struct {
	Name    string
	Source  string // for people: folder, or address and branch without credentials
	Version string // of its configuration: a loop is begun anew where it is another
	Every   time.Duration
	Full    time.Duration
	// when files and account were last seen to be equal, by who worked on it before; zero where nobody knows
	Good     time.Time
	Applied  Revision // the version of the files that was; zero where nobody knows
	Asks     bool     // its files are seen only by asking for them: a branch, which no watcher tells of
	PlanOnly bool     // nothing is ever applied: nobody is asked for a yes

	Worker  Worker
	Orders  Orders
	Archive Archive
	// Watch are who tells what may have changed, and whatever else goes on beside the
	// loop, each until the context ends; nil: only time tells.
	Watch []func(ctx context.Context, wake func(Trigger))
	// Figures reads what the account does on each day until the context ends, and shows what it spent of late; nil:
	// nobody does.
	Figures func(ctx context.Context, show func(*figures.Lately))
	// Shown is told of every new status, with the last plan; nil tells nobody.
	Shown func(Status, *planview.Document)
	// Close is called once the loop has ended; nil: there is nothing to close.
	Close func()
	// Accept keeps a yes to a commit of rewritten history, for the next run to take;
	// Acceptances are those that were taken. nil: files are in no history.
	Accept      func(Acceptance) error
	Acceptances func() ([]Acceptance, error)
	// Asked notes who asked for a run that begins here; nil: nobody does.
	Asked func(orders.Ask) error
	// Ring leaves the wish for a run with whoever works on the account; nil where that is always this process.
	Ring func(why Trigger, a orders.Ask) error
	// Look reads a file that was dropped for a look; nil: nobody can.
	Look func(context.Context, Dropped) (*Upload, error)
	// Files are those that the account is read from, by their slash paths, and File is one of them; nil: nobody can
	// have them.
	Files func(context.Context) ([]string, error)
	File  func(ctx context.Context, file, who string) ([]byte, error)
	// Picture is one that a file has, by where the last plan found it; nil: nobody can have it.
	Picture func(ctx context.Context, where string) ([]byte, error)
	// Commit puts a file on the branch for uploads; nil: there is none.
	Commit func(context.Context, Handed) (Committed, error)
	// Draft finds what an edit of the files comes to, and Edit writes it; nil: nobody can.
	Draft func(context.Context, Edit) (*Draft, error)
	Edit  func(context.Context, EditOrder) (Edited, error)
}

// Orders are what people told an account. They are files in its state folder, so
// that they work with and without a daemon.
type Orders interface {
	Suspension(now time.Time) *Suspension // nil where nobody stopped it; a file STOP is one
	Suspend(Suspension) error
	Resume(orders.Ordered) error
	Pauses() ([]StandingPause, error) // that stand, the oldest first
	Pause(orders.Pause) error
	GoOn(pause string, g orders.GoOn) error // orders.ErrNoPause where that does not stand
	Approvals() ([]Approval, error)
	Approve(Approval) error
	// Take takes the wishes for a run that begins now.
	Take() Wishes
}

// Wishes are what others left for a run.
type Wishes struct {
	Full   bool      // to read the whole account
	Accept []string  // the commits to go on with though history was rewritten
	Why    []Trigger // why each was left: the run answers them, whatever woke it
}

// Archive is what is kept of an account's runs and figures.
type Archive interface {
	Runs(ctx context.Context) ([]runview.Head, error)
	Report(ctx context.Context, run string) (*runview.Document, error)
	Exposures() ([]Point, error)
	Expose(Point) error
	Ordered() ([]Ordered, error) // what people ordered, the oldest first
	Figures() figures.Kept       // what the account did on each day
	Comments() comments.Kept     // what people said of changes and runs
	Outside() outside.Kept       // what others did at the service
	Icons() icons.Kept           // the icon of its brand
	// Settings are those of levels, by id, as the service had them when the account was read last; none where it was
	// not.
	Settings(ctx context.Context, levels []string) (map[string]map[string]Setting, error)
	// Touched is what the runs of Runs that began since then changed, as far as their reports are kept.
	Touched(ctx context.Context, since time.Time) ([]Touched, error)
}

// Touched is a resource that a run changed at the service.
type Touched struct{ Run, Address, ID, Name string }

// Setting is what a resource is set to at the service. A kind that has no such setting leaves it empty.
type Setting struct {
	Name, Parent    string // Parent is the id of what it is in
	Status          string // in the service's words
	Removed         bool   // by its status
	Review          string // where it stands, in words
	Why, Do         string // why, and what to do about it, where that is not well
	Daily, Lifetime int64  // budgets in micros; 0: none
	// when it was made, and the first moment in which it may spend, and the first in which no more; zero where the
	// service says none
	Created, Starts, Ends time.Time
	Changed               time.Time // when anything of it was changed last; zero where the service does not say

	Look *Look // of an ad; nil of what nobody sees
}

// Look is what people see of an ad.
type Look struct {
	Title, Body, Target, Price string
	Crop                       string // the part of the picture that is shown, as a JSON object; "": the whole
	// sha256:<hex> of a picture that adsync uploaded, the address from which the service took it, or file:<id> of
	// one that adsync did not give it
	Image string
}

// count puts the figures of a plan in the status. Where nothing was planned, as the
// files are not valid, those of the last plan stand, with their time.
func (s *Status) count(now time.Time, d *planview.Document) {
	s.PlanHash, s.Account, s.Reached = d.PlanHash, d.Account, false
	s.Review, s.Rejected = planview.ReviewCounts(d.Review), 0
	if d.Review != nil {
		s.Rejected = d.Review.Rejected
	}
	s.Drafts = nil
	for _, one := range d.Drafts {
		one.Paused = nil
		s.Drafts = append(s.Drafts, one)
	}
	if d.Error != "" {
		return
	}
	money := d.Possible()
	s.Figures = &Figures{
		Taken: now, Held: d.Summary.Held, Drift: drifts(d, nil),
		Pending: d.Summary.Create + d.Summary.Update +
			d.Summary.Replace + d.Summary.Archive + d.Summary.Adopt + d.Summary.Forget + d.Summary.Record,
		Exposure: Exposure{Daily: money.Day.Before, Lifetime: money.Lifetime.Before, MonthEnd: money.Month.Before},
	}
}

// notice notes since when nothing could be planned. A look that found files and
// account as they were planned last stands for a plan of them.
func (s *Status) notice(now time.Time, r *Result) {
	planned := r.Plan != nil && r.Plan.Error == "" || r.Skipped && s.Figures != nil && r.Class != Input
	switch {
	case planned:
		s.Unplanned = time.Time{}
	case s.Unplanned.IsZero():
		s.Unplanned = now
	}
}

// drifted is the cause of a field that somebody changed at the service alone, conflicting the hazard of one that the
// files changed, too.
const (
	drifted     = "drift"
	conflicting = "conflict"
)

// drifts counts the changes of a plan with what somebody changed at the service, and nobody changed back: what is
// held, or not applied.
func drifts(d *planview.Document, applied map[string]bool) (n int) {
	for i := range d.Changes {
		c := &d.Changes[i]
		for k := range c.Fields {
			f := &c.Fields[k]
			outside := f.Cause.String() == drifted || f.Foreign != nil ||
				f.Held != nil && string(f.Held.Hazard) == conflicting
			if outside && (c.Held != nil || f.Held != nil || !applied[c.Address]) {
				n++
				break
			}
		}
	}
	return n
}

// reach puts in the figures what an apply of the plan has done.
func (s *Status) reach(d *planview.Document, r *runview.Document) {
	s.Run = r.Run
	if s.Figures == nil {
		return
	}
	s.Reached = true
	after := *s.Figures
	after.Pending = 0
	applied := map[string]bool{}
	for i := range r.Outcomes {
		switch o := &r.Outcomes[i]; o.Outcome {
		case "applied":
			applied[o.Address] = true
		case runview.Held:
		default:
			after.Pending++
		}
	}
	if d != nil {
		after.Drift = drifts(d, applied)
	}
	if d != nil && after.Pending == 0 {
		money := d.Possible()
		after.Exposure = Exposure{Daily: money.Day.After, Lifetime: money.Lifetime.After, MonthEnd: money.Month.After}
	}
	s.Figures = &after
}
