// Package pulls answers the pull requests that change the files of an account: each with one comment, which says what
// merging it would do, and then what it did, and a status of its newest commit. It takes the yes of those who may
// approve what is held, and hands it on once the pull request is merged.
//
// It refuses to take a word of a pull request for more than data: its files are planned under the policy of the branch
// it goes into. Its invariants: nothing is sent to the service; a yes is to what was shown to who gave it.
//
// desk.go sees to the pull requests in turn; planner.go plans one; comment.go keeps the comment as adsync wrote it;
// consent.go says what was agreed to, and whether that counts, and said.go says so to people; before.go has one be
// applied before its merge; merged.go sees to those that are merged.
package pulls

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/forge"
	"adsync/plan"
	"adsync/state/kv"
)

// Answer is what is said of a pull request.
type Answer struct {
	Touches bool   // it changes files of the account; where not, nothing is said that was not said before
	Text    string // its first line is a mark, by which the comment is found again
	Verdict forge.Verdict
	Asked   Asked
	Owned   *Owned // who owns its files; nil where nobody asks, or it is not planned
	Stale   bool   // both sides changed a file; the forge may merge it yet
	// Judge is the verdict where some of what is held is agreed to; nil where that changes nothing.
	Judge func(agreed func(plan.Hazard, []plan.Part) bool) forge.Verdict
	Notes []forge.Note // what is wrong with it, by lines
	// Explain says why a resource is as it is; nil where there is no plan.
	Explain func(address string) string
	// Within is Text that leaves room for so many bytes more, and how many changes that people are asked for it hides;
	// nil where it has the room.
	Within func(room int) (text string, hidden int)
}

// mostOfComment is how many bytes a comment has at most. One of GitHub holds 65,536 characters.
const mostOfComment = 65_000

// Desk answers the pull requests of one account. Its fields are set before Run and stay.
type Desk struct {
	Forge forge.Repository
	// Plan says what a pull request would do. It is errLater where that cannot be said now.
	Plan func(context.Context, forge.Pull) (*Answer, error)
	// At returns the branch that they go into, and a stamp, which is another where the same pull request may have
	// another plan; it is "" where none can be made now, and ok false where the branch is not known yet.
	At        func() (branch, stamp string, ok bool)
	NotesMark string   // the first line of each note
	Kept      kv.Store // beside the account
	Log       *slog.Logger
	Every     time.Duration
	Bell      chan struct{} // rings where somebody told of a pull request
	Now       func() time.Time
	Rules     Rules
	// Approve keeps what somebody agreed to of a pull request that is merged. The same twice is kept once.
	Approve func(daemon.Approval) error
	Wrote   func(eyes.Wrote) error // keeps who wrote what is held of one; nil: nobody asks
	// Result says what became of what a pull request changes, since it was merged; done is that nothing of it is left.
	Result func(ctx context.Context, m Merge) (text string, done bool, err error)
	Wake   func() // has the account be planned

	Before bool // what a pull request changes is applied before it is merged
	Mark   string
	Status string                                                 // its name
	Has    func(ctx context.Context, commit string) (bool, error) // whether the branch has it, as it was read last

	once   sync.Once
	lock   chan struct{}    // whoever puts something in has all below
	said   map[int]answered // what was answered, by number; nil before it was read
	tried  map[int]int      // how often since it was answered, by number
	stale  awaited
	turn   int         // of looks
	seen   map[int]int // in which turn it was seen to since it is no longer open, by number
	until  time.Time   // before which the forge is not asked
	failed bool        // which was said
	more   bool        // there are more pull requests than are read, which was said

	noteless bool // nothing can stand at lines, which was said
}

// errLater says that a pull request cannot be planned now, and is tried again.
var errLater = errors.New("it is tried again")

// kept is where what was answered is kept, one name for each pull request.
const (
	keptPrefix = "pull-"
	keptSuffix = ".json"
	mostKept   = 4096 // bytes
)

// mostPlans is how many pull requests are planned in a look: a thousand at once leave the account its processor.
const mostPlans = 20

// mostRest is how long a forge that has had enough is left alone at most, whatever it says. GitHub counts by the hour.
const mostRest = time.Hour

