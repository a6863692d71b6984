package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"adsync/internal/testing/oracle"
	"adsync/plan"
	"adsync/reconcile"
)

// do carries one action out.
func (w *world) do(a action) {
	w.count("action " + a.Do)
	if w.guards != nil && (a.Do == "by hand" || a.Do == "foreign") {
		w.guards.alone = false
	}
	switch a.Do {
	case "add":
		f := w.files()
		add(f, kindNames[a.What%3], a.Value, len(w.history.Commits))
		w.commit(f)
	case "add other":
		f := w.files()
		w.addOther(f, a)
		w.commit(f)
	case "edit other":
		f := w.files()
		editOther(w, f, a)
		w.commit(f)
	case "foreign other":
		w.foreignOther(a)
	case "foreign factors":
		w.foreignFactors(a)
	case "factors":
		f := w.files()
		w.setFactors(f, a)
		w.commit(f)
	case "race":
		w.race = true
	case "found", "shift", "raise", "by hand", "restore":
		w.doGuarded(a)
	case "edit":
		f := w.files()
		edit(f, a.Target, a.What, a.Value)
		w.commit(f)
	case "spoil":
		f := w.files()
		spoil(f, a.Target, a.What, w.reads)
		w.commit(f)
	case "raise beside":
		f := w.files()
		raiseBeside(f, a.Target, a.What, a.Value)
		w.commit(f)
	case "mend":
		f := w.files()
		mend(f, a.Target, false)
		w.commit(f)
	case "remove":
		f := w.files()
		remove(f, a.Target)
		w.commit(f)
	case "replace":
		f := w.files()
		replace(f, a.Target)
		w.commit(f)
	case "move":
		f := w.files()
		move(f, a.Target, a.Value)
		w.commit(f)
	case "revert":
		w.revert(a)
	case "plan":
		w.look(a.Agent)
	case "apply":
		w.apply(a, 0)
	case "late apply":
		w.apply(a, time.Duration(1+a.Target%40)*time.Minute)
	case "both":
		w.both(a)
	case "interleave":
		w.interleave(a)
	case "foreign":
		time.Sleep(2 * time.Second) // the audit log tells seconds apart, and people are no faster
		w.foreign(a)
	case "advance":
		time.Sleep(a.Wait)
	case "fault":
		w.arm(a.Fault, a.Agent)
	case "release":
		_, _ = w.service.Faults().Release("s") // nothing may be held
	case "heal":
		w.disarm()
	case "wrong key":
		w.wrongKey = true
		w.apply(action{}, 0)
		w.wrongKey = false
	}
}

// look plans and applies nothing: commands that read.
func (w *world) look(agent int) {
	p, a := w.start(agent, true, death{}, cut{})
	defer p.leave()
	_, err := a.Plan(p.ctx, w.desired(p))
	w.remark(err)
}

// apply is a run of the program: recover, plan, apply. Between plan and apply it
// may wait, as for somebody's answer.
func (w *world) apply(a action, wait time.Duration) *reconcile.Report {
	p, agent := w.start(a.Agent, false, a.Death, a.Cut)
	return w.run(p, agent, wait)
}

func (w *world) run(p *process, agent *reconcile.Agent, wait time.Duration) *reconcile.Report {
	defer p.leave()
	_, report, err := w.pass(p, agent, wait)
	w.remark(err)
	if p.dead {
		w.count("crash")
	}
	return report
}

// pass is one run, with the plan it carried out.
func (w *world) pass(p *process, agent *reconcile.Agent,
	wait time.Duration) (view *reconcile.View, report *reconcile.Report, err error) {
	recovered, err := w.recover(p, agent)
	if err != nil {
		return nil, nil, err
	}
	if len(recovered.Undecided) > 0 {
		w.count("undecided")
		w.said(fmt.Sprint(recovered.Undecided))
		if !w.turns {
			return nil, nil, errUndecided
		}
	}
	desired := w.desired(p)
	if p.reverts != nil {
		if err := w.inverse(p, agent, &desired); err != nil {
			return nil, nil, err
		}
	}
	view, err = agent.Plan(p.ctx, desired)
	if err != nil {
		return nil, nil, err
	}
	w.keepPlan(view)
	w.countGuards(view)
	w.countWaiting(view)
	time.Sleep(wait)
	p.run = w.begin(p, view)
	report, err = agent.Apply(p.ctx, view)
	w.finish(p.run, p, report, err)
	if w.turns && report != nil {
		w.endReport(p, report)
	}
	return view, report, err
}

var errUndecided = errors.New("somebody has to decide first")

func (w *world) begin(p *process, view *reconcile.View) *oracle.Apply {
	w.collect()
	w.mu.Lock()
	defer w.mu.Unlock()
	run := &oracle.Apply{
		Agent: p.agent, Process: p.number, Commit: p.commit, From: int64(len(w.history.W)),
		Open: true, Planned: len(view.Plan.Changes), Strict: w.strict, Guarded: w.guards != nil, At: time.Now(),
	}
	if p.reverts != nil {
		run.Reverts, run.Starts = p.reverted, p.reverts.starts && !w.strict
	}
	w.history.Applies = append(w.history.Applies, run)
	return run
}

