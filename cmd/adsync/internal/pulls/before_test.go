package pulls

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/forge"
	"adsync/internal/resource"
	"adsync/plan"
)

// earlyFixture is a desk that has pull requests be applied before they are merged, and the account beside it.
type earlyFixture struct {
	*fixture
	applied bool // a run has read what the account is told to have, and left nothing
	read    bool // the branch as it was read has what is merged
	said    int
}

func newEarly(t *testing.T) *earlyFixture {
	f := &earlyFixture{fixture: newFixture(t)}
	f.hub.authors = []string{"ann"}
	f.Rules = Rules{Approvers: []Approver{{Name: "bob"}}, Lasts: 14 * 24 * time.Hour}
	f.begin()
	return f
}

// begin has another process go on with what is kept.
func (f *earlyFixture) begin() {
	before := f.Desk
	f.Desk = &Desk{
		Forge: f.hub, Kept: before.Kept, Log: slog.New(slog.DiscardHandler), Now: before.Now, At: before.At,
		Plan: before.Plan, Approve: before.Approve, Wake: before.Wake, Rules: before.Rules, Before: true, Mark: mark,
		Has: func(context.Context, string) (bool, error) { return f.read, nil },
		Result: func(_ context.Context, m Merge) (string, bool, error) {
			if m.Before && !f.applied {
				return "", false, errLater
			}
			return fmt.Sprintf("%s\nresult of %s", mark, m.Commit), true, nil
		},
	}
}

// opens has there be a pull request whose plan asks for words.
func (f *earlyFixture) opens(number int, head, words string) {
	f.plans[number], f.asks[number] = "plan", words
	f.hub.open = slices.DeleteFunc(f.hub.open, func(p forge.Pull) bool { return p.Number == number })
	f.hub.open = append(f.hub.open, forge.Pull{Number: number, Head: head, Branch: "main", Updated: f.now})
	f.stamp += "."
}

// approves has somebody approve the head as it is.
func (f *earlyFixture) approves(number int, by string) {
	f.now = f.now.Add(time.Second)
	for i := range f.hub.open {
		if p := &f.hub.open[i]; p.Number == number {
			p.Updated = f.now
			talk := f.hub.talk[number]
			f.said++
			talk.Reviews = append(talk.Reviews, forge.Review{
				ID: fmt.Sprint(f.said), By: by, Opinion: forge.Approves, Commit: p.Head, At: f.now,
			})
			f.hub.talk[number] = talk
		}
	}
}

func (f *earlyFixture) closes(number int, merged string) {
	for _, p := range f.hub.open {
		if p.Number == number {
			f.hub.heads[number] = p.Head
		}
	}
	f.hub.open = slices.DeleteFunc(f.hub.open, func(p forge.Pull) bool { return p.Number == number })
	f.hub.merged[number] = merged
}

func (f *earlyFixture) ahead(t *testing.T) string {
	t.Helper()
	a, err := AheadOf(f.Kept)
	if err != nil {
		t.Fatal(err)
	}
	if a == nil {
		return ""
	}
	return fmt.Sprint(a.Number, " ", a.Head)
}