// answered is what was said of a pull request.
type answered struct {
	Head    string `json:"head"`
	Stamp   string `json:"stamp"`
	Comment string `json:"comment,omitempty"` // its id at the forge; "" where there is none
	Sum     string `json:"sum,omitempty"`     // of its text
	Stands  string `json:"stands,omitempty"`  // how the forge has it, by marksOf; no time where it was not read since
	Verdict string `json:"verdict,omitempty"` // of the head
	Noted   string `json:"noted,omitempty"`   // sum of what stands at its lines; unsure where that is not known

	Updated time.Time `json:"updated,omitzero"` // the pull request, when it was read
	Seen    time.Time `json:"seen,omitzero"`    // when this was said first, by the clock here
	Settled bool      `json:"settled,omitempty"`
	Heard   string    `json:"heard,omitempty"`  // sum of what people said that counts for something
	Until   time.Time `json:"until,omitzero"`   // when the first yes that counts expires
	Merged  string    `json:"merged,omitempty"` // the commit of the branch, once what was agreed to is handed on
	Since   time.Time `json:"since,omitzero"`   // when that was
	Waits   bool      `json:"waits,omitempty"`  // it is applied before its merge, or waits for another
}

// Run looks until the context ends.
func (d *Desk) Run(ctx context.Context) {
	for wait := d.Every; ctx.Err() == nil; {
		if err := d.Look(ctx); err != nil && ctx.Err() == nil && !d.failed {
			d.Log.Warn("pull requests are not answered; it is tried again", "error", err)
			d.failed = true
		} else if err == nil && d.failed {
			d.Log.Info("pull requests are answered again")
			d.failed = false
		}
		if rang := d.rests(ctx, wait); rang { // the list may be of before
			wait = min(listEvery, d.Every)
		} else {
			wait = d.Every
		}
	}
}

// Ring has the pull requests be looked at. It does not wait.
func (d *Desk) Ring() {
	select {
	case d.Bell <- struct{}{}:
	default: // it rings
	}
}

// rests waits for the next look, and reports whether somebody rang.
func (d *Desk) rests(ctx context.Context, most time.Duration) (rang bool) {
	var until time.Time
	if d.enter(ctx) {
		until = d.until
		d.leave()
	}
	timer := time.NewTimer(max(most, until.Sub(d.Now())))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-d.Bell:
		return true
	case <-timer.C:
	}
	return false
}

// Look answers the pull requests that are not answered as they are now.
func (d *Desk) Look(ctx context.Context) error {
	branch, stamp, ok := d.At()
	if !d.enter(ctx) {
		return ctx.Err()
	}
	defer d.leave()
	if !ok || d.Now().Before(d.until) {
		return nil
	}
	if err := d.read(); err != nil {
		return err
	}
	open, err := d.Forge.Open(ctx, branch)
	more := errors.Is(err, forge.ErrMore)
	if err != nil && !more {
		return d.rest(err)
	}
	if more && !d.more {
		d.Log.Warn("more pull requests are open than are read: those that changed last are answered", "read", len(open))
	}
	d.more = more
	failures := []error{d.rest(d.landed(ctx, branch, open, stamp != "")), d.close(ctx, branch, open)}
	if stamp == "" {
		return errors.Join(append(failures, ctx.Err())...)
	}
	if d.Before { // what the account has before its branch is why others wait
		a, err := AheadOf(d.Kept)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		if a != nil {
			stamp += fmt.Sprintf(" %d %s", a.Number, a.Head)
		}
	}
	if d.Rules.CodeOwners { // what was said before does not know who owns the files
		stamp += " owners"
	}
	planned, heard := 0, 0
	for _, pull := range d.turns(open) {
		before := d.said[pull.Number]
		if !d.isDue(pull, before, stamp) {
			continue
		}
		turn := &planned
		if before.Head == pull.Head && before.Stamp == stamp {
			turn = &heard
		}
		if d.Now().Before(d.until) {
			break
		}
		if *turn++; *turn > mostPlans {
			continue
		}
		d.tried[pull.Number]++ // also where it breaks off
		after, err := d.answer(ctx, pull, before, stamp)
		if after != before {
			err = errors.Join(err, d.keep(pull.Number, after)) // a comment that is not known would be there twice
		}
		if err = d.rest(err); err != nil && !errors.Is(err, errLater) {
			failures = append(failures, fmt.Errorf("pull request %d: %w", pull.Number, err))
		}
		if err == nil {
			delete(d.tried, pull.Number)
		}
	}
	return errors.Join(append(failures, ctx.Err())...)
}

