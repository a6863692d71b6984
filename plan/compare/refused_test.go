package compare_test

import (
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// What the service refused for good is not sent again while nobody looks and
// nothing about it is another; an attended apply is told, and asks again.
func TestRefusedBeforeIsHeldWhileNobodyLooks(t *testing.T) {
	at := address("campaign/a")
	asked := func(name, status string) *resource.Snapshot {
		return snapshot(t, "campaign/a#c1 name="+name+" status="+status)
	}
	for _, row := range []struct {
		name       string
		desired    *resource.Snapshot
		live       *resource.Snapshot
		unattended bool
		held       bool
		warned     bool
	}{
		{"the very same, nobody looks", asked("Short", "paused"), asked("Spring", "paused"), true, true, false},
		{"the very same, somebody looks", asked("Short", "paused"), asked("Spring", "paused"), false, false, true},
		{"the row was edited", asked("Longer", "paused"), asked("Spring", "paused"), true, false, false},
		{"the live resource is another", asked("Short", "paused"), asked("Winter", "paused"), true, false, false},
	} {
		in := plan.Input{
			Schemas: kinds.All(), Last: row.live, Desired: row.desired, Live: row.live, Policy: plan.DefaultPolicy(),
			Refused: map[resource.Address]plan.Refused{
				at: {Basis: plan.Basis(asked("Short", "paused").Get(at), asked("Spring", "paused").Get(at), ""),
					Code: "invalid_name", Message: "name is too short", Since: "yesterday"},
			},
		}
		in.Policy.Unattended, in.Policy.MaxDailyExposure = row.unattended, 1e15
		p := compare.Diff(in)
		held, said := false, ""
		for _, c := range p.Changes {
			for _, h := range c.Holds() {
				held, said = held || h.Hazard == plan.WasRefused, h.Message
			}
		}
		if held != row.held || held &&
			(!strings.Contains(said, `"name is too short" (invalid_name)`) || !strings.Contains(said, "yesterday")) {
			t.Errorf("%s: held %v with %q; want %v, with the service's words and since when",
				row.name, held, said, row.held)
		}
		warned := len(p.Problems) == 1 && p.Problems[0].Code == diag.RefusedBefore &&
			p.Problems[0].Severity == diag.Warning
		if warned != row.warned || len(p.Problems) > 1 {
			t.Errorf("%s: problems are %v; want a warning: %v", row.name, p.Problems, row.warned)
		}
	}
}

// Design, section 5: a tree starts whole. What was refused keeps it from starting while
// nobody looks, where it is made, or brings what its create could not say; an edit of
// what is whole does not.
func TestWhatWasRefusedKeepsItsTreeFromStarting(t *testing.T) {
	const live = "campaign/a#c1 name=Spring status=paused\nad_group/a/r#g1 name=Runners status=active bid.max=1"
	for _, row := range []struct {
		name, at   string
		group      string // what the files say of it
		last, more string // of last and live
		starts     bool
	}{
		{"a create", "ad/a/r/h", "name=Runners status=active bid.max=1", "", "\nad/a/r/h title=Hero " +
			"body=Text status=active target_url=https://e.example/ image=https://e.example/i.png", false},
		{"what its create could not say", "ad_group/a/r",
			"name=Runners status=active bid.max=1 exclusion_hints=boots", " exclusion_hints=[clear]", "", false},
		{"an edit", "ad_group/a/r", "name=Walkers status=active bid.max=1", "", "", true},
	} {
		at := address(row.at)
		last, now := snapshot(t, live+row.last), snapshot(t, live)
		desired := snapshot(t, "campaign/a name=Spring status=active\nad_group/a/r "+row.group+row.more)
		parent := kinds.All().Parent(at)
		in := plan.Input{
			Schemas: kinds.All(), Last: last, Desired: desired, Live: now, Policy: plan.DefaultPolicy(),
			Refused: map[resource.Address]plan.Refused{at: {Message: "no", Since: "yesterday",
				Basis: plan.Basis(desired.Get(at), now.Get(at),
					plan.Above(kinds.All().Of(parent.Kind), desired.Get(parent), now.Get(parent), false))}},
		}
		in.Policy.Unattended, in.Policy.MaxDailyExposure = true, 1e15
		starts, said := false, ""
		p := compare.Diff(in)
		for _, c := range p.Applicable() {
			starts = starts || c.Address == address("campaign/a")
		}
		for _, c := range p.Changes {
			if c.Address == address("campaign/a") && !starts {
				said = c.Holds()[0].Message
			}
		}
		if starts != row.starts ||
			!starts && !strings.Contains(said, row.at+" beneath it is not whole: the service refused it") {
			t.Errorf("%s was refused: the campaign starts: %v, held by %q; want %v", row.name, starts, said, row.starts)
		}
	}
}

// A pause goes whatever was refused before.
func TestRefusedBeforeHoldsNoPause(t *testing.T) {
	at := address("campaign/a")
	desired, live := snapshot(t, "campaign/a name=Short status=paused"),
		snapshot(t, "campaign/a#c1 name=Spring status=active")
	in := plan.Input{
		Schemas: kinds.All(), Last: live, Desired: desired, Live: live, Policy: plan.DefaultPolicy(),
		Refused: map[resource.Address]plan.Refused{
			at: {Basis: plan.Basis(desired.Get(at), live.Get(at), ""), Message: "no"},
		},
	}
	in.Policy.Unattended = true
	applicable := compare.Diff(in).Applicable()
	if len(applicable) != 1 || len(applicable[0].Fields) != 1 || applicable[0].Fields[0].Name != "status" {
		t.Errorf("applicable is %+v; want the pause, without the name that was refused", applicable)
	}
}

// What a refusal beneath a parent rests on: not that the parent is made as its row
// says, but each other thing about it.
func TestARefusalRestsOnTheParent(t *testing.T) {
	schema, at := kinds.All().Of(kinds.AdGroup), address("ad_group/a/r")
	row := snapshot(t, "ad_group/a/r name=Runners bid.max=1 status=active").Get(at)
	is := func(row *resource.Resource, live string, refused bool) string {
		return plan.Above(schema, row, snapshot(t, live).Get(at), refused)
	}
	made := is(row, "ad_group/a/r#2 name=Runners bid.max=1 status=active", false)
	if also := is(row, "ad_group/a/r#2 name=Runners bid.max=1 status=active description=theirs", false); also != made {
		t.Errorf("what the row does not say counts: %q and %q", made, also)
	}
	for name, other := range map[string]string{
		"it is not there":    is(row, "", false),
		"somebody paused it": is(row, "ad_group/a/r#2 name=Runners bid.max=1 status=paused", false),
		"its row is another": is(snapshot(t, "ad_group/a/r name=Walkers bid.max=1 status=active").Get(at),
			"ad_group/a/r#2 name=Runners bid.max=1 status=active", false),
		"it is refused itself": is(row, "ad_group/a/r#2 name=Runners bid.max=1 status=active", true),
		"the files drop it": is(nil,
			"ad_group/a/r#2 name=Runners bid.max=1 status=active description=theirs", false),
	} {
		if other == made {
			t.Errorf("%s, and the refusal rests on the same", name)
		}
	}
}

// A refusal is asked about again by its digest alone: what names another address,
// another refusal, or another run that was refused since, releases nothing.
func TestARefusalIsAskedAgainByItsDigest(t *testing.T) {
	at := address("campaign/a")
	desired, live := snapshot(t, "campaign/a name=Short status=paused"),
		snapshot(t, "campaign/a#c1 name=Spring status=paused")
	refused := plan.Refused{Basis: plan.Basis(desired.Get(at), live.Get(at), ""), Message: "no", Asked: "run-1"}
	planned := func(r plan.Refused, allow plan.Allowance) *plan.Plan {
		in := plan.Input{
			Schemas: kinds.All(), Last: live, Desired: desired, Live: live, Policy: plan.DefaultPolicy(),
			Refused: map[resource.Address]plan.Refused{at: r}, Allow: []plan.Allowance{allow},
		}
		in.Policy.Unattended = true
		return compare.Diff(in)
	}
	other, later := refused, refused
	other.Basis, later.Asked = "another", "run-2"
	for _, row := range []struct {
		name     string
		allow    plan.Allowance
		released bool
	}{
		{"this refusal", refused.AskAgain(at), true},
		{"at another address", refused.AskAgain(address("campaign/b")), false},
		{"of another row", other.AskAgain(at), false},
		{"of a later run", later.AskAgain(at), false},
	} {
		allow, err := plan.ParseAllowance(row.allow.String())
		if err != nil || allow != row.allow {
			t.Fatalf("ParseAllowance(%q) = %+v, %v", row.allow, allow, err)
		}
		p := planned(refused, allow)
		if got := len(p.Applicable()) == 1; got != row.released || len(p.Unused) == 1 == row.released {
			t.Errorf("%s: released %v, unused %v; want released %v", row.name, got, p.Unused, row.released)
		}
	}
	if p := planned(refused, refused.AskAgain(address("campaign/b"))); p.Changes[0].Holds()[0].Allow !=
		refused.AskAgain(at).String() {
		t.Errorf("held by %+v; want the allowance that asks again", p.Changes[0].Holds())
	}
	for _, bad := range []string{"refused", "refused=campaign/a", "refused=campaign/a=",
		"refused=campaign/a=12", "refused=campaign/a=XYZXYZXYZXYZ", "refused=5", "refused=1f2e3d4c5b6a"} {
		if a, err := plan.ParseAllowance(bad); err == nil || !strings.Contains(err.Error(), "refused=campaign/x=") {
			t.Errorf("ParseAllowance(%q) = %+v, %v; want an error with an example", bad, a, err)
		}
	}
}
