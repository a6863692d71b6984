package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/daemon"
	"adsync/internal/figures"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/state"
	"adsync/state/kv"
)

// What the daemon of an account keeps beside its state, beside what package orders does.
const (
	ApprovalsName = "approvals.ndjson" // a daemon.Approval a line
	AcceptedName  = "accepted.ndjson"  // a daemon.Acceptance a line
	exposureName  = "exposure.ndjson"  // a daemon.Point a line
)

// Lease is the daemon's hold on one account, and what people order there.
type Lease struct {
	Place  orders.Place
	Shared string         // folder whose STOP holds for all accounts; "" for none
	Stops  []orders.Place // others whose STOP holds
	Terse  bool           // who finds nothing new says nothing
	Say    orders.Daemon
	// asks all that a look wants to know of the database at once, with the looks of other accounts, for which it may
	// wait; nil where the state lies in a folder, and for who asks at once
	Standing func() (state.Standing, error)

	mu    sync.Mutex
	wrote time.Time          // when say was last written
	good  orders.Equal       // when files and account were last seen to be equal
	holds *orders.Attendance // nil until it was taken
	taken []orders.Ask
	looks *state.Standing // as of the last look; nil where that is not known
	calm  atomic.Bool     // no pause stood when that was asked last
}

// Acquire takes the account for this daemon, once, and again where it is held no
// longer. It is kv.ErrAway where the folder with the files is.
func (t *Lease) Acquire(sleep func(time.Duration)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds != nil && t.holds.Stands() {
		return nil
	}
	if t.holds != nil {
		_ = t.holds.End() // nothing of it is left to give back
		t.holds = nil
	}
	holds, err := t.Place.Attend(sleep)
	if err != nil {
		return err
	}
	t.holds = holds
	return holds.Say(t.Say)
}

// Release gives the account back.
func (t *Lease) Release() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds == nil {
		return nil
	}
	t.writeEqual()
	err := t.holds.End()
	t.holds = nil
	return err
}

// sayEvery is how often a daemon says that nothing is new.
const sayEvery = 5 * time.Minute

// Shown puts a status where every command can see it. Looks that found nothing
// write only now and then: each write waits for the disk.
func (t *Lease) Shown(s daemon.Status, _ *planview.Document) {
	if s.Running {
		return // busy says so, once it is more than a look
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.Say
	d.Running, d.State, d.Message, d.Last, d.Next, d.Exit = false,
		string(s.State), s.Message, s.Last, s.Next, console.CodeOfClass(s.State)
	d.Commit, d.Uncommitted = s.Revision.Commit, s.Revision.Uncommitted
	d.Drafts, d.Passed = draftsIn(&s), passedIn(&s)
	d.Answer(t.taken)
	same := slices.Equal(t.Say.Drafts, d.Drafts) && slices.Equal(t.Say.Passed, d.Passed) &&
		t.Say.State == d.State && t.Say.Commit == d.Commit && t.Say.Uncommitted == d.Uncommitted &&
		t.Say.Message == d.Message && !t.Say.Running && len(t.taken) == 0 && (t.Terse || time.Since(t.wrote) < sayEvery)
	t.taken, t.Say, t.good = nil, d, orders.Equal{At: s.Good, Revision: s.Applied}
	if !same {
		t.write()
	}
}

// draftsIn says of each workbook that is a draft how it stands.
func draftsIn(s *daemon.Status) (all []string) {
	for _, d := range s.Drafts {
		all = append(all, d.File+": "+d.Words)
	}
	return all
}

// mostPassed is how many are said.
const mostPassed = 10

// passedIn says what was spent of more than is allowed.
func passedIn(s *daemon.Status) (all []string) {
	for i := range s.Passed[:min(len(s.Passed), mostPassed)] {
		all = append(all, s.Passed[i].Text(time.UTC))
	}
	if more := len(s.Passed) - len(all) + s.PassedMore; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return all
}

// Busy says that a run reads and plans.
func (t *Lease) Busy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Say.Running = true
	t.write()
}

