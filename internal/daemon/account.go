package daemon

import (
	"context"
	"time"

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
	Good    time.Time // when files and account were last seen to be equal, by who worked on it before; zero where nobody knows
	Asks    bool      // its files are seen only by asking for them: a branch, which no watcher tells of

	Worker  Worker
	Orders  Orders
	Archive Archive
	// Watch are who tells what may have changed, and whatever else goes on beside the
	// loop, each until the context ends; nil: only time tells.
	Watch []func(ctx context.Context, wake func(Trigger))
	// Shown is told of every new status; nil tells nobody.
	Shown func(Status)
	// Close is called once the loop has ended; nil: there is nothing to close.
	Close func()
	// Accept keeps a yes to a commit of rewritten history, for the next run to take;
	// Acceptances are those that were taken. nil: files are in no history.
	Accept      func(Acceptance) error
	Acceptances func() ([]Acceptance, error)
	// Look reads a file that was dropped for a look; nil: nobody can.
	Look func(ctx context.Context, filename string, content []byte) (*Upload, error)
	// Commit puts a file on the branch for uploads; nil: there is none.
	Commit func(context.Context, Handed) (Committed, error)
}

// Orders are what people told an account. They are files in its state folder, so
// that they work with and without a daemon.
type Orders interface {
	Suspension(now time.Time) *Suspension // nil where nobody stopped it; a file STOP is one
	Suspend(Suspension) error
	Resume(now time.Time) error
	Approvals() ([]Approval, error)
	Approve(Approval) error
	// Take takes the wishes for a run that begins now: whether to read the whole
	// account, and the commits that were accepted though history was rewritten.
	Take() (full bool, accept []string)
}

// Archive is what is kept of an account's runs.
type Archive interface {
	Runs(ctx context.Context) ([]runview.Head, error)
	Report(ctx context.Context, run string) (*runview.Document, error)
	Exposures() ([]Point, error)
	Expose(Point) error
}

// counts are the figures of a plan that a status shows.
func (s *Status) count(d *planview.Document) {
	s.PlanHash, s.Account = d.PlanHash, d.Account
	s.Pending = d.Summary.Create + d.Summary.Update + d.Summary.Replace + d.Summary.Archive + d.Summary.Adopt + d.Summary.Forget + d.Summary.Record
	s.Held, s.Drift = d.Summary.Held, 0
	for i := range d.Changes {
		for _, f := range d.Changes[i].Fields {
			if f.Cause.String() == drifted {
				s.Drift++
				break
			}
		}
	}
	s.Exposure = Exposure{Daily: d.Money.Day.Before, Lifetime: d.Money.Lifetime.Before, MonthEnd: d.Money.Month.Before}
}

// drifted is the cause of a field that somebody changed at the service.
const drifted = "drift"

// reach puts in the figures what an apply of the plan has done.
func (s *Status) reach(d *planview.Document, r *runview.Document) {
	s.Run, s.Pending = r.Run, 0
	for i := range r.Outcomes {
		if o := r.Outcomes[i].Outcome; o != "applied" && o != runview.Held {
			s.Pending++
		}
	}
	if d != nil && s.Pending == 0 {
		s.Exposure = Exposure{Daily: d.Money.Day.After, Lifetime: d.Money.Lifetime.After, MonthEnd: d.Money.Month.After}
	}
}
