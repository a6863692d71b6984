package spend

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// Potential is what can be spent, in micros: on one day, which all that is left of a
// lifetime budget could go in, and this month.
type Potential struct{ Day, Month int64 }

// Exceeds reports whether more can be spent than before and than the files ask for.
func (c Potential) Exceeds(before, desired Potential) bool {
	return c.Day > max(before.Day, desired.Day) || c.Month > max(before.Month, desired.Month)
}

// Words returns how much could be spent on an address, "" for the whole account, and how much could be before
// and by the files.
func (c Potential) Words(address string, before, desired Potential) string {
	key, accountKey, is, was, wanted := "guard.more-day", "guard.account-more-day", c.Day, before.Day, desired.Day
	if c.Day <= max(before.Day, desired.Day) {
		key, accountKey = "guard.more-month", "guard.account-more-month"
		is, was, wanted = c.Month, before.Month, desired.Month
	}
	if address == "" {
		key = accountKey
	}
	return catalogue.Fill(key, "address", address, "amount", resource.FormatMoney(is),
		"now", resource.FormatMoney(was), "files", resource.FormatMoney(wanted))
}

// Excess is by how much more can be spent than before and than the files ask for, in
// micros.
func (c Potential) Excess(before, desired Potential) int64 {
	return max(c.Day-max(before.Day, desired.Day), c.Month-max(before.Month, desired.Month), 0)
}

// Excess returns where more can be spent than before and than the files ask for, "" where
// nowhere: in all, and on each day from which other limits hold.
func (e *Exposure) Excess(before, desired *Exposure) string {
	if is, was, wanted := e.potentialOf(), before.potentialOf(), desired.potentialOf(); is.Exceeds(was, wanted) {
		return is.Words("", was, wanted)
	}
	for _, day := range turns(e, before, desired) {
		if is, was, wanted := e.on(day), before.on(day), desired.on(day); is > max(was, wanted) {
			return catalogue.Fill("guard.account-more-on", "amount", resource.FormatMoney(is), "day", day,
				"now", resource.FormatMoney(was), "files", resource.FormatMoney(wanted))
		}
	}
	return ""
}

// turns are the days, from today on, from which some limit holds, or holds no more.
func turns(all ...*Exposure) (days []string) {
	for _, e := range all {
		for _, l := range e.limits {
			days = append(days, l.First)
			if l.Last != "" {
				days = append(days, drafting.DayAfter(l.Last))
			}
		}
	}
	today := all[0].Today
	days = append(days, today)
	slices.Sort(days)
	return slices.DeleteFunc(slices.Compact(days), func(day string) bool { return today == "" || day < today })
}

// on returns what can be spent on one day, within the account's limits.
func (e *Exposure) on(day string) int64 {
	if slices.ContainsFunc(e.limits, func(l limit) bool { return l.per == pausedAccount }) {
		return 0
	}
	return min(plan.Plus(e.daily, e.lifetime), e.mostOn(day))
}

// potentialOf returns what can be spent within the account's limits.
func (e *Exposure) potentialOf() Potential {
	day, month, lifetime := e.bounded()
	if lifetime > 0 {
		day = min(plan.Plus(e.daily, lifetime), e.mostOfADay())
	}
	return Potential{day, month}
}