// write writes what the daemon says. mu is held.
func (t *Lease) write() {
	if t.holds != nil {
		_ = t.holds.Say(t.Say) // the next word says it again
		t.writeEqual()
	}
	t.wrote = time.Now()
}

// writeEqual notes when all was equal last. mu is held.
func (t *Lease) writeEqual() {
	if t.holds != nil && t.holds.Stands() && !t.good.At.IsZero() {
		_ = t.Place.SayEqual(t.good) // the next word says it again
	}
}

// places are those in which STOP may lie.
func (t *Lease) places() []orders.Place {
	places := append([]orders.Place{t.Place}, t.Stops...)
	if t.Shared != "" {
		places = append(places, orders.Folder(t.Shared))
	}
	return places
}

// Suspension is the stop that stands: a file STOP, or an order.
func (t *Lease) Suspension(now time.Time) *daemon.Suspension { return t.suspension(t.look(), now) }

// SuspensionAsLooked is the stop that stood as Suspension was asked last, or a file STOP that lies there by now.
func (t *Lease) SuspensionAsLooked(now time.Time) *daemon.Suspension {
	looked := t.Looked()
	return t.suspension(looked == nil || looked.Ordered, now)
}

func (t *Lease) suspension(ordered bool, now time.Time) *daemon.Suspension {
	for _, p := range t.places() {
		if _, file := p.Store.(kv.Folder); !file && !ordered {
			continue
		}
		if stop := p.Stop(); stop != "" {
			return &daemon.Suspension{By: "a file", Reason: stop + " lies there", File: true}
		}
	}
	if !ordered {
		return nil
	}
	return t.Place.Suspension(now)
}

// Halt is the order that keeps the client from changing anything.
func (t *Lease) Halt() error {
	if err := orders.Standing(t.places()...); err != nil {
		return err
	}
	if err := t.Place.Suspended(time.Now()); err != nil {
		return err
	}
	return t.Place.PauseFirst()
}

// Pauses returns the pauses that stand, the oldest first. Who gives one rings: where no order stands in the database,
// there is none beside those that were known.
func (t *Lease) Pauses() ([]daemon.StandingPause, error) {
	if looks := t.Looked(); t.calm.Load() && looks != nil && !looks.Ordered {
		return nil, nil
	}
	all, err := t.Place.Pauses()
	t.calm.Store(err == nil && len(all) == 0)
	return all, err
}

func (t *Lease) Pause(o orders.Pause) error { return t.Place.Pause(o) }

func (t *Lease) GoOn(id string, g orders.GoOn) error { return t.Place.GoOn(id, g) }

func (t *Lease) Suspend(s daemon.Suspension) error { return t.Place.Suspend(s) }

func (t *Lease) Resume(o orders.Ordered) error {
	_, err := t.Place.Resume(o)
	return err
}

// look asks what stands beside the account; ordered is false where the database has no order. What it cannot answer at
// once is asked one by one.
func (t *Lease) look() (ordered bool) {
	if t.Standing == nil {
		return true
	}
	s, err := t.Standing()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.looks = nil; err != nil {
		return true
	}
	t.looks = &s
	return s.Ordered
}

// Looked is what stood beside the account as Suspension was asked last; nil where that is not known.
func (t *Lease) Looked() *state.Standing {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.looks
}

// TriggerOf is what a wish wakes an account for.
func TriggerOf(a orders.Ask) daemon.Trigger { return cmp.Or(daemon.Trigger(a.Why), daemon.Asked) }

// Take takes the wishes for a run.
func (t *Lease) Take() (wishes daemon.Wishes) {
	if looked := t.Looked(); looked != nil && !looked.Ordered {
		return wishes
	}
	asks := t.Place.Asks()
	if len(asks) == 0 || t.Place.Take(asks) != nil {
		return wishes
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = append(t.taken, asks...)
	for _, a := range asks {
		wishes.Full = wishes.Full || a.Full
		if a.Accept != "" {
			wishes.Accept = append(wishes.Accept, a.Accept)
		}
		wishes.Why = append(wishes.Why, TriggerOf(a))
	}
	return wishes
}

// Approvals returns what people allowed, the oldest first.
func (t *Lease) Approvals() ([]daemon.Approval, error) {
	return kv.Lines[daemon.Approval](t.Place, ApprovalsName)
}

// Approve keeps an approval. Who approves the same again, on whichever page, has approved it once: the later time
// counts.
func (t *Lease) Approve(a daemon.Approval) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return t.Place.Rewrite(ApprovalsName, func(content []byte) (kept []byte) {
		for before := range bytes.Lines(content) {
			var one daemon.Approval
			if json.Unmarshal(before, &one) == nil && one.By == a.By && one.Digest() == a.Digest() {
				continue
			}
			kept = append(kept, before...)
		}
		if len(kept) > 0 && kept[len(kept)-1] != '\n' { // a line that a power cut cut off
			kept = append(kept, '\n')
		}
		return append(append(kept, line...), '\n')
	})
}