// isDue reports whether a pull request may want another answer.
func (d *Desk) isDue(p forge.Pull, a answered, stamp string) bool {
	if a.Merged != "" { // the list is of before
		return false
	}
	if a.Head != p.Head || a.Stamp != stamp || a.Waits || d.stale[p.Number] > 0 {
		return true
	}
	return a.listens(d.Rules) &&
		(!a.Updated.Equal(p.Updated) || !a.Settled || !a.Until.IsZero() && d.Now().After(a.Until))
}

// sees notes when the forge says that the pull request was updated, before people are heard. It says so by the second:
// what comes later within it is heard by who hears people a second after it was seen.
func (a *answered) sees(updated, now time.Time) {
	if !a.Updated.Equal(updated) || a.Seen.IsZero() {
		a.Updated, a.Seen = updated, now.UTC()
	}
	a.Settled = now.Sub(a.Seen) >= time.Second
}

// listens reports whether what people say of a pull request may change what is said of it.
func (a *answered) listens(r Rules) bool { return a.Comment != "" || len(r.Approvers) > 0 }

// enter waits until nobody else is at the desk.
func (d *Desk) enter(ctx context.Context) bool {
	d.once.Do(func() { d.lock = make(chan struct{}, 1) })
	select {
	case d.lock <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (d *Desk) leave() { <-d.lock }

// turns has those that were tried in vain come after the others: none of them keeps others from being answered.
func (d *Desk) turns(open []forge.Pull) []forge.Pull {
	return slices.SortedStableFunc(slices.Values(open), func(a, b forge.Pull) int {
		return cmp.Compare(d.tried[a.Number], d.tried[b.Number])
	})
}

// forget forgets what was said of a pull request.
func (d *Desk) forget(number int) error {
	err := errors.Join(d.Kept.Delete(consentsOf(number)), d.Kept.Delete(nameOf(number)))
	if err == nil {
		delete(d.said, number)
		delete(d.tried, number)
		delete(d.stale, number)
		delete(d.seen, number)
	}
	return err
}

// rest keeps from asking a forge that has had enough.
func (d *Desk) rest(err error) error {
	if limit := new(forge.LimitError); errors.As(err, &limit) {
		d.until = limit.Until
		if most := d.Now().Add(mostRest); d.until.After(most) {
			d.until = most
		}
	}
	return err
}

// answer answers one pull request, and returns what is said of it by then.
func (d *Desk) answer(ctx context.Context, pull forge.Pull, a answered, stamp string) (answered, error) {
	c, err := d.consented(pull.Number)
	if err != nil {
		return a, err
	}
	c.Sent, c.Ours = c.Sent || d.Rules.sent(pull), c.Ours || byUs(pull)
	read := a
	read.sees(pull.Updated, d.Now())
	var talk forge.Talk
	if a.listens(d.Rules) {
		if talk, err = d.hear(ctx, pull, a, &c); err != nil {
			return a, err
		}
	}
	heard := sumOf(talk)
	again, expired := a.Head == pull.Head && a.Stamp == stamp, !a.Until.IsZero() && d.Now().After(a.Until)
	touched := len(d.Rules.Approvers) > 0 && a.Comment != "" && !talk.Cut && !a.stands(talk)
	if again && !a.Waits && d.stale[pull.Number] == 0 && a.Heard == heard && !expired && !touched {
		return read, nil
	}
	answer, err := d.Plan(ctx, pull)
	if err != nil {
		return a, err
	}
	if d.stale.sees(pull.Number, answer.Stale, again) { // that has the forge merge it
		if _, err := d.Forge.Find(ctx, pull.Number); err != nil {
			return a, err
		}
	}
	if !answer.Touches && a.Comment == "" {
		return answered{Head: pull.Head, Stamp: stamp, Heard: heard,
			Updated: read.Updated, Seen: read.Seen, Settled: read.Settled}, nil
	}
	if talk, err = d.hear(ctx, pull, a, &c); err != nil { // planning takes its time
		return a, err
	}
	heard = sumOf(talk)
	if a.Comment == "" { // something may stand at its lines from before it was closed and opened again
		a.Noted = unsure
	}
	answer.Asked.Head, answer.Asked.ByTwo = pull.Head, d.Rules.byTwo(c)
	if c.Owned = answer.Owned; c.Owned != nil {
		c.Owned.Head = pull.Head
	}
	c.shows(answer.Asked)
	all, err := d.judge(ctx, pull, c, talk)
	if err != nil {
		return a, err
	}
	if err := d.put(consentsOf(pull.Number), c); err != nil {
		return a, err
	}
	verdict := answer.Verdict
	if answer.Judge != nil {
		verdict = answer.Judge(func(h plan.Hazard, parts []plan.Part) bool { return covers(all, h, parts) })
	}
	verdict, waits, err := (&early{d, pull, answer, all}).stands(ctx, verdict)
	if err != nil {
		return a, err
	}
	if a, err = tells(ctx, d, pull, a, &c, wholeText(d, answer, all, talk), talk); err != nil {
		return a, err
	}
	said := string(verdict.State) + " " + verdict.Text
	if a.Head != pull.Head || a.Verdict != said {
		if err := d.Forge.Judge(ctx, pull.Head, verdict); err != nil {
			return a, err
		}
	}
	if a, err = annotate(ctx, d, pull, a, answer); err != nil {
		return a, err
	}
	a.Head, a.Stamp, a.Verdict, a.Heard, a.Until = pull.Head, stamp, said, heard, d.Rules.firstToExpire(all)
	a.Updated, a.Seen, a.Settled, a.Waits = read.Updated, read.Seen, read.Settled, waits
	return a, nil
}

// awaited are pull requests that are stale, by number, and how often each is planned again: a forge merges after it was
// asked.
type awaited map[int]int

const mostStale = 3

// sees notes how a pull request was planned, and reports whether the forge is to be asked for it. again is that it was
// planned as it is before.
func (w awaited) sees(number int, stale, again bool) (asks bool) {
	switch {
	case !stale:
		delete(w, number)
	case again:
		w[number] = max(0, w[number]-1)
	default:
		w[number] = mostStale
		return true
	}
	return false
}

// hear reads what people said of a pull request. Where nobody's yes can count, it is answered without that, too.
func (d *Desk) hear(ctx context.Context, pull forge.Pull, a answered, c *consents) (forge.Talk, error) {
	talk, err := d.Forge.Talk(ctx, pull)
	limit := new(forge.LimitError)
	switch yes := len(d.Rules.Approvers) > 0; {
	case err == nil && yes:
		c.hears(talk, a.stands(talk))
	case errors.Is(err, forge.ErrMore):
		return forge.Talk{Cut: true}, nil
	case err != nil && (yes || errors.As(err, &limit)):
		return forge.Talk{}, err
	}
	return talk, nil
}

func nameOf(number int) string { return keptPrefix + strconv.Itoa(number) + keptSuffix }

// read reads what was answered, once. What is no record of that is not touched.
func (d *Desk) read() error {
	if d.said != nil {
		return nil
	}
	names, err := d.Kept.Names(keptPrefix)
	if err != nil {
		return err
	}
	said := map[int]answered{}
	for _, name := range names {
		number, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, keptPrefix), keptSuffix))
		if err != nil || nameOf(number) != name {
			continue
		}
		var a answered
		if err := d.get(name, mostKept, &a); err != nil {
			return err
		}
		said[number] = a
	}
	d.said, d.tried, d.stale, d.seen = said, map[int]int{}, awaited{}, map[int]int{}
	return nil
}

// keep keeps what was answered of a pull request.
func (d *Desk) keep(number int, a answered) error {
	err := d.put(nameOf(number), a)
	if err == nil {
		d.said[number] = a
	}
	return err
}

// get reads what is kept beside the account.
func (d *Desk) get(name string, most int, to any) error {
	content, err := d.Kept.Get(name, most)
	if err == nil {
		err = json.Unmarshal(content, to)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, which says what was answered, cannot be read: %w",
			diag.Printable(d.Kept.Where(name)), err)
	}
	return err
}

func (d *Desk) put(name string, value any) error {
	content, err := json.Marshal(value)
	if err == nil {
		err = d.Kept.Put(name, content)
	}
	return err
}
