// Package guard holds changes that a policy does not let pass by itself.
//
// Open guard.go first: it lists the rules, a file each, in the order in which they look.
// amount.go holds rises of one budget or bid, new.go those of new resources, exposure.go what
// the account may spend a day in all, caps.go spend limits that are taken away, archives.go
// deletes, membership.go people of audiences, wrong.go what stands beside rows not valid.
//
// A pause and a decrease pass them all (plan.Field.Lowers), but for three: protect.go, late.go
// for what has ended, and undecided.go where something older on the resource is unknown.
package guard

import (
	"adsync/plan/drafting"
	"adsync/plan/spend"
)

// rule holds what it stands against, in changes the table lets pass.
type rule interface{ guard() }

// Rules are the rules a plan is held to.
type Rules struct {
	*drafting.Draft
	credits *spend.Credits
	rules   []rule // in the order they look
}

// New registers every rule. What comes later may count what is held by then.
// A pause and a decrease pass them all: see plan.Field.Lowers. Three stop one: protect: in
// the files (protections), an end that is past (lateness), and an older operation on the
// resource of unknown outcome, to which nothing newer is sent (undecided; design.md section 5).
func New(d *drafting.Draft) *Rules {
	amounts, credits := newAmountRule(d), &spend.Credits{Draft: d}
	return &Rules{Draft: d, credits: credits, rules: []rule{
		&lateness{d},
		amounts,
		&newAmounts{amounts: amounts},
		&updates{d},
		&membership{d},
		&archives{Draft: d, caps: caps{d}},
		&protections{Draft: d},
		&frozen{d},
		&unattended{d},
		&refused{d},
		&undecided{d, credits},
		&overlaps{d}, // before what counts with limits
		&exposures{d, credits},
		&rest{d},
		&potentialSpend{d, credits},
		&rest{d},
		&mergers{d},
		&namings{d},
	}}
}

// FindCredits takes over what is still good of the credits of earlier plans.
func (d *Rules) FindCredits() { d.credits.FindCredits() }

// Hold holds what the policy's limits stop, in changes the table lets pass.
// What is counted is counted whether or not something else holds it, so that a
// tighter limit here never lets pass more there.
func (d *Rules) Hold() {
	if len(d.Plan.Changes) == 0 {
		return
	}
	for _, r := range d.rules {
		r.guard()
	}
}
