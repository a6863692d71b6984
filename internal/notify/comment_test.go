package notify

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// Who watches an account hears what is said there; somebody who is told of nothing else hears what concerns them; and
// nobody hears themselves.
func TestCommentsAreToldToThoseConcerned(t *testing.T) {
	said := []Said{{By: "anna", Of: "Raise the budget of “Spring”", Text: "why?", Concerns: []string{"ben", "anna"}},
		{By: "ben", Of: "run-000007", Text: "the sale"}}
	for _, tc := range []struct {
		name string
		to   Destination
		want []string
	}{
		{"a place that names no topics", Destination{}, []string{"2 comments"}},
		{"a place that asks for it", Destination{On: []Topic{topicComment}}, []string{"2 comments"}},
		{"a place that asks for others", Destination{On: []Topic{topicFailed}}, []string{}},
		{"somebody who watches and spoke", Destination{Person: "ben"}, []string{"somebody commented"}},
		{"somebody whom it concerns", Destination{Person: "ben", Concerned: true}, []string{"somebody commented"}},
		{"somebody who spoke", Destination{Person: "anna", Concerned: true}, []string{}},
		{"somebody else", Destination{Person: "cleo", Concerned: true}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &desk{}
			telling(t, d, tc.to, func(n *Notifier) {
				n.TellComments(nil)
				n.TellComments(said)
				synctest.Wait()
				if diff := cmp.Diff(tc.want, d.all()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Who is told only of what concerns them hears of no run.
func TestWhoIsConcernedHearsOfNothingElse(t *testing.T) {
	d := &desk{}
	telling(t, d, Destination{Person: "ben", Concerned: true}, func(n *Notifier) {
		n.tell(applied(1, 1))
		synctest.Wait()
		if all := d.all(); len(all) > 0 {
			t.Errorf("told %q; want nothing", all)
		}
	})
}

func TestCommentsThatWaitAreOneMessage(t *testing.T) {
	before := section(commented(1), []Item{{Text: "anna on x: a"}})
	before.Topic, before.Count = topicComment, 1
	after := section(commented(1), []Item{{Text: "ben on x: b"}})
	after.Topic, after.Count = topicComment, 1
	both := after.after(before)
	if both.Title != "2 comments" || len(both.Items) != 2 || !strings.HasPrefix(both.Items[0].Text, "ben") {
		t.Errorf("%+v; want both, the newest first", both)
	}
}
