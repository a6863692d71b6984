package resource

import "testing"

func factorsOf() *Attribute {
	return &Attribute{Name: "bid.multipliers", Type: TypeFactors, Least: One / 10, Most: 10 * One,
		Of: "audience", Addressed: "audience"}
}

// A factor is exact, within the service's bounds, and stands once for each audience.
func TestFactorsAreReadFromTheDigitsAsWritten(t *testing.T) {
	for _, row := range []struct {
		name  string
		items []string
		want  string // "" is refused
	}{
		{"an address", []string{"audience/customers x 2.5"}, "audience/customers x 2.5"},
		{"an id, with a colon", []string{"caud_1: 0.1"}, "caud_1 x 0.1"},
		{"the sign of multiplication", []string{"caud_1 ×10"}, "caud_1 x 10"},
		{"six decimals", []string{"caud_1=1.234567"}, "caud_1 x 1.234567"},
		{"zeros at the end", []string{"caud_1 x 1.500000"}, "caud_1 x 1.5"},
		{"in another order", []string{"b x 1", "a x 2.0"}, "a x 2, b x 1"},
		{"the same twice", []string{"a x 2", "a x 2.0"}, "a x 2"},
		{"another one for the same", []string{"a x 2", "a x 3"}, ""},
		{"seven decimals", []string{"a x 1.2345678"}, ""},
		{"below the least", []string{"a x 0.099999"}, ""},
		{"above the most", []string{"a x 10.000001"}, ""},
		{"no factor", []string{"audience/customers"}, ""},
		{"a percentage", []string{"a x 50%"}, ""},
		{"a decimal comma", []string{"a x 1,5"}, ""},
		{"an exponent", []string{"a x 1e1"}, ""},
		{"below zero", []string{"a x -1"}, ""},
		{"another kind", []string{"pixel/shop x 2"}, ""},
	} {
		v, findings := factorsOf().ParseList(row.items)
		got := factorsOf().Format(v)
		if got != row.want || (len(findings) > 0) != (row.want == "") {
			t.Errorf("%s: %q %v; want %q", row.name, got, findings, row.want)
		}
	}
}

// Of several entries that match somebody the highest counts, and who matches none has the factor 1.
func TestWhoseBidRisesMost(t *testing.T) {
	for _, row := range []struct {
		name          string
		before, after []string
		from, to      int64
		rises         bool
	}{
		{"nothing", nil, nil, One, One, false},
		{"a first one above 1", nil, []string{"a x 2.5"}, One, 2_500_000, true},
		{"a first one below 1", nil, []string{"a x 0.5"}, One, One, false},
		{"lower", []string{"a x 3"}, []string{"a x 2"}, One, One, false},
		{"taken away above 1", []string{"a x 3"}, nil, One, One, false},
		{"taken away below 1", []string{"a x 0.5"}, nil, 500_000, One, true},
		{"one that is not the largest", []string{"a x 10", "b x 1"}, []string{"a x 10", "b x 10"}, One, 10 * One, true},
		{"the steeper of two", []string{"a x 1", "b x 2"}, []string{"a x 3", "b x 4"}, One, 3 * One, true},
		{"above one that matches the same people", []string{"a x 0.2"}, []string{"a x 0.2", "b x 0.5"},
			200_000, 500_000, true},
		{"below it", []string{"a x 0.5"}, []string{"a x 0.5", "b x 0.2"}, One, One, false},
	} {
		before, after := List(row.before), List(row.after)
		most := FactorRise{From: One, To: One}
		for _, r := range FactorRises(before, after) {
			if r.To*most.From > most.To*r.From {
				most = r
			}
		}
		if rises := FactorsRise(before, after); most.From != row.from || most.To != row.to || rises != row.rises {
			t.Errorf("%s: %+v, %t; want %d, %d, %t", row.name, most, rises, row.from, row.to, row.rises)
		}
	}
}

func TestAnAmountTimesAFactor(t *testing.T) {
	for _, row := range []struct{ amount, factor, want int64 }{
		{1_250_000, 2_500_000, 3_125_000}, {1, 1_500_000, 2}, {1, 100_000, 1}, {0, 10_000_000, 0},
		{30_400_000_000_000, 10_000_000, 304_000_000_000_000}, {1 << 62, 10_000_000, mostAmount},
	} {
		if got := Multiplied(row.amount, row.factor); got != row.want {
			t.Errorf("%d times %d is %d; want %d", row.amount, row.factor, got, row.want)
		}
	}
}

func TestFactorsKeepThemUnderOtherNames(t *testing.T) {
	a, keys := factorsOf(), List([]string{"audience/a x 2", "caud_2 x 0.5"})
	ids := a.ByIDs(keys, func(at Address) string {
		if at.Key == "a" {
			return "caud_1"
		}
		return ""
	})
	if !ids.Equal(List([]string{"caud_1 x 2", "caud_2 x 0.5"})) {
		t.Errorf("by ids they are %s", ids)
	}
	back := a.ByKeys(ids, func(id string) Address {
		if id == "caud_1" {
			return Address{Kind: "audience", Key: "a"}
		}
		return Address{}
	})
	if !back.Equal(keys) {
		t.Errorf("by keys they are %s", back)
	}
	called := a.Called(keys, []string{"caud_1", "caud_2"}, []string{"audience/a", "caud_2"})
	if got := a.Show(called); got != "audience/a (caud_1) x 2, caud_2 x 0.5" {
		t.Errorf("shown they are %s", got)
	}
}
