package planview

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// sum is an amount of the headline.
type sum struct {
	label string
	text  string // before → after
	moves int    // -1, 0 or 1
}

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
	dayLabel := catalogue.Fill("sums.day")
	if d.Error != "" { // nothing was planned, and so nothing is known of spend
		p.money = append(p.money, sum{label: dayLabel, text: catalogue.Fill("sums.unknown")})
		p.counts(d)
		return
	}
	p.money = append(p.money, newSum(dayLabel, m.Day, currency))
	if m.MonthEnds != "" {
		p.money = append(p.money, newSum(catalogue.Fill("sums.month", "day", brief(m.MonthEnds)), m.Month, currency))
	}
	if m.Lifetime != (plan.Moved{}) {
		p.money = append(p.money, newSum(catalogue.Fill("sums.lifetime"), m.Lifetime, currency))
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
	label := ""
	switch b.Per {
	case "day":
		label = catalogue.Fill("bound.day")
	case "range":
		label = catalogue.Fill("bound.range")
	default:
		label = catalogue.Fill("bound.other", "per", brief(b.Per))
	}
	if b.First != "" {
		label = catalogue.Fill("bound.from", "limit", label, "day", brief(b.First))
	}
	if b.Last != "" {
		label = catalogue.Fill("bound.to", "limit", label, "day", brief(b.Last))
	}
	label += named(b.Address)
	switch {
	case b.Before != nil && b.After != nil:
		return newSum(label, plan.Moved{Before: *b.Before, After: *b.After}, currency)
	case b.After != nil:
		return sum{label, catalogue.Fill("bound.new", "amount", inCurrency(*b.After, currency)), -1}
	case b.Before != nil:
		return sum{label, catalogue.Fill("bound.gone", "amount", inCurrency(*b.Before, currency)), 1}
	}
	return sum{label: label}
}

// caveats are what somebody should know who trusts the sums: what a yes to
// everything would cost, and what could not be read.
func (p *page) caveats(m *plan.Money, currency string) {
	if all := m.IfAllowed; all != nil && (all.Day.After != m.Day.After || all.Month.After != m.Month.After) {
		would := []string{catalogue.Fill("sums.would-day", "amount", inCurrency(all.Day.After, currency),
			"change", signed(all.Day.After-m.Day.Before))}
		if m.MonthEnds != "" {
			would = append(would, catalogue.Fill("sums.would-month", "amount", Amount(all.Month.After),
				"day", brief(m.MonthEnds), "change", signed(all.Month.After-m.Month.Before)))
		}
		p.caveat = append(p.caveat, p.says.ifAllowed(words.Commas(would)))
	}
	if m.SpentUnknown {
		p.caveat = append(p.caveat, catalogue.Fill("sums.spent-unread"))
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
	after := inCurrency(m.After, currency)
	if m.Before == m.After {
		return sum{label, catalogue.Fill("sums.same", "amount", after), 0}
	}
	moves := signed(m.After-m.Before) + ratio(m.Before, m.After)
	return sum{label, Amount(m.Before) + " → " + after + " (" + moves + ")", compared(m)}
}

func inCurrency(micros int64, currency string) string {
	return strings.TrimSpace(Amount(micros) + " " + currency)
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
	s := d.Summary
	ahead := p.counted([]count{
		{"create", s.Create}, {"update", s.Update}, {"replace", s.Replace}, {"archive", s.Archive},
		{"adopt", s.Adopt}, {"forget", s.Forget}, {"record", s.Record},
	})
	if s.Held > 0 {
		p.held = heldFor(d)
	}
	others := p.counted([]count{
		{"in-sync", s.InSync}, {"as-sent", s.AsSent}, {"kept", s.Kept}, {"unmanaged", s.Unmanaged},
	})
	all := Semicolons(present(ahead, p.counted([]count{{"held", s.Held}}), others))
	switch {
	case d.Error != "":
		p.failed = diag.Printable(d.Error)
		p.plan = catalogue.Fill("plan.says-failed", "why", p.failed)
	case all == "":
		p.plan = catalogue.Fill("plan.says-empty")
	case s.Create+s.Update+s.Replace+s.Archive+s.Adopt == 0: // adsync's own record alone, at most
		p.plan = catalogue.Fill("plan.says-nothing", "what", all)
	default:
		p.plan = catalogue.Fill("plan.says", "what", all)
	}
}

type count struct {
	what string
	n    int
}

func (p *page) counted(counts []count) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, p.says.count(c.what, Thousands(c.n)))
		}
	}
	return words.Commas(parts)
}

// present are the texts that say something.
func present(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
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
	if by := c.Spend.DailyAfter - c.Spend.DailyBefore; by != 0 {
		parts = append(parts, catalogue.Fill("sums.a-day", "amount", signedIn(by, currency)))
	}
	if by := c.Spend.LifetimeAfter - c.Spend.LifetimeBefore; by != 0 {
		parts = append(parts, catalogue.Fill("sums.over-lifetime", "amount", signedIn(by, currency)))
	}
	return words.Commas(parts)
}

func signedIn(micros int64, currency string) string {
	return strings.Join(strings.Fields(signed(micros)+" "+currency), " ")
}
