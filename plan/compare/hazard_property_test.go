package compare_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

// mustHave are the hazards a field of an update must have, told from its three
// values and its name alone.
func mustHave(f *plan.Field) (must []plan.Hazard) {
	to, toSet := f.Desired.Number()
	from, fromSet := f.Live().Number()
	none := func(v resource.Value) bool { return v.String() == "(absent)" || v.String() == "null" }
	written := !none(f.Last()) && f.Cause != plan.SentAlong
	switch {
	case f.Cause == plan.SentAlong:
		return nil
	case f.Name == "status" && f.Desired.Text() == "active":
		must = append(must, plan.Activates)
	case strings.HasPrefix(f.Name, "budget.") || f.Name == "bid.max":
		if !toSet || !fromSet || to > from {
			must = append(must, plan.RaisesSpend)
		}
	case f.Name == "bid.strategy":
		must = append(must, plan.RaisesSpend)
	case f.Name == "product_feed":
		return []plan.Hazard{plan.Replaces}
	case f.Name == "targeting.countries" && (none(f.Desired) || !none(f.Live()) && strangers(f.Desired, f.Live())),
		f.Name == "context_hints" && (none(f.Desired) || !none(f.Live()) && strangers(f.Desired, f.Live())),
		f.Name == "exclusion_hints" && strangers(f.Last(), f.Desired):
		must = append(must, plan.WidensTargeting)
	}
	// The service does not show exclusions: nobody is known to have changed them there.
	if shown := f.Name != "exclusion_hints"; shown && written && f.Desired.Equal(f.Last()) {
		must = append(must, plan.Drifts)
	} else if shown && written && f.Name != "status" &&
		!f.Live().Equal(f.Last()) && !(none(f.Live()) && none(f.Last())) {
		must = append(must, plan.Conflicts)
	}
	return must
}

// movedOutside reports whether somebody else wrote another status than adsync recorded.
func movedOutside(last, live *resource.Resource) bool {
	return last != nil && live != nil && last.Value("status").IsSet() &&
		live.Value("status").IsSet() && !last.Value("status").Equal(live.Value("status"))
}

// strangers reports whether the first names something the second does not.
func strangers(v, w resource.Value) bool {
	return slices.ContainsFunc(v.Items(), func(item string) bool { return !slices.Contains(w.Items(), item) })
}

func TestEveryHazardIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		in := d.input(t)
		for _, c := range compare.Diff(in).Changes {
			var must []plan.Hazard
			switch live := in.Live.Get(c.Address); {
			case c.Action == plan.Archive:
				must = append(must, plan.Archives)
				if movedOutside(in.Last.Get(c.Address), live) {
					must = append(must, plan.Conflicts)
				}
			case c.Pruned: // a pause
			case c.Action == plan.Update || c.Action == plan.Adopt || c.Action == plan.Replace:
				for i := range c.Fields {
					must = append(must, mustHave(&c.Fields[i])...)
				}
			case c.Action == plan.Create && !strings.Contains(c.Address.Key, "/") && (live == nil &&
				in.Last.Get(c.Address) != nil || live != nil && live.Value("status").Text() == kinds.Archived):
				must = append(must, plan.RemovedByHand)
			case c.Action == plan.Create && !strings.Contains(c.Address.Key, "/") &&
				in.Desired.Get(c.Address).Value("status").Text() == kinds.Active:
				must = append(must, plan.Activates, plan.RaisesSpend)
			}
			if c.Action == plan.Adopt {
				must = append(must, plan.Adopts)
			}
			for _, h := range must {
				if !slices.Contains(c.Hazards, h) {
					rt.Fatalf("%s has %v; want %s among them:\n%s\n%s",
						c.Address, c.Hazards, h, sketch([]plan.Change{c}), d)
				}
			}
			checkNoOtherMoney(rt, d, c, must)
		}
	})
}

// checkNoOtherMoney wants no hazard of money on an update whose fields have none:
// who reads too many reads none.
func checkNoOtherMoney(t *rapid.T, d *drawn, c plan.Change, must []plan.Hazard) {
	if c.Action != plan.Update {
		return
	}
	for _, h := range []plan.Hazard{plan.RaisesSpend, plan.WidensTargeting, plan.Archives} {
		if slices.Contains(c.Hazards, h) && !slices.Contains(must, h) {
			t.Fatalf("%s has %s, and no field of it has:\n%s\n%s", c.Address, h, sketch([]plan.Change{c}), d)
		}
	}
}

// A plan touches what the files give, the setting it is sent with, and the
// status the policy sets: nothing else.
func TestNothingOutsideTheFilesIsSent(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		in := d.input(t)
		for _, c := range compare.Diff(in).Changes {
			desired, last := in.Desired.Get(c.Address), in.Last.Get(c.Address)
			if desired == nil && last == nil {
				rt.Fatalf("%s is somebody else's, and the plan changes it:\n%s", c.Address, d)
			}
			for _, f := range c.Fields {
				switch {
				case f.Cause == plan.Default && (c.Action == plan.Create || c.Action == plan.Replace):
				case f.Cause == plan.SentAlong && f.Desired.Equal(f.Live()):
				case c.Pruned && f.Name == "status":
				case desired == nil || !desired.Value(f.Name).Equal(f.Desired):
					rt.Fatalf("%s: %s is sent as %s, and the files do not say so:\n%s\n%s",
						c.Address, f.Name, f.Desired, sketch([]plan.Change{c}), d)
				}
			}
		}
	})
}

// An archive cannot be undone, and who asked for it saw another status (design.md
// section 3): no allowance but that of the conflict releases it.
func TestNothingIsArchivedOverAnEdit(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		_, given := allowed(rt, t, d)
		given = slices.DeleteFunc(given, func(allow string) bool { return strings.HasPrefix(allow, "conflict") })
		in := d.input(t, given...)
		for _, c := range compare.Diff(in).Applicable() {
			if c.Action == plan.Archive && movedOutside(in.Last.Get(c.Address), in.Live.Get(c.Address)) {
				rt.Fatalf("%s is archived over %s with %v:\n%s",
					c.Address, in.Live.Get(c.Address).Value("status"), given, d)
			}
		}
	})
}
