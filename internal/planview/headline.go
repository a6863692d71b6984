package planview

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/plan"
)

// sum is an amount of the headline.
type sum struct {
	label string
	text  string // before → after
	moves int    // -1, 0 or 1
}

// dayLabel names the first amount of the headline.
const dayLabel = "Possible spend a day"

// moversShown is how many campaigns the headline names.
const moversShown = 3

// currency is the account's; a document may know it in two places.
func (d *Document) currency() string {
	if d.Account.Currency != "" {
		return brief(d.Account.Currency)
	}
	return brief(d.Possible().Currency)
}

// headline is what a plan does to spend, and how much goes ahead and waits.
func (p *page) headline(d *Document) {
	currency := d.currency()
	m := d.Possible()
	if m.Currency == "" && d.Spend != nil { // a document without money has the sums of its changes
		m = plan.Money{
			Totals: plan.Totals{
				Day: plan.Moved{Before: d.Spend.DailyBefore, After: d.Spend.DailyAfter}, Lifetime: plan.Moved{
					Before: d.Spend.LifetimeBefore, After: d.Spend.LifetimeAfter,
				},
			},
		}
	}
	if d.Service != nil {
		p.service = d.Service.Words()
	}
	if d.Error != "" { // nothing was planned, and so nothing is known of spend
		p.money = append(p.money, sum{label: dayLabel, text: "not known"})
		p.counts(d)
		return
	}
	p.money = append(p.money, newSum(dayLabel, m.Day, currency))
	if m.MonthEnds != "" {
		p.money = append(p.money, newSum("At most to "+brief(m.MonthEnds), m.Month, currency))
	}
	if m.Lifetime != (plan.Moved{}) {
		p.money = append(p.money, newSum("Lifetime budgets left", m.Lifetime, currency))
	}
	for _, b := range m.Bounds {
		if b.Binds || !unmoved(b.Before, b.After) {
			p.bounds = append(p.bounds, boundOf(b, currency))
		}
	}
	p.caveats(&m, currency)
	p.starts(d)
	for _, c := range m.Campaigns {
		if c.Day.Before == c.Day.After {
			continue
		}
		if len(p.movers) == moversShown {
			p.others++
			continue
		}
		p.movers = append(p.movers, sum{diag.Printable(c.Address), signed(c.Day.After - c.Day.Before), compared(c.Day)})
	}
	p.counts(d)
}

func unmoved(before, after *int64) bool {
	return before == nil && after == nil || before != nil && after != nil && *before == *after
}

// boundOf is a limit of the account, which may be new, or go.
func boundOf(b plan.SpendBound, currency string) sum {
	label := "Account limit a " + brief(b.Per)
	if b.First != "" {
		label += " from " + brief(b.First)
	}
	if b.Last != "" {
		label += " to " + brief(b.Last)
	}
	label += named(b.Address)
	switch {
	case b.Before != nil && b.After != nil:
		return newSum(label, plan.Moved{Before: *b.Before, After: *b.After}, currency)
	case b.After != nil:
		return sum{label, strings.TrimSpace("none → "+Amount(*b.After)+" "+currency) + " (new)", -1}
	case b.Before != nil:
		return sum{label, strings.TrimSpace(Amount(*b.Before)+" "+currency) + " → none", 1}
	}
	return sum{label: label}
}

// caveats are what somebody should know who trusts the sums: what a yes to
// everything would cost, and what could not be read.
func (p *page) caveats(m *plan.Money, currency string) {
	if all := m.IfAllowed; all != nil && (all.Day.After != m.Day.After || all.Month.After != m.Month.After) {
		said := p.says.IfAllowed + strings.TrimSpace(Amount(all.Day.After)+" "+currency) +
			" a day (" + signed(all.Day.After-m.Day.Before) + ")"
		if m.MonthEnds != "" {
			said += ", at most " + Amount(all.Month.After) +
				" to " + brief(m.MonthEnds) + " (" + signed(all.Month.After-m.Month.Before) + ")"
		}
		p.caveat = append(p.caveat, said+".")
	}
	if m.SpentUnknown {
		p.caveat = append(p.caveat, "What lifetime budgets have spent could not be read: they are counted whole.")
	}
}

