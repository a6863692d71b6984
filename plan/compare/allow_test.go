package compare_test

import (
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

func TestParseAllowance(t *testing.T) {
	x := resource.Address{Kind: kinds.Campaign, Key: "x"}
	tests := []struct {
		text string
		want plan.Allowance
	}{
		{"adopt", plan.Allowance{Hazard: plan.Adopts}},
		{"adopt=campaign/x", plan.Allowance{Hazard: plan.Adopts, Address: x}},
		{"archives=12", plan.Allowance{Hazard: plan.Archives, Amount: 12, HasAmount: true}},
		{"raises-spend=120.50/day", plan.Allowance{
			Hazard: plan.RaisesSpend, Amount: 120_500_000, PerDay: true, HasAmount: true,
		}},
		{"raises-spend=campaign/x=500.00", plan.Allowance{
			Hazard: plan.RaisesSpend, Address: x, Amount: 500_000_000, HasAmount: true,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := plan.ParseAllowance(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("ParseAllowance (-want +got):\n%s", d)
			}
			if got.String() != tt.text {
				t.Errorf("String() = %q, want %q", got.String(), tt.text)
			}
		})
	}
}

func TestParseAllowanceRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"all", `allowance is "all"; want one of activates, ` +
			`adopt, archives, conflict, drift, exceeds-files, exposure, mass-edit, ` +
			`raises-spend, refused, removed-by-hand, replace, scale, series, shifted, shrinks-audience, twin, updates`},
		{"adpot", `allowance is "adpot"; want one of activates, ` +
			`adopt, archives, conflict, drift, exceeds-files, exposure, mass-edit, raises-spend, refused, ` +
			`removed-by-hand, replace, scale, series, shifted, shrinks-audience, twin, updates; did you mean "adopt"?`},
		{"incomplete", `allowance is "incomplete"; ` +
			`want one of activates, adopt, archives, conflict, drift, exceeds-files, exposure, mass-edit, ` +
			`raises-spend, refused, removed-by-hand, replace, scale, series, shifted, shrinks-audience, twin, updates`},
		{"adopt=", `allowance is "adopt="; want an address such as adopt=campaign/x`},
		{"adopt=12", `allowance is "adopt=12"; want an address such as adopt=campaign/x`},
		{"adopt=campaign/x=12", `allowance is "adopt=campaign/x=12"; ` +
			`want an amount after the address only for raises-spend, such as raises-spend=campaign/x=500`},
		{"raises-spend=120", `allowance is "raises-spend=120"; ` +
			`want an address such as raises-spend=campaign/x, or an amount such as 120/day`},
		{"raises-spend=1,200/day", `allowance is "raises-spend=1,200/day"; want an amount such as 120/day`},
		{"archives=99999999999999999999",
			`allowance is "archives=99999999999999999999"; want a count such as archives=12`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			_, err := plan.ParseAllowance(tt.text)
			if err == nil || err.Error() != tt.want {
				t.Errorf("ParseAllowance(%q) = %v\nwant %s", tt.text, err, tt.want)
			}
		})
	}
}

func FuzzParseAllowance(f *testing.F) {
	for _, s := range []string{"adopt", "archives=12",
		"raises-spend=120/day", "raises-spend=campaign/x=500", "x=/", "=="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := plan.ParseAllowance(s)
		if err != nil {
			return
		}
		if again, err := plan.ParseAllowance(a.String()); err != nil || again != a {
			t.Errorf("ParseAllowance(%q) = %v, whose text %q reads as %v, %v", s, a, a.String(), again, err)
		}
	})
}
