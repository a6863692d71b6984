package pulls

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
	"adsync/plan"
)

// consented is a desk with pull request 7 of ann, whose head is h1, and whose plan holds a=1 and b=2.
type consenting struct {
	*fixture
	t *testing.T
}

func newConsenting(t *testing.T) *consenting {
	f := &consenting{newFixture(t), t}
	f.Rules = Rules{Approvers: []Approver{{Name: "bob"}, {Name: "@acme/buyers"}, {Name: "ann"},
		{Name: "fay", Hazards: []plan.Hazard{"archives"}}}, Lasts: 14 * 24 * time.Hour}
	f.hub.open, f.hub.authors = []forge.Pull{{Number: 7, Author: "ann", Branch: "main"}}, []string{"ann"}
	f.push("h1", "a=1 b=2")
	f.look(t)
	return f
}

// push has the pull request have a head, and a plan that holds parts.
func (f *consenting) push(head, asks string) {
	f.hub.open[0].Head, f.plans[7], f.asks[7] = head, "plan "+head, asks
}

// sentByPage has the pull request be of a branch of adsync's own, which nobody but adsync has pushed to.
func (f *consenting) sentByPage(branch string) {
	f.Rules.Uploads, f.hub.authors = []string{"adsync/other", "adsync/uploads"}, []string{"adsync"}
	f.hub.open[0].Source = "acme/ads:" + branch
}

// reviews has somebody approve a commit, and returns the review's id.
func (f *consenting) reviews(by, commit string) string {
	talk := f.hub.talk[7]
	id := fmt.Sprint(len(talk.Reviews))
	talk.Reviews = append(talk.Reviews,
		forge.Review{ID: id, By: by, Opinion: forge.Approves, Commit: commit, At: f.now})
	f.hub.talk[7] = talk
	f.moves()
	return id
}

// writes has somebody write a comment. {} is the digest of what is held.
func (f *consenting) writes(by, text string) {
	talk := f.hub.talk[7]
	text = strings.ReplaceAll(text, "{}", askedOf(7, f.asks[7]).Digest)
	talk.Comments = append(talk.Comments,
		forge.Comment{ID: fmt.Sprint(len(talk.Comments)), By: by, Text: text, At: f.now})
	f.hub.talk[7] = talk
	f.moves()
}

// touches has somebody edit adsync's comment.
func (f *consenting) touches(text string) { f.hub.writes(7, f.hub.own[7].ID, text) }

// moves has the forge say that something of the pull request is another.
func (f *consenting) moves() {
	f.now = f.now.Add(time.Second)
	f.hub.open[0].Updated = f.now
}

// edits changes what was said.
func (f *consenting) edits(do func(*forge.Talk)) {
	talk := f.hub.talk[7]
	talk.Reviews, talk.Comments = slices.Clone(talk.Reviews), slices.Clone(talk.Comments)
	do(&talk)
	f.hub.talk[7] = talk
	f.moves()
}

// merges merges it, and returns what was handed on.
func (f *consenting) merges() []string {
	if len(f.hub.open) > 0 && f.hub.heads[7] == "" {
		f.hub.heads[7] = f.hub.open[0].Head
	}
	f.hub.open, f.hub.merged[7] = nil, "m1"
	f.look(f.t)
	slices.Sort(f.given)
	return f.given
}