// briefLength is how many characters a word of the headline has at most.
const briefLength = 20

// brief is a word of the headline.
func brief(word string) string { return diag.Printable(fmt.Sprintf("%.*s", briefLength, word)) }

func named(address string) string {
	if address == "" {
		return ""
	}
	return " (" + diag.Printable(address) + ")"
}

func newSum(label string, m plan.Moved, currency string) sum {
	text := Amount(m.Before)
	if m.Before != m.After {
		text += " → " + Amount(m.After)
	}
	if currency != "" {
		text += " " + currency
	}
	switch {
	case m.Before != m.After:
		text += " (" + signed(m.After-m.Before) + ratio(m.Before, m.After) + ")"
	default:
		text += " (no change)"
	}
	return sum{label, text, compared(m)}
}

func compared(m plan.Moved) int {
	switch {
	case m.After > m.Before:
		return 1
	case m.After < m.Before:
		return -1
	}
	return 0
}

// counts says how many changes go ahead, wait and stay as they are.
func (p *page) counts(d *Document) {
	s, says := d.Summary, p.says
	ahead := counted([]count{
		{says.counts[0], s.Create}, {says.counts[1], s.Update},
		{says.counts[2], s.Replace}, {says.counts[3], s.Archive},
		{says.counts[4], s.Adopt}, {says.counts[5], s.Forget}, {says.counts[6], s.Record},
	})
	held := ""
	if s.Held > 0 {
		held = Thousands(s.Held) + " " + says.waits
		p.held = heldFor(d)
	}
	others := counted([]count{{says.stay[0], s.InSync},
		{says.stay[1], s.AsSent}, {says.stay[2], s.Kept}, {says.stay[3], s.Unmanaged}})
	said := strings.Join(slices.DeleteFunc([]string{held, others}, func(part string) bool { return part == "" }), "; ")
	switch {
	case d.Error != "":
		p.failed = diag.Printable(d.Error)
		p.plan = "No plan: " + p.failed + "."
	case ahead != "" && s.Create+s.Update+s.Replace+s.Archive+s.Adopt == 0: // adsync's own record alone
		p.plan = "Nothing to change: " + strings.TrimSuffix(ahead+"; "+said, "; ") + "."
	case ahead != "" && said != "":
		p.plan = "Plan: " + ahead + "; " + said + "."
	case ahead != "":
		p.plan = "Plan: " + ahead + "."
	case said != "":
		p.plan = "Nothing to change: " + said + "."
	default:
		p.plan = "Nothing here, and nothing to change."
	}
}

type count struct {
	what string
	n    int
}

func counted(counts []count) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, Thousands(c.n)+" "+c.what)
		}
	}
	return strings.Join(parts, ", ")
}

// heldFor names the hazards that hold, each with how many changes it holds.
func heldFor(d *Document) string {
	var names []string
	for name, n := range HeldBy(d) {
		names = append(names, fmt.Sprintf("%s %s", name, Thousands(n)))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// allHolds are those of a change and of its fields.
func allHolds(c *plan.ChangeDocument) []hold {
	holds := holdsOf(c.Held)
	for i := range c.Fields {
		holds = append(holds, holdsOf(c.Fields[i].Held)...)
	}
	return holds
}

// spendOf is what a change does to possible spend, "" where it does nothing.
func spendOf(c *plan.ChangeDocument, currency string) string {
	var parts []string
	for _, of := range []struct {
		by   int64
		what string
	}{{c.Spend.DailyAfter - c.Spend.DailyBefore, "a day"},
		{c.Spend.LifetimeAfter - c.Spend.LifetimeBefore, "over its lifetime"}} {
		if of.by != 0 {
			parts = append(parts, strings.Join(strings.Fields(signed(of.by)+" "+currency+" "+of.what), " "))
		}
	}
	return strings.Join(parts, ", ")
}
