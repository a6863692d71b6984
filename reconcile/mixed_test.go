package reconcile_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"
	"testing/synctest"

	"adsync/internal/resource"

	"github.com/google/go-cmp/cmp"
)

// Set gives a resource of the files another value.
func (s *simulation) Set(kind resource.Kind, key, attribute string, value resource.Value) {
	s.t.Helper()
	r := s.desired.Get(resource.Address{Kind: kind, Key: key})
	if r == nil {
		s.t.Fatalf("the files have no %s %s", kind, key)
	}
	r.Set(attribute, value)
}

// performance.md: edits of every sort in one apply take a submission and a question
// for each job, a wave that has something to send has one job, and no results are read
// but those of what is new. What is read in between is what the next wave rests on.
func TestMixedUpdatesAreAJobAWave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, always(0))
		s.fill(account{100, 1, 1, 0})
		s.applied()
		s.counter.asked = map[string]int{}
		for i := range 10 {
			key := fmt.Sprintf("c%04d", i)
			s.Set("campaign", key, "budget.lifetime", resource.Number(90_000_000))
			s.Set("campaign", fmt.Sprintf("c%04d", 20+i), "name", resource.Text("Other "+key))
			s.Set("ad_group", fmt.Sprintf("c%04d/g0000", 30+i), "bid.max", resource.Number(1_300_000))
			s.Set("ad_group", fmt.Sprintf("c%04d/g0000", 40+i), "status", resource.Text("paused"))
			s.Set("ad", fmt.Sprintf("c%04d/g0000/a0000", 50+i), "title", resource.Text("Shoes for sand"))
		}
		s.write("campaign/new", map[string]any{
			"name": "Campaign new", "status": "paused",
			"bidding_type": "clicks", "budget.lifetime": 100_000_000, "targeting.countries": []string{"US"},
		})
		s.applied()
		want := map[string]int{
			// what lowers, what changes, a preflight, what is new, what raises
			"POST bulk_mutation_jobs":                5,
			"GET bulk_mutation_jobs/{id}":            4,
			"GET bulk_mutation_jobs/{id}/operations": 1,
			"POST upload":                            1, // the one image of all ads whose creatives are sent whole
			"GET ad_account":                         2,
			"GET ad_account/spend_limit_windows":     1,
			"GET ad_account/insights":                1,
			"GET campaigns":                          4, // the plan, and after each wave that changes some
			"GET ad_groups":                          4, // the plan, after a wave, and before and after bids are raised
			"GET ads":                                3, // the plan, and before and after creatives are sent
		}
		if diff := cmp.Diff(want, s.counter.asked); diff != "" || s.limited > 0 {
			t.Errorf("%d refused, requests (-want +got):\n%s", s.limited, diff)
		}
	})
}

// Bids are updated in jobs; one whose campaign changes in the same wave goes after it,
// alone, as jobs keep no order.
func TestABidGoesAloneWhereItsCampaignChangesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, always(0))
		s.fill(account{4, 1, 1, 0})
		s.applied()
		for i := range 4 {
			s.Set("ad_group", fmt.Sprintf("c%04d/g0000", i), "bid.max", resource.Number(1_300_000))
		}
		s.Set("campaign", "c0003", "budget.lifetime", resource.Number(110_000_000))
		s.counter.asked = map[string]int{}
		s.applied()
		if jobs, alone := s.counter.asked["POST bulk_mutation_jobs"],
			s.counter.asked["POST ad_groups/{id}"]; jobs != 1 || alone != 1 {
			t.Errorf("%d jobs, %d bids alone; want one each: %s", jobs, alone, s.counter)
		}
	})
}

// performance.md: an image is uploaded once for each content, however many ads show it,
// under however many names, and in whichever apply.
func TestAnImageIsUploadedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, always(0))
		s.images = map[string][]byte{}
		s.agent.Image = func(source string) (string, []byte, error) { return "image.png", s.images[source], nil }
		s.fill(account{30, 1, 1, 0})
		distinct := []string{s.image(picture(t, 1)), s.image(picture(t, 2)), s.image(picture(t, 3))}
		show := func(from, to int) {
			for i := from; i < to; i++ {
				s.Set("ad", fmt.Sprintf("c%04d/g0000/a0000", i),
					"image", resource.Text(distinct[i%3]).As(fmt.Sprintf("picture %d.png", i)))
			}
		}
		show(0, 10)
		s.applied()
		s.wantUploads(3, "of a create")
		show(10, 30)
		s.applied()
		s.wantUploads(3, "with those of a later edit")
	})
}

func (s *simulation) wantUploads(want int, when string) {
	s.t.Helper()
	if got := s.counter.asked["POST upload"]; got != want {
		s.t.Errorf("%d uploads %s; want %d, one for each image: %s", got, when, want, s.counter)
	}
}

// picture is one the service takes, of one colour.
func picture(t *testing.T, shade uint8) []byte {
	t.Helper()
	var content bytes.Buffer
	whole := image.NewPaletted(image.Rect(0, 0, 640, 640), color.Palette{color.Gray{shade}})
	if err := png.Encode(&content, whole); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}