// What was agreed to of a pull request by the time it is merged, and what its comment says before.
func TestWhoseYesCounts(t *testing.T) {
	both := []string{"bob: a=1", "bob: b=2"}
	for _, row := range []struct {
		name string
		do   func(*consenting)
		want []string
		says string // the last comment before the merge
	}{
		{"nobody's", func(*consenting) {}, nil, "adsync approve " + askedOf(7, "a=1 b=2").Digest},
		{"an approver's review", func(f *consenting) { f.reviews("bob", "h1") }, both, "Approved by `bob`"},
		{"an approver's comment", func(f *consenting) { f.writes("bob", "adsync approve {}\n\nLooks fine.") }, both,
			"Approved by `bob`"},
		{"a member of a team", func(f *consenting) { f.reviews("may", "h1") }, []string{"may: a=1", "may: b=2"},
			"Approved by `may`"},
		{"a stranger's", func(f *consenting) { f.writes("eve", "adsync approve {}") }, nil,
			"`eve` of 2001-09-09 01:46 UTC, as they are no approver"},
		{"the author's own", func(f *consenting) { f.writes("ann", "adsync approve {}") }, nil, "as it is theirs"},
		{"that of who pushed to it", func(f *consenting) {
			f.hub.authors = []string{"ann", "BOB"}
			f.reviews("bob", "h1")
		}, nil, "as it is theirs"},
		{"where nobody knows who pushed", func(f *consenting) {
			f.hub.authors = []string{"", "ann"}
			f.reviews("bob", "h1")
		}, nil, "the forge does not say who pushed"},
		{"the author's own where that counts",
			func(f *consenting) { f.Rules.OwnCounts = true; f.reviews("ann", "h1") },
			[]string{"ann: a=1", "ann: b=2"}, "Approved by `ann`"},
		{"one to a file that was sent by the page", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.reviews("bob", "h1")
		}, nil, "a second approver has to agree to the same"},
		{"two to a file that was sent by the page", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.reviews("bob", "h1")
			f.reviews("may", "h1")
		}, append(both, "may: a=1", "may: b=2"), "Approved by `may`"},
		{"one twice, to a file that was sent by the page", func(f *consenting) {
			f.sentByPage("adsync/uploads")
			f.reviews("bob", "h1")
			f.reviews("BOB", "h1")
		}, nil, "a second approver has to agree to the same"},
		{"two of whom one may approve less of it", func(f *consenting) {
			f.sentByPage("adsync/uploads-shop-spring")
			f.push("h2", "a=1 archives:c=3")
			f.look(f.t)
			f.reviews("fay", "h2")
			f.reviews("bob", "h2")
		}, []string{"bob: c=3", "fay: c=3"}, "Approved by `fay`"},
		{"one to a file of the page where an author's own counts", func(f *consenting) {
			f.Rules.OwnCounts = true
			f.sentByPage("adsync/uploads-shop-spring")
			f.reviews("bob", "h1")
		}, both, "Approved by `bob`"},
		{"one to a branch that begins alike", func(f *consenting) {
			f.sentByPage("adsync/uploadsfast")
			f.reviews("bob", "h1")
		}, both, "Approved by `bob`"},
		{"of a hazard they may not approve", func(f *consenting) { f.reviews("fay", "h1") }, nil,
			"they may not approve what is held"},
		{"of a hazard they may", func(f *consenting) {
			f.push("h2", "a=1 archives:c=3")
			f.look(f.t)
			f.reviews("fay", "h2")
		}, []string{"fay: c=3"}, "Approved by `fay`"},
		{"a login in other letters", func(f *consenting) { f.reviews("BoB", "h1") }, []string{"BoB: a=1", "BoB: b=2"},
			"Approved by `BoB`"},
		{"a login that looks like it", func(f *consenting) { f.reviews("b\u043eb", "h1") }, nil,
			"they are no approver"},
		{"a login that some fold to it", func(f *consenting) {
			f.Rules.Approvers = []Approver{{Name: "kim"}}
			f.reviews("\u212aim", "h1") // the sign of Kelvin
		}, nil, "they are no approver"},
		{"no login at all", func(f *consenting) {
			f.Rules.Approvers = append(f.Rules.Approvers, Approver{})
			f.reviews("", "h1")
		}, nil, "they are no approver"},
		{"a program's", func(f *consenting) {
			f.writes("bob", "adsync approve {}")
			f.edits(func(t *forge.Talk) { t.Comments[0].Bot = true })
		}, nil, "as a program wrote it"},
		{"a review of another commit", func(f *consenting) { f.reviews("bob", "h0") }, nil,
			"whose plan was not the one shown"},
		{"a review of no commit", func(f *consenting) { f.reviews("bob", "") }, nil,
			"whose plan was not the one shown"},
		{"a digest of another pull request",
			func(f *consenting) { f.writes("bob", "adsync approve "+askedOf(8, "a=1 b=2").Digest) }, nil,
			"it names no plan of this pull request"},
		{"no digest", func(f *consenting) { f.writes("bob", "adsync approve") }, nil, "plan h1"},
		{"cited", func(f *consenting) { f.writes("bob", "> adsync approve {}\n\nNo!") }, nil, "plan h1"},
		{"as code", func(f *consenting) { f.writes("bob", "    adsync approve {}") }, nil, "plan h1"},
		{"below another line", func(f *consenting) { f.writes("bob", "Do not write\nadsync approve {}") }, nil,
			"plan h1"},
		{"among words", func(f *consenting) { f.writes("bob", "never adsync approve {}") }, nil, "plan h1"},
		{"edited", func(f *consenting) {
			f.writes("bob", "adsync approve {}")
			f.look(f.t)
			f.edits(func(t *forge.Talk) { t.Comments[0].Edited = true })
		}, nil, "as it was edited, or may have been"},
		{"edited into a yes", func(f *consenting) {
			f.writes("bob", "Hello")
			f.edits(func(t *forge.Talk) {
				t.Comments[0].Edited, t.Comments[0].Text = true, "adsync approve "+askedOf(7, "a=1 b=2").Digest
			})
		}, nil, "as it was edited, or may have been"},
		{"deleted", func(f *consenting) {
			f.writes("bob", "adsync approve {}")
			f.look(f.t)
			f.edits(func(t *forge.Talk) { t.Comments = nil })
		}, nil, "plan h1"},
		{"dismissed", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.edits(func(t *forge.Talk) { t.Reviews[0].Opinion = forge.Dismissed })
		}, nil, "plan h1"},
		{"changes asked for since", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.reviews("bob", "h1")
			f.edits(func(t *forge.Talk) { t.Reviews[1].Opinion = forge.Objects })
		}, nil, "they asked for changes since"},
		{"a remark since", func(f *consenting) {
			f.reviews("bob", "h1")
			f.reviews("bob", "h1")
			f.edits(func(t *forge.Talk) { t.Reviews[1].Opinion = forge.Remarks })
		}, both, "Approved by `bob`"},
		{"too old", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.now = f.now.Add(15 * 24 * time.Hour)
		}, nil, "it is older than 14 days"},
		{"of a clock that is ahead", func(f *consenting) {
			f.reviews("bob", "h1")
			f.edits(func(t *forge.Talk) { t.Reviews[0].At = f.now.Add(48 * time.Hour) })
		}, nil, "a time to come"},
		{"of a clock that is behind", func(f *consenting) {
			f.reviews("bob", "h1")
			f.edits(func(t *forge.Talk) { t.Reviews[0].At = f.now.Add(-time.Hour) })
		}, both, "Approved by `bob`"},
		{"before a push that touches one", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.push("h2", "a=1 b=3")
		}, []string{"bob: a=1"}, "1 held part"},
		{"before a push that touches all", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.push("h2", "a=8 b=9")
		}, nil, "a push has changed what it was given to"},
		{"read after that push", func(f *consenting) {
			f.writes("bob", "adsync approve {}")
			f.push("h2", "a=1 b=3")
		}, []string{"bob: a=1"}, "1 held part"},
		{"before a push and one back", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.push("h2", "a=1 b=3")
			f.look(f.t)
			f.push("h1", "a=1 b=2")
		}, []string{"bob: a=1"}, "1 held part"},
		{"before a push that breaks the files", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.push("h2", "broken")
			f.look(f.t)
			f.push("h3", "a=1 b=2")
		}, both, "Approved by `bob`"},
		{"what is live moves and comes back", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.stamp, f.asks[7] = "two", "a=1 b=7"
			f.look(f.t)
			f.stamp, f.asks[7] = "three", "a=1 b=2"
		}, both, "Approved by `bob`"},
		{"of a commit whose plan has moved before it was read", func(f *consenting) {
			f.stamp, f.asks[7] = "two", "a=1 b=7"
			f.look(f.t)
			f.reviews("bob", "h1")
		}, []string{"bob: a=1", "bob: b=7"}, "Approved by `bob`"},
		{"by a digest that was shown before", func(f *consenting) {
			f.stamp, f.asks[7] = "two", "a=1 b=7"
			f.look(f.t)
			f.writes("bob", "adsync approve "+askedOf(7, "a=1 b=2").Digest)
		}, both, "Approved by `bob`"},
		{"a review of what somebody made of adsync's comment", func(f *consenting) {
			f.touches("plan h1: b=1")
			f.reviews("bob", "h1")
		}, nil, "this comment was changed meanwhile"},
		{"a digest in it", func(f *consenting) {
			f.touches("plan h1: b=1")
			f.writes("bob", "adsync approve {}")
		}, nil, "this comment was changed meanwhile"},
		{"of that, which is put right before anybody looks", func(f *consenting) {
			genuine := f.hub.own[7].Text
			f.touches("plan h1: b=1")
			f.reviews("bob", "h1")
			f.touches(genuine)
		}, nil, "this comment was changed meanwhile"},
		{"where somebody deleted it", func(f *consenting) {
			delete(f.hub.own, 7)
			f.reviews("bob", "h1")
		}, nil, "this comment was changed meanwhile"},
		{"after adsync has written it again", func(f *consenting) {
			f.touches("plan h1: b=1")
			f.moves()
			f.look(f.t)
			f.reviews("bob", "h1")
		}, both, "Approved by `bob`"},
		{"before somebody touched it", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.touches("plan h1: b=1")
			f.moves()
		}, both, "Approved by `bob`"},
		{"a review where a comment has no room for all", func(f *consenting) {
			f.push("h2", "a=1 b=2 …")
			f.look(f.t)
			f.reviews("bob", "h2")
		}, nil, "a comment has no room for all that is held"},
		{"a digest of that", func(f *consenting) {
			f.push("h2", "a=1 b=2 …")
			f.look(f.t)
			f.writes("bob", "adsync approve {}")
		}, nil, "a comment has no room for all that is held"},
		{"before a push after which there is no room", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.push("h2", "a=1 b=2 c=3 …")
		}, both, "**This cannot be approved here**: a comment has no room for 1 change"},
		{"before a push that is merged at once", func(f *consenting) {
			f.reviews("bob", "h1")
			f.look(f.t)
			f.push("h2", "b=2")
		}, nil, "plan h1"},
		{"by two, each once", func(f *consenting) {
			f.reviews("bob", "h1")
			f.writes("may", "adsync approve {}")
		}, []string{"bob: a=1", "bob: b=2", "may: a=1", "may: b=2"}, "Approved by `may`"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newConsenting(t)
			said := "plan h1"
			if row.says != "plan h1" {
				said = strings.Join(f.hubSays(row.do), "\n")
			} else {
				row.do(f)
			}
			if !strings.Contains(said, row.says) {
				t.Errorf("the comment is\n%s\nwant %q", said, row.says)
			}
			if got := f.merges(); !slices.Equal(got, row.want) {
				t.Errorf("handed on is %q; want %q", got, row.want)
			}
			if f.given = nil; len(f.merges()) > 0 {
				t.Error("it is handed on twice")
			}
		})
	}
}

