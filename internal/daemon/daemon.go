// Package daemon repeats the work on accounts for as long as it is let: one loop
// an account, woken by files, git, a webhook, a timer or a person, each run
// whole before the next begins.
//
// It refuses to know what a run does: a Worker reads, plans and applies; the loop
// decides only when, from what woke it and how the last run ended. Its one
// invariant: one run at a time an account, and no account waits for another's
// (design.md section 2.7: events only wake the loop; what is there decides).
//
// When a loop runs again is decided in loop.go (arrange), how long it waits after a failure in
// pace.go; hub.go has the loops of all accounts. account.go is what one loop is about, desk.go
// what people may ask and order, pulse.go notices one that stands still, places.go bounds runs
// at once, keep.go begins work again that broke off.
package daemon

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"adsync/internal/eyes"
	"adsync/internal/figures"
	"adsync/internal/figures/overspend"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/runview"
)

// Trigger is what woke a loop.
type Trigger string

// The triggers. Several that come while a run goes on are one when it ends.
const (
	Started   Trigger = "start"     // the daemon began
	Files     Trigger = "files"     // a file of a watched folder was changed, or may have been
	Push      Trigger = "push"      // a webhook says that the branch moved
	Poll      Trigger = "poll"      // the time came to look
	Daily     Trigger = "daily"     // the time came to read the whole account
	Asked     Trigger = "asked"     // a person asked, by command, page or API
	Approved  Trigger = "approved"  // a person allowed what was held
	Retried   Trigger = "retry"     // an attempt that failed for the time being is made again
	Continued Trigger = "continued" // a suspension ended
	Commented Trigger = "comment"   // somebody said something of a change or of a run
	Reviewed  Trigger = "review"    // the service's review judged an ad otherwise than before
)

// Class says how a run ended, and so what the loop waits for.
type Class string

// The classes.
const (
	InSync      Class = "in_sync"     // nothing to do
	Applied     Class = "applied"     // changes were made, nothing is left
	Held        Class = "held"        // what is left waits for an allowance, a window or an approval
	Partial     Class = "partial"     // something was refused by the service, and waits for its row to change
	Undecided   Class = "undecided"   // an outcome is unknown, and waits for adsync resolve
	Input       Class = "input"       // the files cannot be planned: wait for them to change
	Transient   Class = "transient"   // network, service or remote: again later, each time later
	Locked      Class = "locked"      // another adsync has the state: again soon, and say who
	Credentials Class = "credentials" // the key, the token or a permission: again rarely
	Misplaced   Class = "misplaced"   // configuration, or a state that is not this account's: a person has to act
	Suspended   Class = "suspended"   // somebody stopped this account, or STOP is there: planned, nothing sent
	Stopped     Class = "stopped"     // the daemon ends
	Internal    Class = "internal"    // a fault of adsync
)

// Request is one run asked of a Worker.
type Request struct {
	Triggers []Trigger // that came since the last run began, sorted, each once
	Full     bool      // read the whole account, whatever the audit log says
	PlanOnly bool      // send nothing: the account is suspended
	Accept   []string  // commits to go on with though history was rewritten
	Waits    bool      // an attempt that failed waits for its time: only other files begin a run before

	// Tell is told what happens meanwhile, for who looks on; never nil. What stands at "says" is Doing of the status.
	Tell func(kind string, data map[string]any)
	// rings when files or a push came since the run began; nil: nobody tells
	Moved <-chan struct{}
}

// Result is how one run of a Worker ended. It holds no secret, and of people only how
// the service's audit log names who else writes.
type Result struct {
	Class    Class
	Message  string             // in one line, for people; "" where the class says it all
	Revision Revision           // of the files it read; zero where they could not be read
	Plan     *planview.Document // nil where none was computed
	Run      *runview.Document  // nil where nothing was applied
	Skipped  bool               // same files, and nothing moved at the service: nothing was read
	// as the request did, and the files are as they were: nothing was done, and the rest says nothing
	Waits     bool
	Unread    bool          // what failed was to ask for the files
	Requests  int           // sent to the service
	Rate      Rate          // what the service still takes this minute
	Journal   *int          // steps the journal holds that are not closed; nil where nobody looked
	After     time.Duration // not before: what the service or the remote asked for; 0 where it did not
	Rewritten *Rewritten    // the commit nothing is done for until somebody accepts it; nil where none waits
	Writers   []string      // who else writes to the account, in words: each once
	// when something that is held may go, such as the end of a freeze window; zero where nothing waits so
	Until    time.Time
	Measured bool                // Passed and Paced say what there is
	Passed   []overspend.Passing // measured spend of more than is allowed, all of it
	Paced    *overspend.Paced    // how the budgets are spent; nil where that is not known
}

// Revision is the version of the files.
type Revision = orders.Revision

// Rate is how many requests a minute the service takes of an account, and how
// many are left; all zero where nobody knows.
type Rate struct {
	Limit int `json:"limit"`
	Left  int `json:"left"`
}

