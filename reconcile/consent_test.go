package reconcile_test

import (
	"flag"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/state"

	"pgregory.net/rapid"
)

var consentOrders = flag.Int("consent-orders", 12, "how many orders of approvals, edits, kills and expiries are drawn")

// approvalLasts is how long an approval is good for here.
const approvalLasts = 24 * time.Hour

// given is an approval as a daemon keeps it.
type given struct {
	asks    []plan.Ask
	lineage string
	serial  int64
	at      time.Time
	by      string
}

// shop is an account two people look after: what they approved, what the page shows
// them, and who judges what comes of it.
type shop struct {
	*world
	numbers []int // of the step, which decide what it does
	story   []string
	given   []given
	shown   *apply.View
	judge   *judge
	wanted  map[string][2]string // by key: budget in units and status; what the files say
}

// failure is what went wrong in an order.
type failure string

func (s *shop) fail(format string, args ...any) {
	panic(failure(strings.Join(s.story, "\n") + "\n" + fmt.Sprintf(format, args...)))
}

// pick takes one of some by the next number of the step, and notes it.
func pick[T any](s *shop, of ...T) T {
	n := s.numbers[0]
	s.numbers = append(s.numbers[1:], n)
	one := of[n%len(of)]
	if a, is := any(one).(plan.Ask); is {
		s.story = append(s.story, "  "+a.Allow)
	} else {
		s.story = append(s.story, fmt.Sprint(one))
	}
	return one
}

// Whatever two people approve in whatever order, between edits, kills, hours that pass
// and somebody else's changes: nothing goes that nobody agreed to as it went, what was
// agreed to and is as it was is not held, and in the end nothing waits.
func TestEveryOrderOfApprovals(t *testing.T) {
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	defer func() { _ = checks.Set(before) }()
	orders := *consentOrders
	if testing.Short() {
		orders *= 5 // rapid draws a fifth then: too few to meet what is counted below
	}
	if err := checks.Set(strconv.Itoa(orders)); err != nil {
		t.Fatal(err)
	}
	var counted verdicts
	rapid.Check(t, func(rt *rapid.T) {
		script := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 999), 4, 4), 6, 14).Draw(rt, "steps")
		var wrong string
		t.Run("order", func(t *testing.T) { // whose emulator ends with it
			defer func() {
				if failed, is := recover().(failure); is {
					wrong = string(failed)
				}
			}()
			s := openShop(t, &counted)
			for _, numbers := range script {
				s.numbers = numbers
				s.step()
			}
			s.settle()
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
	t.Logf("judged: %+v", counted)
	if counted.agreed == 0 || counted.waited == 0 || counted.died == 0 || counted.spent == 0 || counted.expired == 0 {
		t.Errorf("%+v was judged; want of everything some", counted)
	}
	if *consentOrders >= 200 && counted.rest == 0 {
		t.Errorf("%+v was judged; want some that were the rest of a plan", counted)
	}
}

func openShop(t *testing.T, counted *verdicts) *shop {
	s := &shop{world: newWorld(t), wanted: map[string][2]string{}}
	s.also = func(d *reconcile.Desired) {
		d.Policy = plan.DefaultPolicy()
		d.Asks, d.Consents = true, s.consents()
	}
	s.judge = newJudge(s, counted)
	for _, key := range []string{"a", "b", "c"} {
		s.want(key, "100", "active")
	}
	s.want("d", "100", "paused")
	if _, err := s.agent.Apply(t.Context(), s.plan()); err != nil {
		t.Fatal(err)
	}
	s.shown = s.plan()
	if n := len(s.shown.Plan.Changes); n != 0 {
		t.Fatalf("%d changes are left at the start: %s", n, describe(s.shown.Plan))
	}
	s.judge.saw()
	return s
}

// want writes a campaign into the files.
func (s *shop) want(key, budget, status string) {
	s.wanted[key] = [2]string{budget, status}
	micros, _ := resource.ParseMoney(budget, "")
	s.write("campaign/"+key, map[string]any{
		"name": "Campaign " + key, "status": status,
		"bidding_type": "clicks", "budget.lifetime": int(micros), "targeting.countries": []string{"CA", "US"},
	})
}

// consents are what is left of the approvals that have not expired.
func (s *shop) consents() (all []reconcile.Consent) {
	for i, g := range s.given {
		if s.now().Sub(g.at) > approvalLasts {
			continue
		}
		for _, a := range g.asks {
			all = append(all, reconcile.Consent{
				Consent: plan.Consent{ID: fmt.Sprint(i), By: g.by, Hazard: a.Hazard, Parts: a.Parts},
				Lineage: g.lineage, Serial: g.serial,
			})
		}
	}
	return all
}

func (s *shop) step() {
	switch pick(s, "edit", "edit", "edit", "approve", "approve both",
		"approve both", "run", "run", "run", "killed", "killed", "other", "wait", "again", "late", "swap") {
	case "edit":
		keys := []string{"a", "a", "a", "b", "c", "d", "new"}
		s.want(pick(s, keys...), pick(s, "100", "180", "100", "180", "140", "230", "700"),
			pick(s, "active", "active", "paused"))
	case "approve":
		s.approve(false)
	case "approve both":
		s.approve(true)
	case "run":
		s.run()
	case "killed":
		s.killed(1 + pick(s, 0, 2, 4, 6, 8, 10, 12, 14, 17, 20, 24, 28, 33, 39))
	case "other":
		s.other()
	case "wait":
		hours := pick(s, 1, 9, 14, 25)
		if err := s.sleep(s.t.Context(), time.Duration(hours)*time.Hour); err != nil {
			s.fail("%v", err)
		}
	case "again":
		s.again(pick(s, "a", "b", "c"))
	case "late":
		s.late(pick(s, "a", "b", "c"))
	case "swap":
		s.swap(pick(s, "a", "b", "c"))
	}
}

// again raises a budget with a yes, takes it back, and raises it once more: that needs
// another yes.
func (s *shop) again(key string) {
	s.want(key, "100", "active")
	s.run()
	s.want(key, "180", "active")
	s.run()
	s.approve(true)
	s.run()
	s.want(key, "100", "active")
	s.run()
	s.want(key, "180", "active")
	s.run()
}

// late raises a budget more than a day after somebody said yes to it.
func (s *shop) late(key string) {
	s.want(key, "230", "active")
	s.run()
	s.approve(true)
	if err := s.sleep(s.t.Context(), approvalLasts+time.Hour); err != nil {
		s.fail("%v", err)
	}
	s.run()
}

// swap pauses one campaign and starts another, in a run that dies.
func (s *shop) swap(key string) {
	s.want(key, s.wanted[key][0], "paused")
	s.want("d", "100", "active")
	s.killed(1 + pick(s, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20))
}

// approve ticks what the page shows: one thing, or all there is. What the page shows
// may be older than what is there now, as for people.
func (s *shop) approve(all bool) {
	asks := s.shown.Plan.FindAsks()
	if len(asks) == 0 {
		return
	}
	if !all {
		asks = []plan.Ask{pick(s, asks...)}
	}
	by := pick(s, "Ann", "Bob")
	for _, a := range asks {
		s.judge.hears(a.Allow, by)
	}
	s.given = append(s.given, given{asks, s.shown.State.Lineage, s.shown.State.Serial, s.now(), by})
}

// run is a run of the daemon, and the plan it makes right after one that left
// something.
func (s *shop) run() {
	s.t.Helper()
	s.recovered()
	s.look()
	s.judge.begins()
	report, err := s.agent.Apply(s.t.Context(), s.shown)
	if err != nil {
		s.fail("apply: %v", err)
	}
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeApplied && o.Outcome != apply.OutcomeHeld {
			s.fail("%s %s: %s %s", o.Action, o.Address, o.Outcome, o.Message)
		}
	}
	s.judge.saw()
	s.look()
}