// hubSays does something, and returns the last comment that says so.
func (f *consenting) hubSays(do func(*consenting)) []string {
	f.hub.comments = nil
	do(f)
	if f.look(f.t); len(f.hub.comments) == 0 {
		f.stamp += "." // as it was: it is said again
		f.sums()
		f.look(f.t)
	}
	return f.hub.comments
}

// sums forgets what the comment says.
func (f *consenting) sums() {
	a := f.said[7]
	a.Sum = ""
	f.said[7] = a
}

// howTo says what counts at the forge, and nothing else.
func TestHowToApprove(t *testing.T) {
	for _, row := range []struct {
		reviews, comments bool
		want              string
	}{
		{true, true, "write `adsync approve d1` as a comment, or approve commit `abc` in a review"},
		{true, false, "approve commit `abc` in a review"},
		{false, true, "write `adsync approve d1` as a comment"},
	} {
		d := Desk{Forge: takes{reviews: row.reviews, comments: row.comments}}
		if got := d.howTo(Asked{Digest: "d1", Head: "abc"}); got != row.want {
			t.Errorf("reviews %t, comments %t: %q; want %q", row.reviews, row.comments, got, row.want)
		}
	}
}

// takes is a forge where these can be approvals.
type takes struct {
	forge.Repository
	reviews, comments bool
}