// Observer is told of each run that ended, and of what broke off (a run, the loop,
// watching): the metrics. It returns at once.
type Observer interface {
	Ran(account string, r Result, took time.Duration)
	Broke(account, what string)
}

// Worker does the work of one account. Run is never called twice at a time.
type Worker interface {
	Run(context.Context, Request) Result
}

// Status is an account at a glance, as API, page and status show it.
type Status struct {
	Name     string           `json:"name"`
	Account  planview.Account `json:"account"`
	Source   string           `json:"source"` // folder, or address and branch without credentials
	State    Class            `json:"state"`  // "" before the first run ended
	Message  string           `json:"message,omitempty"`
	Running  bool             `json:"running"`
	Doing    string           `json:"doing,omitempty"` // what that run does just now, in words
	Since    time.Time        `json:"since,omitzero"`  // since when it is in this state
	Last     time.Time        `json:"last,omitzero"`   // when the last run ended
	Good     time.Time        `json:"good,omitzero"`   // when files and account were last seen to be equal, or made so
	Next     time.Time        `json:"next,omitzero"`   // when the next run begins by itself
	Woken    []Trigger        `json:"woken,omitempty"` // by what, the last time
	Revision Revision         `json:"revision,omitzero"`
	Applied  Revision         `json:"applied,omitzero"` // the newest that was applied whole
	// runs in a row that ended in Transient, Locked, Credentials or Internal
	Failures  int         `json:"failures"`
	Suspended *Suspension `json:"suspended,omitempty"`
	Pauses    []Pause     `json:"pauses,omitempty"`    // that stand, the oldest first
	PlanOnly  bool        `json:"plan_only,omitempty"` // nothing is ever applied
	PlanHash  string      `json:"plan_hash,omitempty"`
	*Figures              // of the last plan; nil before there is one
	// an apply of that plan has ended, and nothing was planned since
	Reached bool `json:"-"`
	// since when nothing could be planned; zero where the last run could
	Unplanned time.Time  `json:"unplanned,omitzero"`
	Rate      Rate       `json:"rate,omitzero"`
	Journal   int        `json:"journal"`       // steps that are not closed
	Run       string     `json:"run,omitempty"` // the last that changed something
	Rewritten *Rewritten `json:"rewritten,omitempty"`
	Told      *Told      `json:"told,omitempty"` // of an account that another daemon works on; nil: this one does
	// what it spent of late; nil where no day was read
	Spent    *figures.Lately `json:"spent,omitempty"`
	Rejected int             `json:"rejected,omitempty"` // ads that the service's review rejected
	// measured spend of yesterday and today that is more than budgets, their pace or the policy allow, newest first
	Passed     []overspend.Passing `json:"passed,omitempty"`
	PassedMore int                 `json:"passed_more,omitempty"` // that are not among them
	// how the budgets of what delivers are spent; nil where that is not known
	Paced *overspend.Paced `json:"paced,omitempty"`

	// workbooks of which nothing is published but pauses, as they were read last; without the rows they pause
	Drafts []planview.Draft `json:"drafts,omitempty"`

	Said   string `json:"-"` // the message with the names of the plan; "" where nobody put them in
	Review string `json:"-"` // how many ads the service has not approved, in words; "" where it has all
}

// Told is where the status of an account comes from that another daemon works on.
type Told struct {
	Host  string    `json:"host"`            // of the daemon that told it
	At    time.Time `json:"at"`              // when; looks since then found nothing new
	By    string    `json:"by,omitempty"`    // host of the daemon that works on the account now; "" where none does
	Seen  time.Time `json:"seen,omitzero"`   // when that daemon was heard of last
	Lives bool      `json:"lives,omitempty"` // it was heard of within its lease
}

// Figures are what a plan came to, less what its apply did. They are never changed:
// a later plan has its own.
type Figures struct {
	Taken    time.Time `json:"figures_at"` // when they were true
	Pending  int       `json:"pending"`    // changes that would go
	Held     int       `json:"held"`
	Drift    int       `json:"drift"`
	Exposure Exposure  `json:"exposure"`
}

// Suspension is a stop that somebody ordered: plans are made, nothing is sent.
type Suspension = orders.Suspension

// Ordered is what somebody ordered.
type Ordered = orders.Ordered

// Exposure is possible spend in micros of the account's currency.
type Exposure struct {
	Daily    int64 `json:"daily"`     // sum of daily caps of active campaigns, bounded by the account's limits
	Lifetime int64 `json:"lifetime"`  // what is left of lifetime budgets of active campaigns
	MonthEnd int64 `json:"month_end"` // the worst case until the month ends
}

// Point is exposure at a moment.
type Point struct {
	Time time.Time `json:"time"`
	Exposure
}