func (w *world) finish(run *oracle.Apply, p *process, report *reconcile.Report, err error) {
	w.collect()
	w.mu.Lock()
	defer w.mu.Unlock()
	run.Open, run.To, run.Crashed, run.Failed = false, int64(len(w.history.W)), p.dead, err != nil
	if report == nil {
		return
	}
	run.Counted, run.Outcomes = len(report.Outcomes), map[string]string{}
	for _, o := range report.Outcomes {
		run.Outcomes[tagOf(o.Address)] = fmt.Sprintf("%s %s", o.Action, o.Outcome)
		w.output.WriteString(o.Message + "\n")
		w.tally.add("outcome "+string(o.Outcome), 1)
	}
}

func (w *world) remark(err error) {
	if err != nil {
		w.said(err.Error())
	}
	if invalid, ok := errors.AsType[*reconcile.InvalidError](err); ok {
		w.said(fmt.Sprint(invalid.Problems))
	}
}

// both runs the two agents side by side, each with its own state.
func (w *world) both(a action) {
	if w.shared != nil {
		w.shared.both(a)
		return
	}
	first, one := w.start(0, false, a.Death, cut{})
	second, two := w.start(1, false, death{}, a.Cut)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run(first, one, 0)
	}()
	w.run(second, two, 0)
	<-done
}

// desired is what the files say, and what is allowed.
func (w *world) desired(p *process) reconcile.Desired {
	f := w.history.Commits[p.commit]
	d := reconcile.Desired{Policy: w.policy, Moves: movesOf(f)}
	d.Snapshot, d.Invalid = w.read(f)
	if w.strict {
		return d
	}
	allowed := []string{"activates", "shifted", "series",
		"scale", "mass-edit", "updates=1000", "exposure=1000000/day", "raises-spend=1000000/day", "archives"}
	if w.kinds {
		allowed = append(allowed, "raises-spend", "shrinks-audience", "adopt=account/account", "archives=1000")
	}
	if w.bidsFor != nil {
		allowed = append(allowed, "raises-spend")
	}
	if w.turns {
		allowed = append(allowed, "replace")
	}
	if w.history.Forgot { // a person looks, and takes in what the account holds
		for _, tag := range slices.Sorted(maps.Keys(f)) {
			allowed = append(allowed, "adopt="+addressOf(f, tag).String(), "drift="+addressOf(f, tag).String())
		}
	}
	for _, text := range allowed {
		allowance, err := plan.ParseAllowance(text)
		if err != nil {
			panic(err)
		}
		d.Standing = append(d.Standing, allowance)
	}
	return d
}

// policyOf is the default policy with what a history says of it, and wide where
// the history is not about guards.
func policyOf(s script) plan.Policy {
	p := plan.DefaultPolicy()
	if s.Prune != "" {
		p.Prune = plan.OnPrune(s.Prune)
	}
	if s.Revert {
		p.Drift = plan.Revert
	}
	if s.Strict {
		return p
	}
	p.ExposurePercent, p.UpdatePercent, p.BidShare, p.ShrinkPercent = 1_000_000, 100, 1_000_000, 100
	wide := plan.Guard{HoldAbove: 1_000_000, RefuseFrom: 1_000_001}
	p.Budget, p.Bid = wide, wide
	return p
}

// foreign is what somebody else does: edits, pauses, archives, creates.
func (w *world) foreign(a action) {
	w.collect()
	ids := w.standing(func(kind string) bool { return most[kind] > 0 })
	if len(ids) == 0 || a.What%9 == 8 {
		w.person("/campaigns", map[string]any{
			"name": fmt.Sprintf("x%d stranger", a.Value), "status": "active",
			"bidding_type": "clicks", "budget": map[string]any{"daily_spend_limit_micros": 5_000_000},
		})
		return
	}
	id := ids[a.Target%len(ids)]
	last := w.history.Live(1 << 60)[id]
	path := map[string]string{"campaign": "/campaigns/", "ad_group": "/ad_groups/", "ad": "/ads/"}[last.Kind] + id
	tag := fmt.Sprint(last.After["name"])
	for i, r := range tag {
		if r == ' ' {
			tag = tag[:i]
			break
		}
	}
	switch a.What % 9 {
	case 0:
		w.person(path+"/pause", nil)
	case 1:
		w.person(path+"/activate", nil)
	case 2:
		w.person(path+"/archive", nil)
	case 3, 4:
		w.person(path, map[string]any{"name": tag + " by hand"})
	case 5, 6:
		if last.Kind == "campaign" {
			budget, _ := last.After["budget"].(map[string]any)
			for name := range budget {
				w.person(path, map[string]any{"budget": map[string]any{name: int64(11+a.Value%20) * 1_000_000}})
			}
			return
		}
		w.person(path, map[string]any{"name": tag + " by somebody"})
	default:
		w.person(path, map[string]any{"description": fmt.Sprintf("note %d", a.Value)})
	}
}