// What is said of pull requests that are applied before their merge, and which of them the account has, look by look.
func TestWhatIsAppliedBeforeItsMerge(t *testing.T) {
	f := newEarly(t)
	for _, row := range []struct {
		name  string
		do    func()
		of    string // head
		want  string // of its status
		ahead string // which the account has
	}{
		{"one is opened, and nothing is held", func() { f.opens(7, "a", "before-merge:bid=1") },
			"a", "pending needs approval: applies 1 change before the merge", ""},
		{"somebody approves who may not", func() { f.approves(7, "eve") },
			"a", "pending needs approval: applies 1 change before the merge", ""},
		{"its author approves", func() { f.approves(7, "ann") },
			"a", "pending needs approval: applies 1 change before the merge", ""},
		{"who may approves", func() { f.approves(7, "bob") }, "a", "pending approved; applies now", "7 a"},
		{"no run has ended", func() {}, "a", "pending approved; applies now", "7 a"},
		{"the daemon dies", func() { f.begin() }, "a", "pending approved; applies now", "7 a"},
		{"a run has ended, and left it", func() { f.applied = true }, "a", "pending approved; applies now", "7 a"},
		{"what it left is held", func() { f.opens(7, "a", "bid=1") }, "a", "pending ", "7 a"},
		{"a run has applied it, and the plan is not read yet", func() {
			f.applied = false
			f.opens(7, "a", "")
		}, "a", "pending approved; applies now", "7 a"},
		{"it is applied", func() { f.applied = true }, "a", "success applied before the merge, and verified", "7 a"},
		{"another is opened", func() { f.opens(8, "d", "before-merge:url=1") },
			"d", "pending waits for pull request 7, which is applied and not merged", "7 a"},
		{"and approved", func() { f.approves(8, "bob") },
			"d", "pending waits for pull request 7, which is applied and not merged", "7 a"},
		{"the first is pushed to", func() { f.opens(7, "b", "before-merge:bid=2") },
			"b", "pending needs approval: applies 1 change before the merge", "7 a"},
		{"that is approved", func() { f.applied = false; f.approves(7, "bob") },
			"b", "pending approved; applies now", "7 b"},
		{"and applied", func() { f.applied = true; f.opens(7, "b", "") },
			"b", "success applied before the merge, and verified", "7 b"},
		{"it is merged, and the branch is not read", func() { f.closes(7, "m") },
			"d", "pending waits for pull request 7, which is applied and not merged", "7 b"},
		{"the branch is read", func() { f.read, f.applied = true, false }, "d", "pending approved; applies now", "8 d"},
		{"a third yes comes, as of the first another was left", func() { f.approves(8, "bob") },
			"d", "pending approved; applies now", "8 d"},
		{"the other is closed", func() { f.closes(8, "") }, "d", "pending taken back: not merged into main", ""},
		{"one with a problem is approved", func() { f.opens(9, "e", "broken"); f.approves(9, "bob") },
			"e", "success ", ""}, // the verdict of this fixture; it is not applied
		{"one holds a change, and nobody has approved", func() { f.opens(10, "g", "budget=1 before-merge:url=2") },
			"g", "pending ", ""},
		{"somebody has", func() { f.approves(10, "bob") }, "g", "pending approved; applies now", "10 g"},
	} {
		row.do()
		f.look(t)
		if got, ahead := f.hub.judged[row.of], f.ahead(t); got != row.want || ahead != row.ahead {
			t.Errorf("%s: %s is %q, and the account has %q; want %q, %q",
				row.name, row.of, got, ahead, row.want, row.ahead)
		}
	}
	if last := f.given; !slices.Equal(last, []string{"bob: budget=1"}) {
		t.Errorf("what was handed on is %q; want what was held, and nothing else", last)
	}
	if !strings.Contains(strings.Join(f.hub.comments, "\n"), "Not merged into main: it was closed") {
		t.Error("nothing is said of what was closed")
	}
	if f.woken != 7 { // to apply 7 twice, 8 twice, and 10, and to have the branch alone twice
		t.Errorf("the account is woken %d times; want 7", f.woken)
	}
}

// What is not so any more by the time that the pull request was planned is not applied.
func TestABeforeMergeIsAskedForOnceMore(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(*earlyFixture)
		want string // that the account has
	}{
		{"nothing happens", func(*earlyFixture) {}, "7 a"},
		{"it is closed", func(f *earlyFixture) { f.closes(7, "") }, ""},
		{"it is pushed to", func(f *earlyFixture) { f.hub.open[0].Head = "b" }, ""},
		{"it is to go elsewhere", func(f *earlyFixture) { f.hub.open[0].Branch = "next" }, ""},
		{"the yes is taken back", func(f *earlyFixture) { f.hub.talk[7] = forge.Talk{} }, ""},
	} {
		f := newEarly(t)
		f.opens(7, "a", "before-merge:bid=1")
		f.look(t)
		f.approves(7, "bob")
		plan := f.Plan
		f.Plan = func(ctx context.Context, p forge.Pull) (*Answer, error) {
			row.do(f)
			return plan(ctx, p)
		}
		if f.look(t); f.ahead(t) != row.want {
			t.Errorf("%s while it is planned: the account has %q; want %q", row.name, f.ahead(t), row.want)
		}
	}
}

// Where nothing can be planned, as after a start, it is seen nevertheless what became of it.
func TestWhatIsClosedIsSeenWithoutAPlan(t *testing.T) {
	f := newEarly(t)
	f.opens(7, "a", "before-merge:bid=1")
	f.look(t)
	f.approves(7, "bob")
	f.look(t)
	f.At = func() (string, string, bool) { return "main", "", true }
	found := f.hub.found
	if f.look(t); f.ahead(t) != "7 a" || f.hub.found == found {
		t.Errorf("the account has %q, and the forge is asked for it %v; want it, and to have it merged anew",
			f.ahead(t), f.hub.found > found)
	}
	f.closes(7, "")
	if f.look(t); f.ahead(t) != "" {
		t.Errorf("the account has %q; want its branch alone", f.ahead(t))
	}
}

