package reconcile_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/emulator"
	"adsync/internal/review"
)

// counting counts what is sent.
type counting struct {
	sent  atomic.Int64
	other atomic.Int64 // that could change something
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	if r.Method != http.MethodGet {
		c.other.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// reviewedShop is an account of so many ads in so many ad groups, applied; the first ad of each
// group is rejected by its review.
func reviewedShop(t *testing.T, points string, groups, ads int) (*world, *counting) {
	w := newWorld(t, func(o *emulator.Options) {
		settings, err := emulator.ParseOpenPoints(points)
		if err != nil {
			t.Fatal(err)
		}
		o.OpenPoints = settings
	})
	w.tree("spring", "active")
	for g := range groups {
		w.write(fmt.Sprintf("ad_group/spring/g%d", g), map[string]any{
			"name": fmt.Sprintf("Group %d", g), "status": "active",
			"bid.max": 1_250_000, "context_hints": []string{"people who run"},
		})
		for i := range ads {
			url := fmt.Sprintf("https://shop.example/%d/%d", g, i)
			if i == 0 {
				url = "https://shop.example/review/crawler_404/x"
			}
			w.write(fmt.Sprintf("ad/spring/g%d/a%d", g, i), map[string]any{
				"name": fmt.Sprintf("Ad %d of %d", i, g), "status": "active", "title": "Shoes for mud",
				"body": "Light shoes.", "target_url": url, "image": "https://images.shop.example/a.jpg",
			})
		}
	}
	w.clean()
	seen := &counting{}
	client, err := adsapi.New(adsapi.Config{
		BaseURL: w.service.BaseURL, Key: adsapi.NewSecret(w.service.Key),
		UserAgent: "test", Transport: seen, Now: w.now, Sleep: w.sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.agent.Service = client
	return w, seen
}

// TestReadsOfReviewsKeepToTheirShare: whatever lists a service has, no minute takes more
// than a twentieth of what the service takes of one endpoint, and all is read in the end.
func TestReadsOfReviewsKeepToTheirShare(t *testing.T) {
	const share = 600 / review.Part
	tests := []struct {
		name, points string
		minutes      int // until all is read
	}{
		{"a list of the account", "list_ads=account", 1},
		{"lists beneath ad groups", "list_ads=by_ad_group", 2},
		{"no list at all", "list_ads=absent", 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, seen := reviewedShop(t, tt.points, 30, 2)
			w.service.Advance(t, 600)
			known, minutes := &review.Record{}, 0
			for left := true; left && minutes < 20; minutes++ {
				before := seen.sent.Load()
				if err := w.agent.ReadReviews(t.Context(), known); err != nil {
					t.Fatal(err)
				}
				left = known.Left
				if sent := seen.sent.Load() - before; sent > share {
					t.Errorf("%d requests in a minute; want at most %d", sent, share)
				}
				if err := w.agent.ReadReviews(t.Context(), known); err != nil || left && !known.Left {
					t.Errorf("another read in that minute: left %t, %v; want what is left to be left", known.Left, err)
				}
				if sent := seen.sent.Load() - before; sent > share {
					t.Errorf("%d requests in a minute of two reads; want at most %d", sent, share)
				}
				if err := w.sleep(t.Context(), time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			s := known.Summary()
			if s == nil || s.Rejected != 30 || s.Approved != 31 || minutes > tt.minutes {
				t.Errorf("after %d minutes %+v; want 30 rejected and 31 approved within %d", minutes, s, tt.minutes)
			}
			if seen.other.Load() != 0 {
				t.Errorf("%d requests could change something; want none", seen.other.Load())
			}
		})
	}
}

// TestAPlanSeesReviewsAndNeedsNoRequest: what its lists say is taken in, and the plan stays
// empty.
func TestAPlanSeesReviewsAndNeedsNoRequest(t *testing.T) {
	w, seen := reviewedShop(t, "list_ads=account", 1, 2)
	w.plan()
	before := seen.sent.Load()
	w.plan()
	each := seen.sent.Load() - before
	w.service.Advance(t, 600)
	before = seen.sent.Load()
	view := w.plan()
	if sent := seen.sent.Load() - before; sent != each || len(view.Plan.Changes) != 0 {
		t.Errorf("a plan sent %d requests and has %d changes; want %d, and none", sent, len(view.Plan.Changes), each)
	}
	known := &review.Record{}
	view.ReviewsOf(w.now(), known)
	line, ok := known.Line("ad/spring/g0/a0")
	if !ok || line.State != review.Rejected || line.Called() != "“Ad 0 of 0” in Campaign spring › Group 0" ||
		!strings.Contains(line.Why(), "(crawler_404)") {
		t.Errorf("the plan says %+v; want the ad rejected, by its names, with its reason", line)
	}
}
