package send

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// whose is what the audit log says of who set a value that is live.
type whose uint8

const (
	nobodys  whose = iota // the log does not tell
	ours                  // whoever writes with adsync's key
	somebody              // another one
)

// paid is a decrease that a credit counts on and that an operation of a step carries.
type paid struct {
	at      resource.Address
	id      string
	expects resource.Attributes // what was sent of it
}

// Payers withdraws the credit of a plan where somebody else has changed what paid for it.
type Payers struct {
	*env.Env
	*live.Actors
}

// foundPaid takes from the credits what they count on of a step whose updates show by
// their values alone, unless the audit log says that adsync set them: a stranger can set
// the very amount of a request that never arrived.
func (a *Payers) foundPaid(ctx context.Context, step state.Step, outcomes []state.OperationOutcome) error {
	return a.withdraw(ctx, step, outcomes, doubt{since: step.SentAt, unlessOurs: true})
}

// AnsweredPaid takes from the credits what a job that recovery has followed found set by
// somebody else, by the audit log. One that was sent again may only then have come: there
// the log has to say that adsync set it.
func (a *Payers) AnsweredPaid(ctx context.Context,
	step state.Step, outcomes []state.OperationOutcome, again bool) error {
	return a.withdraw(ctx, step, outcomes, doubt{answered: true, since: a.Now(), unlessOurs: again})
}

// doubt is which updates of a step are doubted, and what ends the doubt.
type doubt struct {
	answered   bool      // those that were answered; else those found by their values
	unlessOurs bool      // the log has to say that adsync set them, not only that nobody else did
	since      time.Time // when they were set at the latest, as far as is known
}

func (d doubt) takes(by whose) bool { return by == somebody || d.unlessOurs && by != ours }

// withdraw takes from the credits what they count on of the updates that are doubted, by
// who the audit log says has set them.
func (a *Payers) withdraw(ctx context.Context, step state.Step, outcomes []state.OperationOutcome, d doubt) error {
	var found []state.Operation
	for i, o := range outcomes { // they stand in the order of the operations
		operation := step.Operations[i]
		if o.Outcome == state.OutcomeApplied && operation.ResourceID != "" &&
			!wire.Decided(operation) && !wire.Aside(operation.Action) && o.Answered == d.answered {
			found = append(found, operation)
		}
	}
	if len(found) == 0 {
		return nil
	}
	credits, err := a.Store.Credits(ctx, time.Time{})
	if err != nil {
		return fmt.Errorf("read what applies left for the rest of their plans: %w", err)
	}
	var all []paid
	for _, operation := range found {
		if sent := a.paidBy(credits, operation); len(sent) > 0 {
			all = append(all, paid{operation.Address, operation.ResourceID, sent})
		}
	}
	if len(all) == 0 {
		return nil
	}
	by, err := a.whoPaid(ctx, step, all, d)
	if err != nil {
		return err
	}
	lost := 0
	for i, p := range all {
		if d.takes(by[i]) {
			lost++
			lose(credits, p.at)
		}
	}
	if lost == 0 {
		return nil
	}
	return a.Store.RecordCredits(ctx, credits)
}

// paidBy returns what an operation sends of a decrease that a credit counts on.
func (a *Payers) paidBy(credits []state.Credit, operation state.Operation) (sent resource.Attributes) {
	schema := a.Schemas.Of(operation.Address.Kind)
	for i := range credits {
		want := credits[i].Desired.Get(operation.Address)
		if want == nil || !slices.ContainsFunc(credits[i].Shown, func(s state.Shown) bool {
			return s.Address == operation.Address && s.Fall > 0
		}) {
			continue
		}
		for _, n := range want.Attributes {
			attribute, known := schema.Attribute(n.Name)
			if known && attribute.OfMoney() && operation.Set.Value(n.Name).Equal(n.Value) {
				sent.Set(n.Name, n.Value)
			}
		}
	}
	return sent
}

// lose ends what credits count on at an address.
func lose(credits []state.Credit, at resource.Address) {
	for i := range credits {
		c := &credits[i]
		kept := c.Shown[:0:0]
		for _, s := range c.Shown {
			if s.Address == at && s.Fall > 0 {
				c.Lost += s.Fall
				c.Desired.Remove(at)
				continue
			}
			kept = append(kept, s)
		}
		c.Shown = kept
	}
}

// whoPaid asks the audit log who set what is live, and once more where it has to say so
// and may do it only late.
func (a *Payers) whoPaid(ctx context.Context, step state.Step, all []paid, d doubt) ([]whose, error) {
	by, err := a.setBy(ctx, step, all)
	wait := d.since.Add(a.Service.KeyLag() + env.LagMargin).Sub(a.Now())
	if err != nil || wait <= 0 || !d.unlessOurs || !slices.Contains(by, nobodys) {
		return by, err
	}
	a.Tell("the audit log does not say yet whether adsync lowered %s; reading it again in %s",
		all[slices.Index(by, nobodys)].at, wait.Round(time.Second))
	if err := a.Sleep(ctx, wait); err != nil {
		return nil, err
	}
	return a.setBy(ctx, step, all)
}

// setBy looks for the newest entry of each, since the step was sent, that names what
// was sent.
func (a *Payers) setBy(ctx context.Context, step state.Step, all []paid) ([]whose, error) {
	by, open := make([]whose, len(all)), map[string]int{}
	own, err := a.OwnActor(ctx)
	if err != nil || own == "" {
		return by, err
	}
	for i, p := range all {
		open[p.id] = i
	}
	query := url.Values{
		"order": {"desc"}, "limit": {strconv.Itoa(live.EntriesAPage)}, "start_time": {a.LogTime(step.SentAt)},
	}
	seen := 0
	for row, err := range a.Service.Rows(ctx, "audit_logs", query) {
		if err != nil {
			return make([]whose, len(all)), env.UnlessStopped(err)
		}
		var e live.LogEntry
		i, asked := 0, json.Unmarshal(row, &e) == nil
		if asked {
			i, asked = open[e.Object]
		}
		if asked && a.tells(e, &all[i]) {
			by[i] = all[i].setIn(e, own, a.Schemas)
			delete(open, e.Object)
		}
		if seen++; len(open) == 0 || seen >= live.MaxLogged+10*len(all) {
			break
		}
	}
	return by, nil
}

// tells reports whether an entry names what was sent.
func (a *Payers) tells(e live.LogEntry, p *paid) bool {
	return slices.ContainsFunc(p.expects, func(n resource.Named) bool {
		_, names := e.Changes[live.RootOf(a.Schemas, p.at, n.Name)]
		return names
	})
}

// setIn returns who set what was sent, by the newest entry that names some of it: all of it has
// to be in that entry, with the values that were sent where it shows them.
func (p *paid) setIn(e live.LogEntry, own string, schemas resource.Schemas) whose {
	if e.ActorID == "" {
		return nobodys
	}
	if e.Actor() != own {
		return somebody
	}
	for _, n := range p.expects {
		change, names := e.Changes[live.RootOf(schemas, p.at, n.Name)]
		attribute, _ := schemas.Of(p.at.Kind).Attribute(n.Name)
		if !names || live.Contradicts(change, attribute.Wire.Path, n.Value) {
			return nobodys
		}
	}
	return ours
}
