package resource

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
)

// One is the factor that changes nothing, in micros.
const One = MicrosPerUnit

// Factor is an entry of TypeFactors: what it names, an id or an address, and by how
// much it multiplies.
type Factor struct {
	Name   string
	Micros int64
}

// String is the canonical entry: "audience/customers x 2.5".
func (f Factor) String() string { return f.Name + betweenFactor + formatFactor(f.Micros) }

const betweenFactor = " x "

func formatFactor(micros int64) string {
	return strings.TrimSuffix(strings.TrimSuffix(FormatMoney(micros), "0"), ".0")
}

// writtenFactor takes what stands between name and factor as people write it.
var writtenFactor = pattern.Of(`^(\S+?)(?:\s*[:=×]\s*[xX×]?\s*|\s+[xX×]?\s*)([0-9][0-9.]*)$`)

func splitFactor(item string) (Factor, bool) {
	m := writtenFactor.FindStringSubmatch(item)
	if m == nil {
		return Factor{}, false
	}
	micros, finding := ParseMoney(m[2], "")
	return Factor{m[1], micros}, finding == nil
}

// Factors returns the entries of a value of TypeFactors.
func (v Value) Factors() []Factor {
	all := make([]Factor, 0, len(v.Items()))
	for _, item := range v.Items() {
		if f, ok := splitFactor(item); ok {
			all = append(all, f)
		}
	}
	return all
}

// WithoutFactors returns a value without the entries of some names; the value itself where it has none of them.
func (v Value) WithoutFactors(gone func(name string) bool) Value {
	kept := slices.DeleteFunc(slices.Clone(v.Items()), func(item string) bool {
		f, ok := splitFactor(item)
		return ok && gone(f.Name)
	})
	if len(kept) == len(v.Items()) {
		return v
	}
	return List(kept).At(v.Position)
}

// Names returns what a value names by id or address.
func (a *Attribute) Names(v Value) []string {
	if a.Type != TypeFactors {
		return v.Entries()
	}
	factors := v.Factors()
	names := make([]string, len(factors))
	for i, f := range factors {
		names[i] = f.Name
	}
	return names
}

// parseFactor makes the canonical entry.
func parseFactor(a *Attribute, s string) (string, *Finding) {
	f, ok := splitFactor(s)
	if !ok {
		return "", &Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("%s is %q; want what it "+
				"is for, x and a factor with a decimal point", a.Name, shortStart(s)),
			Hint: fmt.Sprintf("write %s/KEY x 1.5", a.Addressed),
		}
	}
	if finding := a.badName(f.Name); finding != nil {
		return "", finding
	}
	if f.Micros < a.Least || f.Micros > a.Most {
		return "", &Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("%s of %s is %s; want %s to %s", a.Name,
				f.Name, formatFactor(f.Micros), formatFactor(a.Least), formatFactor(a.Most)),
		}
	}
	return f.String(), nil
}

// namedTwice finds what a list of factors names a second time; entries come sorted.
func namedTwice(a *Attribute, canonical []string) []ItemFinding {
	if a.Type != TypeFactors {
		return nil
	}
	seen := map[string]bool{}
	for _, f := range List(canonical).Factors() {
		if seen[f.Name] {
			return []ItemFinding{{-1, Finding{Code: diag.BadValue,
				Message: fmt.Sprintf("%s has %s twice; want one factor for each", a.Name, f.Name)}}}
		}
		seen[f.Name] = true
	}
	return nil
}

// LargestFactor is the most that a value of factors multiplies by, in micros: at
// least One, as what matches no entry is not changed.
func LargestFactor(v Value) int64 {
	most := int64(One)
	for _, f := range v.Factors() {
		most = max(most, f.Micros)
	}
	return most
}

// FactorRise is the factor of one entry in two values, before and after.
type FactorRise struct {
	Name     string
	From, To int64
}

// FactorRises returns what each entry of two values multiplies by in both. What a value does not
// name has the factor One. What is named anew begins at the least of the
// entries before: somebody can be in that one as well, and of several that match the highest counts.
func FactorRises(before, after Value) []FactorRise {
	var rises []FactorRise
	was, is := before.Factors(), after.Factors()
	least := int64(One)
	for _, f := range was {
		least = min(least, f.Micros)
		rises = append(rises, FactorRise{f.Name, f.Micros, factorOf(is, f.Name, One)})
	}
	for _, f := range is {
		if factorOf(was, f.Name, 0) == 0 {
			rises = append(rises, FactorRise{f.Name, least, f.Micros})
		}
	}
	return rises
}

// FactorsRise reports whether anybody can be multiplied by more than before.
func FactorsRise(before, after Value) bool {
	return slices.ContainsFunc(FactorRises(before, after), func(r FactorRise) bool { return r.To > r.From })
}

func factorOf(all []Factor, name string, otherwise int64) int64 {
	if i := slices.IndexFunc(all, func(f Factor) bool { return f.Name == name }); i >= 0 {
		return all[i].Micros
	}
	return otherwise
}

const mostAmount = math.MaxInt64

// Multiplied is an amount times a factor in micros, rounded up, and the largest amount
// where that is more than one can be.
func Multiplied(amount, factor int64) int64 {
	whole, rest := amount/One, amount%One
	if factor > 0 && whole > mostAmount/factor-1 {
		return mostAmount
	}
	return whole*factor + (rest*factor+One-1)/One
}
