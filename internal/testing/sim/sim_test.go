package sim

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/testing/oracle"
	"adsync/reconcile"
)

var (
	histories     = flag.Int("sim.histories", 150, "how many histories are simulated")
	interleavings = flag.Int("sim.interleavings", 20, "how many interleavings of workers that share a state")
	seed          = flag.Uint64("sim.seed", 1, "the number of the first")
	share         = flag.Int("sim.kinds", 3, "one history in so many has kinds beyond the tree; 0: none")
	into          = flag.String("sim.into", "", "a file for what was counted")
	from          = flag.String("sim.from", "", "files of what was counted, with commas, to be put together")
	failures      = flag.Int("sim.failures", 3, "how many that go wrong are shown")
)

// Invariants 1 to 26 and 36: whatever dies, breaks, lies or is edited by
// others, and however the service behaves where its interface is silent.
func TestHistories(t *testing.T) {
	all, began := newTally(), time.Now()
	one := func(number uint64, s script) {
		if bad := play(t, s, all); bad != nil {
			all.add("violation", 1)
			s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
			t.Errorf("history %d: %v\n%s", number, bad, s)
		}
	}
	for n := range uint64(*histories) {
		if one(*seed+n, drawScript(*seed+n)); n%guardsShare == 0 { // beside it, so that what is drawn of a number stays
			one(*seed+n, underGuards(*seed+n))
		} else if n%guardsShare == 1 {
			one(*seed+n, withSpoiledCells(*seed+n))
		} else if n%guardsShare == 2 {
			one(*seed+n, withFactors(*seed+n))
		}
		if all.Counts["violation"] >= *failures {
			break
		}
	}
	if all.Counts["history"] >= enough/2 { // of one process of two
		if bad := all.makeUp(*seed+uint64(*histories), func(s script) error { return play(t, s, all) }); bad != nil {
			t.Error(bad)
		}
	}
	t.Logf("%d histories in %s\n%s", all.Counts["history"], time.Since(began).Round(time.Second), all)
	if *into != "" { // judged where all of them are put together
		all.save(t, *into)
		return
	}
	all.wantAll(t)
}

// Invariant 19 as well: the state is in real files, which each process finds as
// the one before left them, and damaged copies of which are opened.
func TestHistoriesOverFiles(t *testing.T) {
	all := newTally()
	for n := range uint64(max(*histories/3, 1)) {
		s := drawScript(*seed + n)
		s.Disk = true
		if bad := play(t, s, all); bad != nil {
			s, bad = shrink(s, bad, func(s script) error { return play(t, s, newTally()) })
			t.Fatalf("history %d over files: %v\n%s", *seed+n, bad, s)
		}
	}
	t.Log(all)
	for damage, most := range map[string]int{
		"a file cut short": 1, "a bit flipped": 1, "some sectors of a write": 2000,
	} {
		if what := fmt.Sprintf("state refused, damage %q", damage); all.Counts[what] == 0 && *histories >= most {
			t.Errorf("%s never happened", what)
		}
	}
}

// play runs a history in a bubble of its own and judges it after every action.
func play(t *testing.T, s script, all *tally) (bad error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w := openWorld(ctx, s, all)
		defer func() {
			cancel()
			if err := w.close(); err != nil && bad == nil {
				bad = err
			}
			synctest.Wait()
		}()
		bad = w.live(s)
		w.count("history")
		if s.Kinds {
			w.count(withOthers)
		}
		all.add("request", len(w.history.Requests))
		all.add("mutation", len(w.history.W))
		all.add("pruned", len(oracle.Pruned(&w.history)))
		if s.Spoils {
			w.count(withWrongCells)
		}
		if s.Workers > 0 {
			w.count(fmt.Sprintf("history of %d workers", s.Workers))
			counts, _ := oracle.StaleWrites(&w.history)
			for what, n := range counts {
				all.add(what, n)
			}
		}
		if s.Bids {
			w.count(withBids)
			all.add(wroteFactors, oracle.Multiplied(&w.history))
		}
		if s.Guards {
			w.count(withGuards)
			all.add("rise on the credit of an earlier plan", oracle.Credited(&w.history))
		}
		if s.Revert {
			all.add("reverted", len(oracle.Reverted(&w.history)))
		}
	})
	return bad
}

func (w *world) live(s script) (bad error) {
	defer func() {
		if p := recover(); p != nil {
			bad = fmt.Errorf("panic: %v", p)
		}
	}()
	for i, a := range s.Actions {
		w.do(a)
		w.collect()
		if err := cmp.Or(w.wrong, oracle.Judge(&w.history, oracle.Safety)); err != nil {
			return fmt.Errorf("after action %d (%s): %w", i+1, a, err)
		}
		w.history.Kept = ""
	}
	return w.heal()
}

// heal takes the faults away, lets time pass, and has everything converge.
func (w *world) heal() error {
	w.disarm()
	time.Sleep(3 * time.Hour)
	for range 20 {
		p, agent := w.start(0, false, death{}, cut{})
		view, report, err := w.pass(p, agent, 0)
		p.leave()
		w.collect()
		if bad := cmp.Or(w.wrong, oracle.Judge(&w.history, oracle.Safety)); bad != nil {
			return fmt.Errorf("after the faults: %w", bad)
		}
		w.history.Kept = ""
		waits := view != nil && len(view.Undecided) > 0
		if err == nil && view.Plan.Empty() && !waits {
			if err := w.settled(report); err != nil || !w.mended() {
				return err
			}
			return w.heal()
		}
		if err != nil {
			w.remark(err)
		}
		time.Sleep(10 * time.Minute)
		if err == errUndecided || waits {
			if err := w.decide(); err != nil {
				return fmt.Errorf("a person decides: %w", err)
			}
		}
	}
	return fmt.Errorf("invariant 25: twenty runs after the faults were gone there is still something to do\n%s",
		tail(w.output.String()))
}

// settled is invariants 25 and 26 at the end.
func (w *world) settled(report *reconcile.Report) error {
	if err := w.guards.completed(report); err != nil {
		return err
	}
	excused := map[string]string{}
	for _, o := range report.Outcomes {
		excused[tagOf(o.Address)] = o.Code + " " + o.Message
	}
	if w.strict {
		w.history.Alone = false
	}
	if err := oracle.Convergence(&w.history, excused); err != nil {
		return fmt.Errorf("invariant 25: %w", err)
	}
	if _, err := oracle.StaleWrites(&w.history); err != nil {
		return fmt.Errorf("what came late: %w", err)
	}
	before := len(w.history.W)
	p, agent := w.start(0, false, death{}, cut{})
	defer p.leave()
	if _, _, err := w.pass(p, agent, 0); err != nil {
		return fmt.Errorf("invariant 26: apply again: %w", err)
	}
	w.collect()
	if gained := len(w.history.W) - before; gained != 0 {
		return fmt.Errorf("invariant 26: a second apply wrote %d times, such as %+v", gained, w.history.W[before])
	}
	return nil
}

func tail(text string) string { return text[max(0, len(text)-2000):] }