// An approval of the account expires before the yes at the forge does: it is given anew for as long as that counts, and
// not with each look.
func TestAYesIsHandedOnUntilItIsApplied(t *testing.T) {
	f := newEarly(t)
	f.opens(7, "a", "budget=1 before-merge:budget=1")
	f.look(t)
	f.approves(7, "bob")
	var handedOn []time.Time
	approve := f.Approve
	f.Approve = func(a daemon.Approval) error {
		handedOn = append(handedOn, a.Time)
		return approve(a)
	}
	f.look(t)
	f.look(t)
	f.now = f.now.Add(25 * time.Hour)
	f.look(t)
	f.look(t)
	if len(handedOn) != 2 || handedOn[1].Sub(handedOn[0]) != 25*time.Hour {
		t.Errorf("it is handed on at %v; want once, and once more a day later", handedOn)
	}
	if got := f.hub.judged["a"]; got != "pending approved; applies now" {
		t.Errorf("the status is %q; want that it applies", got)
	}
	f.now = f.now.Add(14 * 24 * time.Hour)
	if f.look(t); len(handedOn) != 2 {
		t.Errorf("it is handed on at %v; want nothing of a yes that has expired", handedOn)
	}
	if got := f.hub.judged["a"]; strings.Contains(got, "applies now") {
		t.Errorf("the status is %q; want that it waits", got)
	}
}

// A pull request that somebody deleted is closed, and nothing can be said of it.
func TestWhatIsDeletedIsTakenBack(t *testing.T) {
	f := newEarly(t)
	f.opens(7, "a", "before-merge:bid=1")
	f.look(t)
	f.approves(7, "bob")
	f.look(t)
	before := f.ahead(t)
	f.closes(7, "")
	f.hub.deleted = 7
	if said := f.look(t); before != "7 a" || f.ahead(t) != "" || len(said) > 0 || len(f.Desk.said) > 0 {
		t.Errorf("the account has %q, and then %q; the forge is told %q, and %d are remembered; want it, then nothing",
			before, f.ahead(t), said, len(f.Desk.said))
	}
}

// Whoever waits for another is planned once, and again once that is not before the branch any more.
func TestWhoWaitsIsNotPlannedAgainAndAgain(t *testing.T) {
	f := newEarly(t)
	f.opens(7, "a", "before-merge:bid=1")
	f.look(t)
	f.approves(7, "bob")
	f.look(t)
	f.opens(8, "d", "before-merge:url=1")
	f.look(t)
	planned, plan := 0, f.Plan
	f.Plan = func(ctx context.Context, p forge.Pull) (*Answer, error) {
		if p.Number == 8 {
			planned++
		}
		return plan(ctx, p)
	}
	for range 3 {
		f.look(t)
	}
	if planned > 0 {
		t.Errorf("it is planned %d times more; want none", planned)
	}
	f.closes(7, "")
	if f.look(t); planned != 1 {
		t.Errorf("it is planned %d times once the first is closed; want 1", planned)
	}
}

// A yes is to all of a row, also to the fields that nothing holds: they are applied with it.
func TestAYesIsToAllOfARowThatIsHeldInPart(t *testing.T) {
	field := func(path string, held *plan.Hold) plan.Field { return plan.Field{Name: path, Held: held} }
	p := &plan.Plan{Changes: []plan.Change{{
		Address: resource.Address{Kind: "campaign", Key: "a"}, Action: plan.Update,
		Fields: []plan.Field{field("budget", &plan.Hold{Hazard: "exposure", Allow: "exposure"}), field("url", nil)},
	}}}
	ask, asks := asksBefore(p)
	var of []string
	for _, part := range ask.Parts {
		of = append(of, part.Field)
	}
	if !asks || !slices.Contains(of, "url") || !slices.Contains(of, "budget") {
		t.Errorf("it asks for %q; want both fields", of)
	}
}

// A record that cannot be read is not taken for none: the account would go back to its branch.
func TestWhatTheAccountHasBeforeItsBranchIsReadOrNotAtAll(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"it is cut off", `{"number": 7, "he`, "cannot be read"},
		{"it is of nothing", `{}`, "it is damaged"},
		{"it is of no commit", `{"number": 7}`, "it is damaged"},
	} {
		f := newEarly(t)
		if err := f.Kept.Put(aheadName, []byte(row.content)); err != nil {
			t.Fatal(err)
		}
		if a, err := AheadOf(f.Kept); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: AheadOf() = %v, %v; want %q", row.name, a, err, row.want)
		}
	}
}