// killed is a run that dies at an effect, if it has so many. The page goes on to show
// what it showed.
func (s *shop) killed(at int) {
	s.t.Helper()
	s.judge.begins()
	s.judge.starts()
	c := &crash{at: at}
	s.dies(c, func(w *world) error {
		recovered, err := w.agent.Recover(w.ctx)
		if err != nil || len(recovered.Undecided) > 0 {
			return err
		}
		view, err := w.agent.Plan(w.ctx, w.asks())
		if err == nil {
			_, err = w.agent.Apply(w.ctx, view)
		}
		return err
	})
	if c.dead {
		s.judge.tally.died++
	}
	s.judge.saw()
	if pick(s, true, false) { // than a key is trusted
		if err := s.sleep(s.t.Context(), env.TrustWindow+time.Minute); err != nil {
			s.fail("%v", err)
		}
	}
}

func (s *shop) recovered() {
	s.t.Helper()
	s.judge.begins()
	s.restarted()
	s.judge.saw()
}

// look makes a plan, shows it, and holds it against what was agreed to.
func (s *shop) look() {
	s.t.Helper()
	s.shown = s.plan()
	s.judge.reads()
}

// other is somebody who changes a budget at the service.
func (s *shop) other() {
	key := pick(s, "a", "b", "c")
	s.recovered()
	budget := pick(s, 80, 120, 150)
	id := s.last("campaign/" + key).ID
	s.service.Must(s.t, http.MethodPost, "/campaigns/"+id, map[string]any{
		"budget": map[string]any{"lifetime_spend_limit_micros": budget * 1_000_000},
	})
	s.judge.otherwise("campaign/" + key)
}

// settle approves whatever is shown until nothing is left to do.
func (s *shop) settle() {
	s.t.Helper()
	for range 8 {
		s.run()
		if len(s.shown.Plan.Changes) == 0 {
			return
		}
		if len(s.shown.Plan.FindAsks()) == 0 && s.shown.Plan.Empty() {
			s.fail("nothing can be agreed to, and something waits: %s", describe(s.shown.Plan))
		}
		s.approve(true)
	}
	s.fail("everything was agreed to again and again, and something waits: %s", describe(s.shown.Plan))
}
