package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Allowance is one consent: to a hazard, and where it is given, for one address
// or up to an amount only. There is none for everything (design.md 2.10).
type Allowance struct {
	Hazard  Hazard
	Address resource.Address // zero allows the hazard wherever it is
	Amount  int64            // micros, or a count for archives; meaningful with HasAmount
	PerDay  bool             // the amount is a sum a day over the plan

	HasAmount bool
}

// allowable are the hazards that hold something, and what an allowance of them
// may be narrowed by.
var allowable = map[Hazard]struct{ money, count bool }{
	RaisesSpend: {money: true}, Archives: {count: true},
	Activates: {}, Conflicts: {}, Adopts: {}, Drifts: {}, Replaces: {}, RemovedByHand: {}, Twins: {}, ShrinksAudience: {},
	Shifted: {}, Series: {}, Scale: {}, MassEdit: {},
}

// ParseAllowance reads an argument of --allow:
//
//	adopt                        wherever it is
//	adopt=campaign/x             of this address and what lies beneath it
//	archives=campaign/x          of this address
//	archives=12                  of up to 12 of a kind, in place of the policy's limit
//	raises-spend=campaign/x      of this address, below the point of refusal
//	raises-spend=campaign/x=500  of this address, to this very amount
//	raises-spend=120/day         by at most this much a day, over the whole plan
func ParseAllowance(s string) (Allowance, error) {
	name, narrowed, hasNarrowed := strings.Cut(s, "=")
	a := Allowance{Hazard: Hazard(name)}
	rules, ok := allowable[a.Hazard]
	if !ok {
		return Allowance{}, unknownHazard(name)
	}
	if !hasNarrowed {
		return a, nil
	}
	if rules.count && isCount(narrowed) {
		n, err := strconv.ParseInt(narrowed, 10, 64)
		if err != nil {
			return Allowance{}, fmt.Errorf("allowance is %q; want a count such as archives=12", s)
		}
		a.Amount, a.HasAmount = n, true
		return a, nil
	}
	if narrowed != "" && narrowed[0] >= '0' && narrowed[0] <= '9' {
		return a.perDay(s, narrowed, rules.money)
	}
	return a.at(s, narrowed, rules.money)
}

// Allowable gives the names an allowance can begin with, in order.
func Allowable() []string {
	var names []string
	for h := range allowable {
		names = append(names, string(h))
	}
	slices.Sort(names)
	return names
}

func unknownHazard(name string) error {
	names := Allowable()
	hint := diag.DidYouMean(name, names)
	if hint != "" {
		hint = "; " + hint
	}
	return fmt.Errorf("allowance is %q; want one of %s%s", name, strings.Join(names, ", "), hint)
}

func isCount(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (a Allowance) perDay(whole, narrowed string, money bool) (Allowance, error) {
	amount, ok := strings.CutSuffix(narrowed, "/day")
	if !ok || !money {
		return Allowance{}, fmt.Errorf("allowance is %q; want an address such as %s=campaign/x%s", whole, a.Hazard, moneyForm(money))
	}
	micros, finding := resource.ParseMoney(amount, "")
	if finding != nil {
		return Allowance{}, fmt.Errorf("allowance is %q; want an amount such as 120/day", whole)
	}
	a.Amount, a.HasAmount, a.PerDay = micros, true, true
	return a, nil
}

func moneyForm(money bool) string {
	if money {
		return ", or an amount such as 120/day"
	}
	return ""
}

func (a Allowance) at(whole, narrowed string, money bool) (Allowance, error) {
	text, amount, hasAmount := strings.Cut(narrowed, "=")
	address, ok := resource.ParseAddress(text)
	if !ok {
		return Allowance{}, fmt.Errorf("allowance is %q; want an address such as %s=campaign/x", whole, a.Hazard)
	}
	a.Address = address
	if !hasAmount {
		return a, nil
	}
	micros, finding := resource.ParseMoney(amount, "")
	if finding != nil || !money {
		return Allowance{}, fmt.Errorf("allowance is %q; want an amount after the address only for raises-spend, such as raises-spend=campaign/x=500", whole)
	}
	a.Amount, a.HasAmount = micros, true
	return a, nil
}

// String gives what ParseAllowance reads.
func (a Allowance) String() string {
	s := string(a.Hazard)
	if !a.Address.IsZero() {
		s += "=" + a.Address.String()
	}
	switch {
	case !a.HasAmount:
		return s
	case a.Hazard == Archives:
		return s + "=" + strconv.FormatInt(a.Amount, 10)
	case a.PerDay:
		return s + "=" + resource.FormatMoney(a.Amount) + "/day"
	}
	return s + "=" + resource.FormatMoney(a.Amount)
}

// covers says whether a consent without an amount reaches the hazard at the
// address. Adopting a tree is one decision; every other address stands for
// itself.
func (a *Allowance) covers(h Hazard, at resource.Address) bool {
	if a.Hazard != h || a.HasAmount {
		return false
	}
	if a.Address.IsZero() || a.Address == at {
		return true
	}
	return h == Adopts && strings.HasPrefix(at.Key, a.Address.Key+"/")
}

// allowAt is the argument that releases a hazard at one address.
func allowAt(h Hazard, at resource.Address) string {
	return Allowance{Hazard: h, Address: at}.String()
}
