package spend

import (
	"cmp"
	"slices"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// book is the limits of an account at one moment of its local day. It is used
// inside View or Update.
type book struct {
	account *world.Account
	profile world.Profile
	config  world.SpendConfig
	now     time.Time
	zone    *time.Location
	today   world.Date
	windows []world.SpendLimit // by start
	daily   []world.SpendLimit // by start, past ones included
}

func open(a *world.Account, now time.Time) book {
	p := a.Profile()
	b := book{account: a, profile: p, now: now, zone: p.Zone()}
	b.today = world.DateOf(now, b.zone)
	b.config, _ = a.SpendConfigs.Get(p.ID)
	b.config.AccountID = p.ID
	for _, l := range a.SpendLimits.All() {
		if l.Daily {
			b.daily = append(b.daily, l)
			continue
		}
		b.windows = append(b.windows, l)
	}
	byStart := func(x, y world.SpendLimit) int { return cmp.Compare(x.Start, y.Start) }
	slices.SortStableFunc(b.windows, byStart)
	slices.SortStableFunc(b.daily, byStart)
	return b
}

// The statuses of a limit.
const (
	upcoming  = "upcoming"
	active    = "active"
	completed = "completed"
)

func (b book) status(l world.SpendLimit) string {
	switch {
	case l.Ended(b.today):
		return completed
	case l.In(b.today):
		return active
	}
	return upcoming
}

// rules are the daily rules that are active or upcoming.
func (b book) rules() []world.SpendLimit {
	return slices.DeleteFunc(slices.Clone(b.daily), func(l world.SpendLimit) bool { return l.Ended(b.today) })
}

// spent is what counts against a limit that is active: the days of a window so
// far, today for a daily rule (rule 7).
func (b book) spent(l world.SpendLimit) int64 {
	since := b.today
	if !l.Daily {
		since = l.Start
	}
	return b.account.Spent(string(since), string(b.today.Add(1)))
}

// free is the first day from a day on that no limit covers; false when one
// without an end covers all the rest.
func free(limits []world.SpendLimit, from world.Date) (world.Date, bool) {
	for _, l := range limits {
		switch {
		case !l.In(from):
		case l.End == nil:
			return "", false
		default:
			from = *l.End
		}
	}
	return from, true
}

// overlap is the limit that shares a day with l, other than itself.
func overlap(limits []world.SpendLimit, l world.SpendLimit) (world.SpendLimit, bool) {
	for _, other := range limits {
		if other.ID != l.ID && !l.Ended(other.Start) && !other.Ended(l.Start) {
			return other, true
		}
	}
	return world.SpendLimit{}, false
}

// put saves a limit, logs it, and raises the revision (rule 8). before is nil
// for a create. A limit that is as it was is left alone.
func (b book) put(tx *world.Tx, before *world.SpendLimit, l world.SpendLimit) {
	if before != nil && same(*before, l) {
		return
	}
	action, prior := "update", any(before)
	if before == nil {
		action, prior = "create", nil
	}
	tx.Account.SpendLimits.Put(tx, l)
	tx.Record(world.Mutation{Action: action, Resource: l.Resource(), ResourceID: l.ID}, prior, l)
	b.revise(tx, l, false)
}

func same(x, y world.SpendLimit) bool {
	return x.Start == y.Start && x.Amount == y.Amount &&
		equal(x.End, y.End) && equal(x.Name, y.Name) && equal(x.IOID, y.IOID)
}

func equal[T comparable](x, y *T) bool {
	return x == y || (x != nil && y != nil && *x == *y)
}

// remove takes a limit away from now on; what it allowed before stays in the log.
func (b book) remove(tx *world.Tx, l world.SpendLimit) {
	tx.Account.SpendLimits.Delete(tx, l.ID)
	tx.Record(world.Mutation{Action: "delete", Resource: l.Resource(), ResourceID: l.ID}, l, nil)
	b.revise(tx, l, true)
}

func (b book) revise(tx *world.Tx, l world.SpendLimit, removed bool) {
	if l.Daily {
		b.config.DailyRemoved = removed
	}
	if l.Daily || tx.Account.Points().Is(openpoint.SpendRevisionScope, "all") {
		b.config.Revision++
	}
	tx.Account.SpendConfigs.Put(tx, b.config)
}

// semantic is a 422: the body is well formed, the limits cannot be so.
func semantic(code, param, format string, args ...any) error {
	return wire.Refusef(422, code, param, format, args...)
}
