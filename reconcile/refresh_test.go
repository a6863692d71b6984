package reconcile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/google/go-cmp/cmp"
)

// tree are the requests for campaigns, ad groups and ads.
func (s *shelf) tree() (lists, reads int) {
	for name, n := range s.asked {
		switch {
		case strings.HasSuffix(name, "/{id}"):
			reads += n
		case s.rows[strings.TrimPrefix(name, "/")] != nil:
			lists += n
		}
	}
	return lists, reads
}

// Performance: 15,000 resources with lists are 30 requests, and beside them one
// for the account and one for its limits of spending.
func TestFullRefreshIsThirtyRequests(t *testing.T) {
	s := newShelf(5000)
	store, desired := s.bound(t)
	view := s.planned(t, s.agent(t, store, s), desired)
	if len(view.Plan.Changes) != 0 || len(view.Live.Resources) != 15000 {
		t.Errorf("%d resources, %d changes; want 15000 and none", len(view.Live.Resources), len(view.Plan.Changes))
	}
	want := map[string]int{
		"/campaigns": 10, "/ad_groups": 10, "/ads": 10, "/ad_account": 1, "/ad_account/spend_limit_windows": 1,
	}
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// N24: whatever lists leave out, move or repeat, what is bound is found, nothing
// counts as gone that is there, and what is gone does.
func TestN24ListsThatAreNotWholeLoseNothing(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(s *shelf)
		gone    int
		lists   int // requests for pages
		reads   int // requests for one resource
	}{
		{name: "whole pages", prepare: func(*shelf) {}, lists: 3},
		{name: "pages shorter than the limit", prepare: func(s *shelf) { s.page = 50 }, lists: 9},
		{name: "a page of one", prepare: func(s *shelf) { s.page = 1 }, lists: 360},
		{name: "a list that leaves three out", prepare: func(s *shelf) {
			s.hidden["c7"], s.hidden["g8"], s.hidden["a9"] = true, true, true
		}, lists: 3, reads: 3},
		{name: "a list that leaves out every other one", prepare: func(s *shelf) {
			for i := 0; i < 120; i += 2 {
				s.hidden[fmt.Sprint("a", i)] = true
			}
		}, lists: 3, reads: 60},
		{name: "an empty list", prepare: func(s *shelf) {
			for i := range 120 {
				s.hidden[fmt.Sprint("c", i)] = true
			}
		}, lists: 3, reads: 120},
		{name: "no list of ads", prepare: func(s *shelf) { s.unlisted["ads"] = true }, lists: 4, reads: 120},
		{name: "no lists at all", prepare: func(s *shelf) {
			s.unlisted["ads"], s.unlisted["ad_groups"], s.unlisted["campaigns"] = true, true, true
		}, lists: 5, reads: 360},
		{name: "one that is really gone", prepare: func(s *shelf) { s.remove("ads", "a5") },
			gone: 1, lists: 3, reads: 1},
		{name: "rows that move to the front while pages are read", prepare: func(s *shelf) {
			s.page = 50
			s.between = func(collection string, pages int) {
				if rows := s.rows[collection]; pages == 1 { // the fortieth takes the place behind the last
					s.rows[collection] = append(rows[100:], rows[:100]...)
				}
			}
		}, lists: -1, reads: -1},
		{name: "cursors that others' writes make invalid", prepare: func(s *shelf) {
			s.page = 50
			s.between = func(collection string, pages int) {
				// the ad that ends the first page is archived, and archived ones are not listed
				if collection == "ads" && pages == 1 {
					s.hidden["a49"] = true
				}
			}
		}, lists: 9 + 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newShelf(120)
			store, desired := s.bound(t)
			tc.prepare(s)
			view := s.planned(t, s.agent(t, store, s), desired)
			gone := 0
			for _, c := range view.Plan.Changes {
				if c.IsGone() {
					gone++
				} else {
					t.Errorf("%s %s is in the plan; want no change", c.Action, c.Address)
				}
			}
			lists, reads := s.tree()
			if gone != tc.gone || tc.lists >= 0 && (lists != tc.lists || reads != tc.reads) {
				t.Errorf("%d gone, %d pages, %d reads; want %d, %d, %d",
					gone, lists, reads, tc.gone, tc.lists, tc.reads)
			}
		})
	}
}

// N24: a list that never becomes whole ends the run as unavailable; what came of
// it is never taken for the account.
func TestN24AListThatNeverEndsIsNoAccount(t *testing.T) {
	for name, change := range map[string]func(string, map[string]any) int{
		"the same page again and again": func(at string, answer map[string]any) int {
			if at == "ads" {
				answer["has_more"], answer["last_id"] = true, "a0"
			}
			return 0
		},
		"more without a cursor": func(at string, answer map[string]any) int {
			if at == "ads" {
				answer["has_more"] = true
				delete(answer, "last_id")
			}
			return 0
		},
		"no list in the answer": func(at string, answer map[string]any) int {
			if at == "ads" {
				delete(answer, "data")
			}
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(3)
			store, desired := s.bound(t)
			s.change = change
			_, err := s.agent(t, store, s).Plan(t.Context(),
				reconcile.Desired{Snapshot: desired, Policy: plan.DefaultPolicy()})
			if !errors.Is(err, adsapi.ErrUnavailable) || !strings.Contains(err.Error(), "list ads") {
				t.Errorf("Plan = %v; want unavailable, about the list of ads", err)
			}
		})
	}
}

// Without lists 1,500 resources are read one by one: three kinds in turn, so that
// every limit of the service is used up, and the plan says what it took. Where all is
// tried they are 15,000.
func TestReadingOneByOneUsesTheLimitsAndIsSaid(t *testing.T) { synctest.Test(t, readOneByOne) }

func readOneByOne(t *testing.T) {
	trees, minutes := 500, time.Duration(1)
	if *whole {
		trees, minutes = 5000, 15
	}
	s := newShelf(trees)
	store, desired := s.bound(t)
	s.unlisted["ads"], s.unlisted["ad_groups"], s.unlisted["campaigns"] = true, true, true
	a := s.agent(t, store, s)
	a.Now, a.Sleep = time.Now, nil // of the bubble, as the client's below: here the limits are held
	timed := &timed{next: s}
	client, err := adsapi.New(adsapi.Config{
		BaseURL: "http://127.0.0.1/v1", Key: adsapi.NewSecret("k"), Transport: timed,
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Service = client
	start := time.Now()
	view := s.planned(t, a, desired)
	took, least := time.Since(start), minutes*time.Minute
	if took > least+least/20+2*time.Second || took < least-10*time.Second { // 960 a minute
		t.Errorf("it took %s; want %s, at most 5 %% more", took, least)
	}
	all, one := timed.most()
	if all > 960 || one > 480 {
		t.Errorf("%d requests in a minute, %d to one endpoint; want at most 960 and 480", all, one)
	}
	t.Logf("%d resources in %s of %s, at most %d in a minute and %d of them to one endpoint",
		3*trees, took, least, all, one)
	var said []string
	for _, p := range view.Plan.Problems {
		if p.Code == diag.ReadOneByOne && p.Severity == diag.Warning {
			said = append(said, p.Message)
		}
	}
	if *whole {
		return
	}
	want := "the service has no list of campaigns: the 500 " +
		"that adsync knows are read one by one, in at most 2 min under the service's limits, and others cannot be seen"
	if len(said) != 3 || said[0] != want {
		t.Errorf("the plan says %q; want three warnings, the first %q", said, want)
	}
}
