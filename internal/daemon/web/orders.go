package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/held"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/eyes"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// order is what a person or a program wants done. Those for forms and those of
// the API are the same.
type order struct {
	account string
	by      string
	from    string    // how it came, and from which address
	who     *eyes.Who // the person, where they proved who they are; nil of a program, and of the one token
}

// orderFor is what whoever sent a request wants done at an account.
func (re *replies) orderFor(r *http.Request, account, by string) order {
	how := "API"
	if callerOf(r).session != nil {
		how = "page"
	}
	return order{account, by, how + " " + re.from(r), re.proven(callerOf(r))}
}

// proven is who sent a request, where they proved who they are.
func (re *replies) proven(c *caller) *eyes.Who {
	if re.Rules == nil || c.machine || !c.known {
		return nil
	}
	p, _ := re.Rules().Named(c.name)
	return &eyes.Who{Name: c.name, Login: p.Forge}
}

// choice is what is approved of a plan: by the items of what it asks for and the kinds of them, or by its hash and the
// allowances it names.
type choice struct {
	hash                string
	kinds, items, allow []string
}

// giver passes orders on to the desk, for forms and for the API.
type giver struct {
	*replies
	looks   looks
	looking chan struct{} // a place for each file that is looked at
}

// What became of an approval, as the page says it.
const (
	approved = "approved"
	agreed   = "agreed" // it wants somebody else's, too
)

// approve lets go what a plan holds. Only what the last plan asks for is taken, as it
// was shown: an approval is no way to allow what nobody was shown.
func (g *giver) approve(ctx context.Context, o order, c choice, note string) (did string, _ *problem) {
	account, err := g.desk.Account(ctx, o.account)
	var plan *planview.Document
	if err == nil {
		plan, err = g.desk.Plan(ctx, o.account)
	}
	switch {
	case err != nil:
		p := g.problemOf(err)
		return "", &p
	case account.PlanOnly:
		return "", &problem{http.StatusConflict, "plan_only",
			catalogue.Say("problem.plan-only", "command", "adsync apply")}
	case plan == nil || plan.PlanHash == "" || len(c.kinds)+len(c.items) == 0 && plan.PlanHash != c.hash:
		p := g.problemOf(daemon.ErrOtherPlan)
		return "", &p
	case len(c.kinds)+len(c.items)+len(c.allow) == 0:
		return "", &problem{http.StatusBadRequest, "nothing_allowed",
			catalogue.Say("problem.nothing-chosen")}
	}
	asks, p := g.chosen(plan, c)
	if p == nil {
		did, p = mayApprove(plan, asks, o)
	}
	if p != nil {
		return "", p
	}
	a := daemon.Approval{
		PlanHash: plan.PlanHash, Asks: asks, By: o.by, From: o.from, Who: o.who,
		Note: shown.Reason(note), Time: g.Now().UTC(),
	}
	for _, one := range asks {
		a.Allow = append(a.Allow, one.Allow)
	}
	if at := plan.Approvals; at != nil {
		a.Lineage, a.Serial = at.Lineage, at.Serial
	}
	if err := g.desk.Approve(ctx, o.account, a); err != nil {
		p := g.problemOf(err)
		return "", &p
	}
	return did, nil
}

// mayApprove refuses who wrote something of what is chosen, and who is not known to be somebody, where the policy wants
// that. The run that applies it decides once more.
func mayApprove(p *planview.Document, asks []planview.Ask, o order) (did string, _ *problem) {
	own, did := 0, approved
	for i := range asks {
		switch wants := p.Eyes[asks[i].Item]; {
		case wants == nil:
		case o.who == nil:
			return "", &problem{http.StatusForbidden, "no_person",
				catalogue.Say("problem.no-person", "setting", "policy.approvals", "who", o.by)}
		case wants.Refuses(*o.who):
			own++
		case !wants.Enough(*o.who):
			did = agreed
		}
	}
	if own > 0 {
		return "", &problem{http.StatusForbidden, "author", catalogue.Say("problem.author",
			"who", o.by, "own", own, "n", len(asks), "setting", "policy.approvals")}
	}
	return did, nil
}

// chosen are the asks of the plan that are chosen, in its order.
func (g *giver) chosen(p *planview.Document, c choice) ([]planview.Ask, *problem) {
	other := g.problemOf(daemon.ErrOtherPlan)
	of, there := held.Resolve(g.Schemas, p, c.kinds)
	if !there {
		return nil, &other
	}
	byItem, byAllow := map[string]bool{}, map[string]string{}
	for i := range p.Asks {
		byItem[p.Asks[i].Item], byAllow[p.Asks[i].Allow] = true, p.Asks[i].Item
	}
	picked := map[string]bool{}
	for _, item := range slices.Concat(of, c.items) {
		if !byItem[item] {
			return nil, &other
		}
		picked[item] = true
	}
	for _, allow := range c.allow {
		switch item := byAllow[allow]; {
		case item == "":
			return nil, &problem{http.StatusBadRequest,
				"not_offered", catalogue.Say("problem.not-offered", "allowance", strconv.Quote(shown.Reason(allow)))}
		case p.PlanHash != c.hash:
			return nil, &other
		default:
			picked[item] = true
		}
	}
	var asks []planview.Ask
	for _, a := range p.Asks {
		if picked[a.Item] {
			asks = append(asks, a)
		}
	}
	return asks, nil
}

// accept goes on with a commit although history was rewritten. It is that commit by
// its full hash, and no other that the branch may stand at by now.
func (g *giver) accept(ctx context.Context, o order, commit, note string) *problem {
	a := daemon.Acceptance{Commit: commit, By: o.by, From: o.from, Note: shown.Reason(note), Time: g.Now().UTC()}
	if err := g.desk.Accept(ctx, o.account, a); err != nil {
		p := g.problemOf(err)
		return &p
	}
	return nil
}

// suspend stops an account; a time of 0 is until somebody resumes it.
func (g *giver) suspend(ctx context.Context, o order, reason string, lasts time.Duration) *problem {
	now := g.Now().UTC()
	order := daemon.Suspension{By: o.by, From: o.from, Reason: shown.Reason(reason), Since: now}
	switch {
	case order.Reason == "":
		return &problem{http.StatusBadRequest, "no_reason",
			catalogue.Say("problem.suspend-reason")}
	case lasts < 0:
		return &problem{http.StatusBadRequest, "bad_request",
			catalogue.Say("problem.suspend-time", "time", lasts)}
	case lasts > 0:
		order.Until = now.Add(lasts)
	}
	if err := g.desk.Order(ctx, o.account, daemon.Suspending(order)); err != nil {
		p := g.problemOf(err)
		return &p
	}
	g.Log.Info("an account was suspended", "account", o.account, "by", o.by)
	return nil
}

func (g *giver) resume(ctx context.Context, o order, reason string) *problem {
	if err := g.desk.Order(ctx, o.account, daemon.Resuming(o.by, o.from, shown.Reason(reason))); err != nil {
		p := g.problemOf(err)
		return &p
	}
	g.Log.Info("the suspension was ended", "account", o.account, "by", o.by)
	return nil
}

func (g *giver) wake(ctx context.Context, o order, reason string) *problem {
	ask := orders.Ask{By: o.by, From: o.from, Note: shown.Reason(reason), Since: g.Now().UTC()}
	if err := g.desk.Wake(ctx, o.account, daemon.Asked, ask); err != nil {
		p := g.problemOf(err)
		return &p
	}
	return nil
}