// Accept leaves the wish to go on with a commit although history was rewritten.
func (t *Lease) Accept(a daemon.Acceptance) error {
	_, err := t.Place.Ask(orders.Ask{By: a.By, From: a.From, Note: a.Note, Since: a.Time, Accept: a.Commit})
	return err
}

// Ring leaves the wish for a run with whoever works on the account.
func (t *Lease) Ring(why daemon.Trigger, a orders.Ask) error {
	if a.By == "" {
		return t.Place.Ring(string(why), time.Now())
	}
	_, err := t.Place.Ask(a)
	return err
}

// Took notes who accepted a commit, of those whose wishes the run took, before it is
// gone on with.
func (t *Lease) Took(commit, before string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.taken {
		if Accepted([]string{a.Accept}, commit) {
			return noteAccepted(t.Place, daemon.Acceptance{
				Commit: commit, Before: before, By: a.By, From: a.From, Note: a.Note, Time: a.Since,
			})
		}
	}
	return nil
}

// noteAccepted keeps who accepted a commit.
func noteAccepted(beside kv.Store, a daemon.Acceptance) error {
	return kv.AppendJSON(beside, AcceptedName, a)
}

func (t *Lease) Acceptances() ([]daemon.Acceptance, error) {
	return kv.Lines[daemon.Acceptance](t.Place, AcceptedName)
}

func (t *Lease) Exposures() ([]daemon.Point, error) {
	return kv.Lines[daemon.Point](t.Place, exposureName)
}

// Figures returns what the account did on each day.
func (t *Lease) Figures() figures.Kept { return figures.Kept{Store: t.Place} }

// keptPoints is how many bytes of exposure are kept; the older half goes first.
const keptPoints = 1 << 20

func (t *Lease) Expose(p daemon.Point) error {
	err := t.Place.Rewrite(exposureName, func(content []byte) []byte {
		if len(content) <= keptPoints {
			return nil
		}
		lines := bytes.SplitAfter(content, []byte("\n"))
		return bytes.Join(lines[len(lines)/2:], nil)
	})
	if err != nil {
		return err
	}
	return kv.AppendJSON(t.Place, exposureName, p)
}

// Accepted reports whether somebody accepted a commit by name.
func Accepted(accepts []string, commit string) bool {
	for _, given := range accepts {
		if len(given) >= 12 && strings.HasPrefix(commit, given) {
			return true
		}
	}
	return false
}

// Kept is what the daemon keeps beside the account. Put and Delete are state.ErrLocked once it does not have the
// account any more: what it wrote late would stand in the place of what another has written since.
func (t *Lease) Kept() kv.Store {
	if t.Place.Fenced != nil {
		return t.Place.Fenced
	}
	return kept{t.Place.Store, t}
}

// kept is of a folder, whose lock no other process takes while this one has it.
type kept struct {
	kv.Store
	of *Lease
}

func (k kept) Put(name string, content []byte) error {
	if err := k.of.stands(); err != nil {
		return err
	}
	return k.Store.Put(name, content)
}

func (k kept) Delete(name string) error {
	if err := k.of.stands(); err != nil {
		return err
	}
	return k.Store.Delete(name)
}

func (t *Lease) stands() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holds == nil || !t.holds.Stands() {
		return fmt.Errorf("%w: %s is not what this daemon took", state.ErrLocked, t.Place.Where(""))
	}
	return nil
}