func (t takes) Consents() (reviews, comments bool) { return t.reviews, t.comments }

// One yes covers a hold or none does, as in the run that applies it.
func TestSeveralApprovalsDoNotAddUp(t *testing.T) {
	one, two := plan.Part{Address: "campaign/a", After: "1"}, plan.Part{Address: "campaign/b", After: "1"}
	more := one
	more.Amount = 5
	yesTo := func(why string, parts ...plan.Part) judged {
		return judged{yes{Asks: []plan.Ask{{Hazard: plan.Exposure, Parts: parts}}}, why}
	}
	for _, row := range []struct {
		name string
		all  []judged
		hold []plan.Part
		want bool
	}{
		{"one yes to both", []judged{yesTo("", one, two)}, []plan.Part{one, two}, true},
		{"a yes each", []judged{yesTo("", one), yesTo("", two)}, []plan.Part{one, two}, false},
		{"one that does not count", []judged{yesTo("they are no approver", one)}, []plan.Part{one}, false},
		{"more than was shown", []judged{yesTo("", one)}, []plan.Part{more}, false},
		{"less than was shown", []judged{yesTo("", more)}, []plan.Part{one}, true},
		{"nobody", nil, []plan.Part{one}, false},
	} {
		if got := covers(row.all, plan.Exposure, row.hold); got != row.want {
			t.Errorf("%s: covered: %t; want %t", row.name, got, row.want)
		}
	}
}

