package notify

import (
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/review"

	"github.com/google/go-cmp/cmp"
)

func judged(name string, state review.State) review.Line {
	return review.Line{
		Name: name, In: "Spring › Runners", State: state,
		Reason: "crawler_404", Means: "the landing page is not there", Do: "mend it",
	}
}

// TestReviewsAreToldAtOnce: whatever else was told within the hour, in quiet hours too, and
// to those alone that ask for it; what could not leave yet is one message that names each ad.
func TestReviewsAreToldAtOnce(t *testing.T) {
	always := Quiet{From: 0, To: 24*time.Hour - time.Minute}
	for _, tc := range []struct {
		name string
		on   []Topic
		want []string
	}{
		{"to those who name no topics",
			nil, []string{"review of ads: 1 rejected", "review of ads: 1 limited, 1 approved"}},
		{"to those who ask for it", []Topic{topicReview},
			[]string{"review of ads: 1 rejected", "review of ads: 1 limited, 1 approved"}},
		{"to nobody else", []Topic{topicFailed, topicHeld}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &desk{}
			telling(t, d, Destination{On: tc.on, Quiet: always}, func(n *Notifier) {
				for run := range 2 * perHour {
					n.tell(applied(run, 1))
				}
				n.TellReviews([]review.Line{judged("Hero", review.Rejected)})
				synctest.Wait()
				n.TellReviews(nil)
				n.TellReviews([]review.Line{judged("Second", review.Limited), judged("Hero", review.Approved)})
				synctest.Wait()
				if diff := cmp.Diff(tc.want, d.all()); diff != "" {
					t.Errorf("told at once (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestWhatIsToldOfAnAdNamesIt(t *testing.T) {
	one := reviewed([]review.Line{judged("Hero", review.Rejected), {Name: "Second", State: review.Approved}})
	want := []Item{
		{Text: "“Hero” in Spring › Runners: Rejected: the landing page is not there (crawler_404). Mend it."},
		{Text: "“Second” is approved now"},
	}
	if diff := cmp.Diff(want, one.Items); diff != "" || one.Topic != topicReview {
		t.Errorf("the section is of %s and says (-want +got):\n%s", one.Topic, diff)
	}
}

func TestTwoMessagesOfReviewsLoseNoAd(t *testing.T) {
	one := reviewed([]review.Line{judged("Second",
		review.Limited)}).after(reviewed([]review.Line{judged("Hero", review.Rejected)}))
	if len(one.Items) != 2 || one.Count != 2 || one.Title != "review of ads: 2 judged" {
		t.Errorf("two messages in one are %+v; want both ads", one)
	}
}
