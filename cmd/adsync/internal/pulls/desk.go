// Package pulls answers the pull requests that change the files of an account: each with one comment, which says what
// merging it would do, and a status of its newest commit.
//
// It refuses to take a word of a pull request for more than data: its files are planned under the policy of the branch
// it goes into. Its invariant: nothing is sent to the service.
//
// desk.go sees to the pull requests in turn; planner.go plans one.
package pulls

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/state/kv"
)

// Answer is what is said of a pull request.
type Answer struct {
	Touches bool   // it changes files of the account; where not, nothing is said that was not said before
	Text    string // its first line is a mark, by which the comment is found again
	Verdict forge.Verdict
}

// Desk answers the pull requests of one account. Its fields are set before Run and stay.
type Desk struct {
	Forge forge.Repository
	// Plan says what a pull request would do. It is errLater where that cannot be said now.
	Plan func(context.Context, forge.Pull) (*Answer, error)
	// At returns the branch that they go into, and a stamp, which is another where the same pull request may have
	// another plan; ok is false where none can be made yet.
	At    func() (branch, stamp string, ok bool)
	Kept  kv.Store // beside the account
	Log   *slog.Logger
	Every time.Duration
	Bell  chan struct{} // rings where somebody told of a pull request
	Now   func() time.Time

	said   map[int]answered // what was answered, by number; nil before it was read
	tried  map[int]int      // how often since it was answered, by number
	until  time.Time        // before which the forge is not asked
	failed bool             // which was said
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
	Verdict string `json:"verdict,omitempty"` // of the head
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
	timer := time.NewTimer(max(most, d.until.Sub(d.Now())))
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
	if !ok || d.Now().Before(d.until) {
		return nil
	}
	if err := d.read(); err != nil {
		return err
	}
	open, err := d.Forge.Open(ctx, branch)
	if err != nil {
		return d.rest(err)
	}
	d.forget(open)
	var failures []error
	planned := 0
	for _, pull := range d.turns(open) {
		before := d.said[pull.Number]
		if before.Head == pull.Head && before.Stamp == stamp {
			continue
		}
		if planned++; planned > mostPlans || d.Now().Before(d.until) {
			break
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

// turns has those that were tried in vain come after the others: none of them keeps others from being answered.
func (d *Desk) turns(open []forge.Pull) []forge.Pull {
	return slices.SortedStableFunc(slices.Values(open), func(a, b forge.Pull) int {
		return cmp.Compare(d.tried[a.Number], d.tried[b.Number])
	})
}

// forget forgets what was said of pull requests that are no longer open.
func (d *Desk) forget(open []forge.Pull) {
	still := map[int]bool{}
	for _, pull := range open {
		still[pull.Number] = true
	}
	for number := range d.said {
		if !still[number] && d.Kept.Delete(nameOf(number)) == nil {
			delete(d.said, number)
		}
	}
	maps.DeleteFunc(d.tried, func(number, _ int) bool { return !still[number] })
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
	answer, err := d.Plan(ctx, pull)
	if err != nil {
		return a, err
	}
	if !answer.Touches && a.Comment == "" {
		return answered{Head: pull.Head, Stamp: stamp}, nil
	}
	sum := sha256.Sum256([]byte(answer.Text))
	if said := hex.EncodeToString(sum[:]); a.Sum != said || a.Comment == "" {
		id, err := d.Forge.Say(ctx, pull.Number, a.Comment, answer.Text)
		if err != nil {
			return a, err
		}
		a.Comment, a.Sum = id, said
	}
	verdict := string(answer.Verdict.State) + " " + answer.Verdict.Text
	if a.Head != pull.Head || a.Verdict != verdict {
		if err := d.Forge.Judge(ctx, pull.Head, answer.Verdict); err != nil {
			return a, err
		}
	}
	a.Head, a.Stamp, a.Verdict = pull.Head, stamp, verdict
	return a, nil
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
		content, err := d.Kept.Get(name, mostKept)
		if err == nil {
			err = json.Unmarshal(content, &a)
		}
		if err != nil {
			return fmt.Errorf("%s, which says what was answered, cannot be read: %w",
				diag.Printable(d.Kept.Where(name)), err)
		}
		said[number] = a
	}
	d.said, d.tried = said, map[int]int{}
	return nil
}

// keep keeps what was answered of a pull request.
func (d *Desk) keep(number int, a answered) error {
	content, err := json.Marshal(a)
	if err == nil {
		err = d.Kept.Put(nameOf(number), content)
	}
	if err == nil {
		d.said[number] = a
	}
	return err
}
