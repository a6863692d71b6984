// Package policy describes the values of a policy as people write them: their
// names, their forms, and which of two is tighter; and when a freeze window is
// open.
//
// It refuses to decide what a value does: package plan does. Its invariant is
// that every limit is tighter the smaller it is, so that what a watched file may
// say is known for all of them by one comparison.
package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Form is how a limit is written.
type Form string

// The forms.
const (
	Factor  Form = "factor"  // 1.5: kept as 150 percent
	Percent Form = "percent" // 30 or 30%
	Count   Form = "count"
	Amount  Form = "amount" // units of the account's currency; kept in micros
	Span    Form = "span"   // 24h or 90m; kept in minutes
)

// Setting describes one limit.
type Setting struct {
	Name string // "budget.hold_above"
	Form Form
	Help string

	Enables bool // a value of the operator's lets unattended runs raise; one in a watched file only bounds
}

// Settings are all limits, in the order people see them.
func Settings() []Setting {
	return []Setting{
		{Name: "approval_expires",
			Form: Span, Help: "How long an approval of the daemon's page is good for; 720h at most."},
		{Name: "archives.count",
			Form: Count, Help: "Most resources of a kind a run may archive, once archiving is allowed."},
		{Name: "archives.percent", Form: Percent, Help: "Most of a kind a run may archive; one always passes."},
		{Name: "bid.hold_above", Form: Factor, Help: "A bid that rises by more within 24 hours is held until allowed."},
		{Name: "bid.refuse_from", Form: Factor, Help: "From this rise " +
			"on, the exact bid must be allowed. A new bid is compared with the highest of the account."},
		{Name: "bid.share", Form: Percent,
			Help: "A new or raised bid above this part of the daily budget is held until the exact bid is allowed."},
		{Name: "budget.hold_above",
			Form: Factor, Help: "A budget or spend limit that rises by more within 24 hours is held until allowed."},
		{Name: "budget.refuse_from", Form: Factor, Help: "From this rise " +
			"on, the exact amount must be allowed. A new budget is compared with the highest of the account."},
		{Name: "exposure.percent", Form: Percent, Help: "If daily caps plus what " +
			"is left of lifetime budgets rise by more within 24 hours, all that raises them is held until allowed."},
		{Name: "max_bid", Form: Amount, Help: "A bid above it is held until the exact amount is allowed."},
		{Name: "max_daily_budget",
			Form: Amount, Help: "A campaign's daily budget above it is held until the exact amount is allowed."},
		{Name: "max_daily_exposure", Form: Amount,
			Help: "Daily caps plus what is left of lifetime budgets never rise " +
				"above it, whoever asks. Unattended runs raise nothing without one of the operator's.", Enables: true},
		{Name: "max_lifetime_budget", Form: Amount,
			Help: "A campaign's lifetime budget above it is held until the exact amount is allowed."},
		{Name: "people.from", Form: Count, Help: "Audiences with fewer people are too small for people.percent."},
		{Name: "people.percent",
			Form: Percent, Help: "Taking out more of the people of an audience is held until allowed."},
		{Name: "shrink.from", Form: Count, Help: "Kinds with fewer resources are too small for shrink.percent."},
		{Name: "shrink.percent",
			Form: Percent, Help: "If the files name so much less of a kind, nothing of it is pruned."},
		{Name: "updates.from", Form: Count, Help: "Kinds with fewer resources are too small for updates.percent."},
		{Name: "updates.percent", Form: Percent, Help: "Updating more of a kind in one plan is held until allowed."},
	}
}

// Value is a limit as somebody wrote it.
type Value struct {
	Setting  Setting
	Number   int64 // percent, a count, or micros
	Position diag.Position
}

// Parse reads a limit, or says what is wanted.
func (s Setting) Parse(text string) (int64, error) {
	text = strings.TrimSpace(text)
	switch s.Form {
	case Amount:
		micros, finding := resource.ParseMoney(text, "")
		if finding != nil || micros == 0 {
			return 0, s.want(text, "an amount above 0 such as 500.00")
		}
		return micros, nil
	case Factor:
		hundredths, ok := hundredths(strings.TrimPrefix(text, "×"))
		if !ok || hundredths < 100 {
			return 0, s.want(text, "a factor of 1 or more such as 1.5, with two decimals at most")
		}
		return hundredths, nil
	case Span:
		lasts, err := time.ParseDuration(text)
		if err != nil || lasts < time.Minute || lasts > longestSpan || lasts%time.Minute != 0 {
			return 0, s.want(text, "whole minutes or hours such as 24h, 720h at most")
		}
		return int64(lasts / time.Minute), nil
	case Percent:
		n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(text, "%")), 10, 31)
		if err != nil {
			return 0, s.want(text, "whole percent such as 30")
		}
		return int64(n), nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, s.want(text, "a whole number such as 10")
	}
	return int64(n), nil
}

// longestSpan is the most a span may be.
const longestSpan = 720 * time.Hour

func (s Setting) want(text, what string) error {
	return fmt.Errorf("policy.%s is %q; want %s", s.Name, text, what)
}

func hundredths(text string) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 2 || whole == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 32)
	return n, err == nil
}

// Format writes a limit as it is read. An amount of 0 is none.
func (s Setting) Format(n int64) string {
	switch s.Form {
	case Amount:
		if n == 0 {
			return "none"
		}
		return resource.FormatMoney(n)
	case Factor:
		return fmt.Sprintf("%d.%02d", n/100, n%100)
	case Span:
		if n%60 != 0 {
			return strconv.FormatInt(n, 10) + "m"
		}
		return strconv.FormatInt(n/60, 10) + "h"
	case Percent:
		return strconv.FormatInt(n, 10) + "%"
	}
	return strconv.FormatInt(n, 10)
}

// Looser reports whether one limit lets pass more than another. An amount of 0 is
// none, and lets everything pass.
func (s Setting) Looser(one, other int64) bool {
	if s.Form == Amount && other == 0 {
		return false
	}
	return one > other || s.Form == Amount && one == 0
}