// Approval is a person's yes to something a plan holds. It is good for what it names,
// as that was shown, whatever else changes; for once; and for a time. It is kept.
type Approval struct {
	PlanHash string         `json:"plan_hash"` // of the plan that was shown
	Allow    []string       `json:"allow"`     // as --allow takes them; what is not named stays held
	Asks     []planview.Ask `json:"asks,omitempty"`
	Lineage  string         `json:"lineage,omitempty"` // of the state that plan was made from
	Serial   int64          `json:"serial,omitempty"`  // of that state: what was used since is used
	By       string         `json:"by"`
	From     string         `json:"from,omitempty"` // as of orders.Ordered; "" of a review, which has a link
	Who      *eyes.Who      `json:"who,omitempty"`  // the person, where they proved who they are
	Note     string         `json:"note,omitempty"`
	Link     string         `json:"link,omitempty"` // to the review or comment at a forge
	Time     time.Time      `json:"time"`
}

// Fits reports whether a plan asks for all that is approved, as it was shown.
func (a *Approval) Fits(p *planview.Document) bool {
	asked := make(map[string]bool, len(p.Asks))
	for i := range p.Asks {
		asked[p.Asks[i].Item] = true
	}
	for i := range a.Asks {
		if !asked[a.Asks[i].Item] {
			return false
		}
	}
	return len(a.Asks) > 0
}

// Digest is another where something else is approved, or the same after the account has moved on.
func (a *Approval) Digest() [sha256.Size]byte {
	var said []string
	for _, one := range a.Asks {
		said = append(said, "item "+one.Item)
	}
	for _, allow := range a.Allow {
		said = append(said, "allow "+allow)
	}
	slices.Sort(said)
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %d", said, a.Lineage, a.Serial))
}

// Event is something that happened, for who looks on.
type Event struct {
	Time    time.Time      `json:"time"`
	Account string         `json:"account"`
	Kind    string         `json:"kind"` // status, run, wave, outcome, progress
	Status  *Status        `json:"status,omitempty"`
	Data    map[string]any `json:"data,omitempty"`
}

// Upload is a file that was dropped for a look: read, checked and planned in
// memory or in a private folder, never applied.
type Upload struct {
	Problems []string           `json:"problems"` // position: what is there; what is wanted (CODE)
	Plan     *planview.Document `json:"plan,omitempty"`
	Marked   []byte             `json:"-"` // the workbook with the problems at its cells; nil where there is none
	Name     string             `json:"name,omitempty"`
	// it may be committed to; "" where it has problems, or none is configured
	Branch string `json:"branch,omitempty"`
	Into   string `json:"into,omitempty"`  // branch that a pull request of it goes into; "" where none is opened
	Saves  bool   `json:"saves,omitempty"` // it may be put into the folder
	Source string `json:"-"`               // slash path of the file whose place it takes, or where it would lie
	Base   string `json:"-"`               // SHA-256 of that file; "" for none
	Began  string `json:"-"`               // SHA-256 of what the file began as; "" where nobody knows
	Merge  *Merge `json:"-"`               // nil where that file is the one that it began as, or nobody knows
}

// Desk is the daemon as those see it who watch it and give it orders: the API,
// the page, the webhook.
type Desk interface {
	Own() []Status // of the accounts that this process works on
	List(ctx context.Context, q Query) List
	Account(ctx context.Context, name string) (Status, error)
	Plan(ctx context.Context, name string) (*planview.Document, error) // the last; nil before there is one
	Runs(ctx context.Context, name string) ([]runview.Head, error)
	Report(ctx context.Context, name, run string) (*runview.Document, error)
	Archive(ctx context.Context, name string) (Archive, error)
	Approvals(ctx context.Context, name string) ([]Approval, error)
	Events(ctx context.Context) <-chan Event // ends with the context; a slow reader loses the oldest

	Wake(ctx context.Context, name string, why Trigger, a orders.Ask) error // without By where no person asks
	Order(ctx context.Context, name string, o Order) error
	// ErrOtherPlan where the last plan asks for something else
	Approve(ctx context.Context, name string, a Approval) error
	Accept(ctx context.Context, name string, a Acceptance) error // ErrOtherCommit where that commit does not wait
	Acceptances(ctx context.Context, name string) ([]Acceptance, error)
	Look(ctx context.Context, name string, f Dropped) (*Upload, error)
	Commit(ctx context.Context, name string, h Handed) (Committed, error) // of a file that was looked at
	Draft(ctx context.Context, name string, e Edit) (*Draft, error)
	Edit(ctx context.Context, name string, o EditOrder) (Edited, error) // ErrEditMoved where the draft is another
	Files(ctx context.Context, name string) ([]string, error)           // slash paths of the account's own
	// File is one of them as it was read last, for who downloads it, as Dropped has them.
	File(ctx context.Context, name, file, who string) ([]byte, error)
	// Picture is one of the files by the sum of its bytes, sha256:<hex>; ErrNoFile where the last plan knows none.
	Picture(ctx context.Context, name, sum string) ([]byte, error)
}
