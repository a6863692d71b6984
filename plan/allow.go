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
	Amount  int64            // micros, or a count for archives and updates; meaningful with HasAmount
	PerDay  bool             // the amount is a sum a day over the plan
	Refusal string           // the digest of a refusal at the address, of WasRefused alone

	HasAmount bool
}

// narrowing says what an allowance of a hazard may be narrowed by, besides an
// address.
type narrowing struct {
	money bool   // a sum a day, or an amount at an address
	count bool   // a number of resources
	only  string // it must be narrowed so: an example
	once  bool   // it must be narrowed to one refusal at an address
}

// allowable are the hazards that hold something and can be allowed.
var allowable = map[Hazard]narrowing{
	RaisesSpend: {money: true}, Archives: {count: true},
	Updates: {count: true, only: "updates=40"}, Exposure: {money: true, only: "exposure=120/day"},
	Activates: {}, Conflicts: {}, Adopts: {}, Drifts: {},
	Replaces: {}, RemovedByHand: {}, Twins: {}, ShrinksAudience: {}, ExceedsFiles: {},
	Shifted: {}, Series: {}, Scale: {}, MassEdit: {}, WasRefused: {once: true, only: "refused=campaign/x=1f2e3d4c5b6a"},
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
//	updates=40                   of up to 40 of a kind, in place of the policy's limit
//	exposure=120/day             possible spend may rise by this much within 24 hours
//	refused=campaign/x=1f2e3d    of this address, to ask again after that refusal, once
func ParseAllowance(s string) (Allowance, error) {
	name, narrowed, hasNarrowed := strings.Cut(s, "=")
	a := Allowance{Hazard: Hazard(name)}
	rules, ok := allowable[a.Hazard]
	if !ok {
		return Allowance{}, unknownHazard(name)
	}
	if !hasNarrowed && rules.only == "" {
		return a, nil
	}
	if rules.once {
		return a.ofRefusal(s, narrowed, rules)
	}
	if rules.count && isCount(narrowed) {
		n, err := strconv.ParseInt(narrowed, 10, 64)
		if err != nil {
			return Allowance{}, fmt.Errorf("allowance is %q; want a count such as %s=12", s, a.Hazard)
		}
		a.Amount, a.HasAmount = n, true
		return a, nil
	}
	if narrowed != "" && narrowed[0] >= '0' && narrowed[0] <= '9' {
		return a.perDay(s, narrowed, rules)
	}
	if rules.only != "" {
		return Allowance{}, wantOnly(s, rules)
	}
	return a.at(s, narrowed, rules.money)
}

// Allowable returns the names an allowance can begin with, in order.
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

func wantOnly(s string, rules narrowing) error {
	return fmt.Errorf("allowance is %q; want how much, such as %s", s, rules.only)
}

func (a Allowance) ofRefusal(whole, narrowed string, rules narrowing) (Allowance, error) {
	text, digest, _ := strings.Cut(narrowed, "=")
	address, ok := resource.ParseAddress(text)
	if !ok || len(digest) != refusalDigits || strings.Trim(digest, "0123456789abcdef") != "" {
		return Allowance{}, fmt.Errorf("allowance is %q; want an address and the refusal there, such as %s",
			whole, rules.only)
	}
	a.Address, a.Refusal = address, digest
	return a, nil
}

func (a Allowance) perDay(whole, narrowed string, rules narrowing) (Allowance, error) {
	amount, ok := strings.CutSuffix(narrowed, "/day")
	switch {
	case rules.only != "" && (!ok || !rules.money):
		return Allowance{}, wantOnly(whole, rules)
	case !ok || !rules.money:
		return Allowance{}, fmt.Errorf("allowance is %q; want an address such as %s=campaign/x%s",
			whole, a.Hazard, moneyForm(rules.money))
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
		return Allowance{}, fmt.Errorf("allowance is "+
			"%q; want an amount after the address only for raises-spend, such as raises-spend=campaign/x=500", whole)
	}
	a.Amount, a.HasAmount = micros, true
	return a, nil
}

// String returns what ParseAllowance reads.
func (a Allowance) String() string {
	s := string(a.Hazard)
	if !a.Address.IsZero() {
		s += "=" + a.Address.String()
	}
	switch {
	case a.Refusal != "":
		return s + "=" + a.Refusal
	case !a.HasAmount:
		return s
	case allowable[a.Hazard].count:
		return s + "=" + strconv.FormatInt(a.Amount, 10)
	case a.PerDay:
		return s + "=" + resource.FormatMoney(a.Amount) + "/day"
	}
	return s + "=" + resource.FormatMoney(a.Amount)
}

// covers says whether a consent without an amount reaches the hazard at the
// address. Adopting a tree is one decision; every other address stands for
// itself.
func (a *Allowance) Covers(h Hazard, at resource.Address) bool {
	if a.Hazard != h || a.HasAmount {
		return false
	}
	if a.Address.IsZero() || a.Address == at {
		return true
	}
	return h == Adopts && strings.HasPrefix(at.Key, a.Address.Key+"/")
}

// allowAt is the argument that releases a hazard at one address.
func AllowAt(h Hazard, at resource.Address) string {
	return Allowance{Hazard: h, Address: at}.String()
}
