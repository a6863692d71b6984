package recover

import (
	"context"
	"slices"

	"adsync/reconcile/env"
	"adsync/state"
)

// RecoveryRule is one row of the table of recovery, for people.
type RecoveryRule struct {
	Name  string
	Found string // what the journal says of the step
	Does  string
}

// trust is whether the key of a step is still trusted to name the same request
// at the service.
type trust uint8

const (
	either  trust = iota
	trusted       // it has a key, and was sent less than the trust window ago
	gone
)

// rule is a row as it is carried out. The first that fits a step decides.
type rule struct {
	RecoveryRule
	points []state.Point
	routes []state.Route // none: every route
	key    trust
	job    bool // only where the service has given a job id
	act    func(*recovery, context.Context, state.Step, *Recovered) error
}

// rules is the table of recovery (design.md section 7): bytes that may have been
// sent go again, the same ones under the same key, while the key is trusted;
// later only reading back decides, and what it leaves open stays unknown.
var rules = []rule{
	{
		RecoveryRule{"never sent", "written down, and not sent",
			"nothing had an effect: it is dropped, and planned anew"},
		// the journal says sent before the first byte leaves
		[]state.Point{state.Intent}, nil, either, false, (*recovery).abandonUnsent,
	}, {
		RecoveryRule{"people", "an operation on people, sent", "the same bytes again under the same " +
			"key, once the service has had time to know it; once the key is old, the revision of the list decides"},
		[]state.Point{state.Sent, state.Unknown, state.Accepted, state.Terminal},
		[]state.Route{state.Membership}, either, false, (*recovery).recoverMembers,
	}, {
		RecoveryRule{"upload", "an upload, sent; its answer is lost",
			"it is dropped: at worst the service keeps a file nobody uses"},
		[]state.Point{state.Sent, state.Unknown}, []state.Route{state.Upload}, either, false, (*recovery).abandonUpload,
	}, {
		RecoveryRule{"job with unknown results", "a job the service has, with results that are not whole",
			"the job is asked for them; then reading back decides what it leaves open"},
		[]state.Point{state.Unknown}, []state.Route{state.Bulk}, either, true, (*recovery).askJob,
	}, {
		RecoveryRule{"job, young", "a job, sent less than 20 minutes ago; its answer is lost",
			"the same bytes again under the same " +
				"key, once the service has had " +
				"time to know it: the service answers with the job it has, or takes it now"},
		[]state.Point{state.Sent, state.Unknown}, []state.Route{state.Bulk}, trusted, false, (*recovery).resubmit,
	}, {
		RecoveryRule{"request, young", "a request with a key, sent less than 20 minutes ago; its answer is lost",
			"the same bytes again under the same key, once the service has had time to know it"},
		[]state.Point{state.Sent, state.Unknown}, []state.Route{state.Single}, trusted, false, (*recovery).resend,
	}, {
		RecoveryRule{"read back", "sent, and its key is old, or there is none", "nothing is sent: " +
			"reading back decides by id, by name beneath the parent, and by the audit log, twice where nothing " +
			"shows at first, further apart than the service may take to show it; what they leave open is unknown"},
		[]state.Point{state.Sent, state.Unknown}, nil, gone, false, (*recovery).readBackStep,
	}, {
		RecoveryRule{"job accepted", "a job the service has taken",
			"the job is followed to its end, and its results are read"},
		[]state.Point{state.Accepted}, nil, either, false, (*recovery).askJob,
	}, {
		RecoveryRule{"job ended", "a job that has ended", "its results are read"},
		[]state.Point{state.Terminal, state.ResultsRead}, nil, either, false, (*recovery).askJob,
	}, {
		RecoveryRule{"recorded", "its results are recorded", "what it changed is read back"},
		[]state.Point{state.Bound, state.Verified}, nil, either, false, (*recovery).nothingLeft,
	}, {
		RecoveryRule{"blocked", "set aside for a person", "nothing, until adsync resolve decides it"},
		[]state.Point{state.BlockedStep}, nil, either, false, (*recovery).askPerson,
	},
}

// RecoveryRules returns the table, in the order in which its rows are tried.
func RecoveryRules() []RecoveryRule {
	table := make([]RecoveryRule, len(rules))
	for i, r := range rules {
		table[i] = r.RecoveryRule
	}
	return table
}

// recoveryRule finds the row of a step. Every open point has one.
func (a *recovery) recoveryRule(step state.Step) rule {
	key := gone
	if a.trusts(step) {
		key = trusted
	}
	for _, r := range rules {
		fits := slices.Contains(r.points, step.Point) &&
			(r.key == either || r.key == key) && (!r.job || step.JobID != "")
		if fits && (len(r.routes) == 0 || slices.Contains(r.routes, step.Route)) {
			return r
		}
	}
	return rules[len(rules)-1]
}

// trusts reports whether the key of a step still names the same request at the
// service.
func (a *recovering) trusts(step state.Step) bool {
	return step.Key != "" && a.young(step)
}

// young reports whether a step was sent less than the trust window ago. A moment of sending
// that is yet to come is of another clock, or of this one before it was put back: how
// long ago that was nobody knows.
func (a *recovering) young(step state.Step) bool {
	age := a.Now().Sub(step.SentAt)
	return -env.ClockSlack <= age && age < env.TrustWindow
}
