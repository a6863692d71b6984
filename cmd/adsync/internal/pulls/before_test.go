package pulls

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
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
		{"the other is closed", func() { f.closes(8, "") }, "d", "pending approved; applies now", ""},
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
	if !strings.Contains(strings.Join(f.hub.comments, "\n"), "Closed without a merge") {
		t.Error("nothing is said of what was closed")
	}
	if f.woken != 6 { // to apply 7 twice, 8 and 10, and to have the branch alone twice
		t.Errorf("the account is woken %d times; want 6", f.woken)
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
