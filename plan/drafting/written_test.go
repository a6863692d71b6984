package drafting

import (
	"testing"

	"pgregory.net/rapid"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/plan"
)

// What a rule sees of a change without a copy of the resource is what a copy
// holds: with budgets that take each other's place, cleared values, and people
// who go along with their file or not.
func TestAValueIsAsACopyHasIt(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := Describe(kinds.All()[rapid.IntRange(0, len(kinds.All())-1).Draw(r, "kind")])
		var live *resource.Resource
		if rapid.Bool().Draw(r, "is live") {
			live = &resource.Resource{}
			for _, a := range k.Schema.Attributes {
				if rapid.Bool().Draw(r, "has "+a.Name) {
					live.Set(a.Name, resource.Text("live"))
				}
			}
		}
		var fields []plan.Field
		for _, a := range k.Schema.Attributes {
			v := rapid.SampledFrom([]resource.Value{{}, resource.Null(), resource.Text("new")}).Draw(r, "wants "+a.Name)
			if v.IsAbsent() {
				continue
			}
			f := plan.Field{Name: a.Name, Desired: v}
			if rapid.Bool().Draw(r, "holds "+a.Name) {
				f.Held = &plan.Hold{}
			}
			fields = append(fields, f)
		}
		copied, spends := k.Overlay(live, fields, FreeField), k.Spending(live, fields, FreeField)
		for _, a := range k.Schema.Attributes {
			want := copied.Value(a.Name)
			if got := k.Written(live, fields, FreeField, a.Name); !got.Equal(want) {
				r.Errorf("%s: written = %v; want %v", a.Name, got, want)
			}
			if got := spends.Value(a.Name); a.Spend == resource.Amount && !got.Equal(want) {
				r.Errorf("%s: spending = %v; want %v", a.Name, got, want)
			}
		}
	})
}

// Many fields share one hold: what else holds one of them holds no other.
func TestAHoldThatIsSharedStaysAsItIs(t *testing.T) {
	shared := &plan.Hold{Hazard: plan.Updates}
	fields := make([]plan.Field, 3)
	for i := range fields {
		fields[i].HoldAll(shared)
	}
	fields[0].Hold(plan.Hold{Hazard: plan.Drifts})
	fields[1].Hold(plan.Hold{Hazard: plan.Frozen})
	fields[1].Hold(plan.Hold{Hazard: plan.Exposure})
	for i, want := range [][]plan.Hazard{{plan.Updates, plan.Drifts},
		{plan.Updates, plan.Frozen, plan.Exposure}, {plan.Updates}} {
		holds := fields[i].Held.Flatten(nil)
		if len(holds) != len(want) {
			t.Errorf("field %d has %d holds; want %v", i, len(holds), want)
			continue
		}
		for j, h := range holds {
			if h.Hazard != want[j] {
				t.Errorf("field %d: hold %d is %s; want %s", i, j, h.Hazard, want[j])
			}
		}
	}
}

// Who changed a field is noted of that one, and of no copy.
func TestWhoChangedAFieldIsNotedOfThatAlone(t *testing.T) {
	of := plan.Field{Name: "budget.daily", Known: plan.KnownOf(resource.Number(1), resource.Number(2))}
	other := of
	of.ChangedBy(&plan.Foreign{Actor: "ann"})
	of.EditedBy(&plan.Edited{Author: "bob"})
	if other.Foreign() != nil || other.Edited() != nil {
		t.Errorf("a copy names %v and %v; want nobody", other.Foreign(), other.Edited())
	}
	if live := of.Live(); of.Foreign().Actor != "ann" ||
		of.Edited().Author != "bob" || !live.Equal(resource.Number(2)) {
		t.Errorf("the field is %+v; want ann, bob, and the values it had", of.Known)
	}
}
