package pulls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"adsync/internal/eyes"
	"adsync/internal/forge"
	"adsync/plan"
)

// Merge is a pull request that is merged.
type Merge struct {
	Commit    string      // by which the branch has it
	Addresses []string    // of what it changes
	Agreed    []string    // of those, whose change was approved
	Parts     []plan.Part // of those, as they were approved; nil where that is not known
	Before    bool        // it is not merged yet, and Commit its head
	Links     []string    // to where somebody said so
}

// How long the comment of a pull request follows what became of it, and how long a run waits for what people agreed to.
const (
	mostFollowed = 14 * 24 * time.Hour
	mostWaited   = 10 * time.Second
)

// Settle hands on what people agreed to of pull requests that are merged by now. A run calls it before it plans a
// commit that it has not seen; where the forge does not answer in time, the next look does it.
func (d *Desk) Settle(ctx context.Context) {
	branch, _, ok := d.At()
	ctx, cancel := context.WithTimeout(ctx, mostWaited)
	defer cancel()
	if !ok || !d.enter(ctx) {
		return
	}
	defer d.leave()
	if d.Now().Before(d.until) || d.read() != nil {
		return
	}
	newest := slices.Sorted(maps.Keys(d.said))
	slices.Reverse(newest)
	asked := 0
	for _, number := range newest {
		if a := d.said[number]; a.Comment == "" || a.Merged != "" {
			continue
		}
		if asked++; asked > mostPlans {
			return
		}
		p, err := d.Forge.Find(ctx, number)
		if err == nil && p.Merged != "" && p.Branch == branch {
			_, err = d.take(ctx, p)
		}
		if d.rest(err) != nil && (d.Now().Before(d.until) || ctx.Err() != nil) {
			return // what is wrong with one alone keeps no other from it
		}
	}
}

// close sees to the pull requests that are no longer open, those first that it has not seen to for longest.
func (d *Desk) close(ctx context.Context, branch string, open []forge.Pull) error {
	still := map[int]bool{}
	for _, pull := range open {
		still[pull.Number] = true
	}
	maps.DeleteFunc(d.tried, func(number, _ int) bool { return !still[number] && d.said[number] == answered{} })
	var failures []error
	d.turn++
	asked := 0
	for _, number := range slices.SortedFunc(maps.Keys(d.said), func(a, b int) int {
		return cmp.Or(cmp.Compare(d.seen[a], d.seen[b]), cmp.Compare(a, b))
	}) {
		if still[number] && d.said[number].Merged == "" {
			continue
		}
		if asked++; asked > mostPlans || d.Now().Before(d.until) {
			break
		}
		d.seen[number] = d.turn
		if err := d.rest(d.closed(ctx, branch, number)); err != nil {
			failures = append(failures, fmt.Errorf("pull request %d: %w", number, err))
		}
	}
	return errors.Join(failures...)
}

// closed sees to one: of one that is merged, what was agreed to is handed on, and what became of it is said.
func (d *Desk) closed(ctx context.Context, branch string, number int) error {
	a := d.said[number]
	if a.Comment == "" {
		return d.forget(number)
	}
	if a.Merged == "" {
		p, err := d.Forge.Find(ctx, number)
		switch {
		case err != nil:
			return err
		case !p.Closed && p.Branch == branch: // opened again since it was listed
			return nil
		case p.Merged == "" || p.Branch != branch:
			return d.forget(number)
		}
		given, err := d.take(ctx, p)
		if err != nil {
			return err
		}
		if a = d.said[number]; given > 0 {
			d.Wake()
		}
	}
	return d.tell(ctx, number, a)
}

// take hands on what people agreed to of a pull request that is merged, as it counts now, and returns how many did.
func (d *Desk) take(ctx context.Context, p forge.Pull) (given int, err error) {
	c, err := d.consented(p.Number)
	if err != nil {
		return 0, err
	}
	talk, err := d.hear(ctx, p, d.said[p.Number], &c)
	if err != nil {
		return 0, err
	}
	all, err := d.judge(ctx, p, c, talk)
	if err != nil {
		return 0, err
	}
	if c.planned().Head != p.Head { // nobody was shown what this has
		for i := range all {
			all[i].why = "it was pushed to, and merged at once"
		}
		d.Log.Info("a pull request was merged before its last commit was planned: nothing of it is approved",
			"pull", p.Number, "head", p.Head)
	}
	c.Ours = c.Ours || c.Sent || d.Rules.sent(p)
	if given, err = d.handOn(ctx, p, all, c.planned(), c.Ours); err != nil {
		return 0, err
	}
	c.counted(all)
	if err := d.put(consentsOf(p.Number), c); err != nil {
		return 0, err
	}
	a := d.said[p.Number]
	a.Merged, a.Since = p.Merged, d.Now().UTC()
	return given, d.keep(p.Number, a)
}

// counted notes which yeses counted at the merge.
func (c *consents) counted(all []judged) {
	for i := range c.Yes {
		y := &c.Yes[i]
		for _, j := range all {
			if j.ID == y.ID && j.why == "" {
				y.Asks, y.Given = j.Asks, true
			}
		}
	}
}

// handOn has the account know who wrote what of a pull request, and what people agreed to, and returns how many did.
func (d *Desk) handOn(ctx context.Context, p forge.Pull, all []judged, a Asked, ours bool) (given int, err error) {
	if d.Wrote != nil {
		var wrote *eyes.Wrote
		if ours || byUs(p) {
			wrote, err = sentBy(d.Kept, p, a)
		} else {
			wrote, err = d.Rules.wrote(ctx, d.Forge, p, a)
		}
		var limit *forge.LimitError
		switch {
		case errors.As(err, &limit), ctx.Err() != nil:
			return 0, err
		case err != nil: // as if nobody knew: that wants more approvals, and not fewer
			d.Log.Info("nobody says who wrote a pull request", "pull", p.Number, "error", err)
		case wrote != nil:
			wrote.Time = d.Now().UTC()
			if err := d.Wrote(*wrote); err != nil {
				return 0, err
			}
		}
	}
	for _, approval := range d.Rules.approvals(p, all, d.Now()) {
		if err := d.Approve(approval); err != nil {
			return given, err
		}
		given++
		d.Log.Info("something was approved", "pull", p.Number, "allow", approval.Allow, "by", approval.By)
	}
	return given, nil
}

// tell says what became of a pull request that is merged.
func (d *Desk) tell(ctx context.Context, number int, a answered) error {
	c, err := d.consented(number)
	if err != nil {
		return err
	}
	m := Merge{Commit: a.Merged, Addresses: c.planned().Addresses}
	for _, y := range c.Yes {
		if !y.Given {
			continue
		}
		m.Links = append(m.Links, y.Link)
		for _, ask := range y.Asks {
			for _, part := range ask.Parts {
				m.Agreed, m.Parts = append(m.Agreed, part.Address), append(m.Parts, part)
			}
		}
	}
	text, done, err := d.Result(ctx, m)
	if errors.Is(err, errLater) {
		if d.Now().Sub(a.Since) > mostFollowed {
			return d.forget(number)
		}
		return nil
	}
	if err != nil {
		return err
	}
	after, err := d.say(ctx, number, a, text)
	if err == nil && after != a {
		err = d.keep(number, after)
	}
	if err == nil && (done || d.Now().Sub(a.Since) > mostFollowed) {
		err = d.forget(number)
	}
	return err
}