// Where two have to agree, each yes counts for what both agreed to, up to the lower amount.
func TestTwoAgreeToTheLowerAmount(t *testing.T) {
	part := func(address string, amount int64) plan.Part { return plan.Part{Address: address, Amount: amount} }
	yesOf := func(by string, parts ...plan.Part) judged {
		return judged{yes{By: by, Asks: []plan.Ask{{Hazard: plan.Exposure, Parts: parts}}}, ""}
	}
	all := []judged{yesOf("bob", part("a", 9), part("b", 1)), yesOf("may", part("a", 5)), yesOf("cy", part("a", 7))}
	given := all[0].Asks[0].Parts
	together(all)
	for _, row := range []struct {
		name string
		hold plan.Part
		want bool
	}{
		{"what two agreed to", part("a", 7), true},
		{"more than two agreed to", part("a", 8), false},
		{"what one agreed to", part("b", 1), false},
	} {
		if got := covers(all, plan.Exposure, []plan.Part{row.hold}); got != row.want {
			t.Errorf("%s: covered: %t; want %t", row.name, got, row.want)
		}
	}
	if given[0].Amount != 9 || len(given) != 2 {
		t.Errorf("what somebody agreed to is %+v by now; want it kept as it was given", given)
	}
}

// A forge says by the second when a pull request was updated: what comes within the second of what was read last is
// heard, too, and nobody is heard again and again.
func TestWhatIsSaidWithinASecondIsHeard(t *testing.T) {
	f := newConsenting(t)
	f.writes("eve", "adsync approve {}")
	updated := f.now
	f.look(t)
	f.reviews("bob", "h1")
	f.hub.open[0].Updated, f.now = updated, updated.Add(time.Second)
	f.look(t)
	if said := f.hub.comments[len(f.hub.comments)-1]; !strings.Contains(said, "Approved by `bob`") {
		t.Errorf("the comment is %q; want the yes of bob", said)
	}
	for range 3 {
		f.look(t)
	}
	before := f.hub.heard
	f.now = f.now.Add(time.Minute)
	if f.look(t); f.hub.heard != before {
		t.Errorf("people are heard %d times more; want none", f.hub.heard-before)
	}
}
