package reconcile_test

import (
	"context"
	"flag"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/state"
)

var whole = flag.Bool("whole", false, "the tests of the floor take every shape and every duration of jobs (make floor)")

// floors are the accounts of performance.md: the least number of jobs that create
// them, the pages of their results, and those of the lists that read them back. The
// first apply of an account that goes on with a torn tree takes one job and one page
// more: the first repetition goes alone.
var floors = []struct {
	account
	jobs, pages, lists int
	torn               bool
	ci                 string // how long jobs take where not all is tried
}{
	{account{5000, 1, 1, 0}, 16, 151, 30, false, "60 s"},
	{account{50, 100, 1, 0}, 13, 113, 21, false, ""},
	{account{1000, 5, 1, 0}, 12, 112, 22, false, ""},
	{account{10, 500, 1, 0}, 11, 101, 22, true, ""},
	{account{1, 5000, 1, 0}, 11, 101, 22, true, ""}, // the campaign is read alone, before its children
	{account{1, 1, 5000, 0}, 6, 51, 14, true, "5 to 60 s, each another"},
	{account{500, 10, 1, 60}, 11, 107, 21, false, ""},
}

// durations are how long jobs take, and how long a create may take, in hundredths of
// the time for which a job is under way.
var durations = []struct {
	name string
	takes
	percent time.Duration
}{
	{"5 s", always(5 * time.Second), 150},
	{"15 s", always(15 * time.Second), 150},
	{"30 s", always(30 * time.Second), 150},
	{"60 s", always(time.Minute), 150},
	{"5 to 60 s, by their size", bySize(5*time.Second, time.Minute), 150},
	{"5 to 60 s, each another", drawn(5*time.Second, time.Minute), 180}, // what one took says little of the next
}

// performance.md: whatever its shape, an account is created in as few jobs as can
// hold it and in at most a tenth more requests than these, their results and the
// reading of the account take, whether jobs take 5 s or 60; none is refused. It waits
// little longer than jobs are under way.
func TestRequestsOfEveryShapeAreAtTheFloor(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, row := range floors {
		for _, jobs := range durations {
			if testing.Short() || !*whole && row.ci != jobs.name {
				continue
			}
			t.Run(fmt.Sprint(row.account, ", jobs of ", jobs.name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newSimulation(t, jobs.takes)
					s.fill(row.account)
					took := s.applied()
					alone := 0
					if row.torn {
						alone = 1
					}
					if sent, want := s.counter.asked["POST bulk_mutation_jobs"], 1+row.jobs+alone; sent != want {
						t.Errorf("%d jobs; want %d, one of which is only validated: %s", sent, want, s.counter)
					}
					ofJobs := 2 + row.jobs + row.pages + 2*alone // with the preflight and the question for its end
					bound := 6 + ofJobs + row.lists              // the account twice, its limits and three empty lists
					if 100*s.total() > 110*bound || s.limited > 0 {
						t.Errorf("%d requests, %d refused; want at most 1.10 of %d and none refused: %s",
							s.total(), s.limited, bound, s.counter)
					}
					working := s.jobs.total()
					if most := working*jobs.percent/100 + 20*time.Second; took > most {
						t.Errorf("it took %s, and jobs were under way for %s of it; want at most %s",
							took, working, most)
					}
					t.Logf("%s, jobs of %s: %d requests, %.2f of the bound; "+
						"of jobs %d, %.2f of jobs and pages; %s, jobs under way for %s of it", row.account, jobs.name,
						s.total(), float64(s.total())/float64(bound), s.ofJobs(), float64(s.ofJobs())/
							float64(row.jobs+row.pages), took.Round(time.Second), working.Round(time.Second))
				})
			})
		}
	}
}

// edit renames resources, one in n of each kind.
func (s *simulation) edit(n int, name string) (edited int) {
	count := map[resource.Kind]int{}
	for r := range s.desired.All() {
		if count[r.Address.Kind]++; count[r.Address.Kind]%n == 0 {
			r.Set("name", resource.Text(fmt.Sprint(name, " ", r.Address.Key)))
			edited++
		}
	}
	return edited
}

// performance.md: updates are a submission and a question a job, and no results are
// read. What is read back of few is read by ids or by pages, whichever is less.
func TestUpdatesAreASubmissionAndAQuestionAJob(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	campaigns, all := 1000, 3
	if *whole {
		campaigns, all = 5000, 15
	}
	pages := 3 * campaigns / 500
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, always(0))
		s.fill(account{campaigns, 1, 1, 0})
		s.applied()
		for _, row := range []struct{ in, jobs, readBack int }{
			{1, all, pages},
			{100, 1, pages},                   // more of each kind than it has pages
			{campaigns, 1, 3},                 // one of each kind
			{campaigns / 2, 1, min(6, pages)}, // two of each
		} {
			s.counter.asked = map[string]int{}
			edited := s.edit(row.in, fmt.Sprint("Edited 1 in ", row.in))
			s.applied()
			if got := s.ofJobs(); got != 2*row.jobs {
				t.Errorf("%d updates: %d requests for %d jobs; want two each: %s", edited, got, row.jobs, s.counter)
			}
			if want := pages + 3 + row.readBack +
				2*row.jobs; s.total()-s.counter.asked["GET ad_account/insights"] != want || s.limited > 0 {
				t.Errorf("%d updates: %d requests, %d refused; want %d: the plan, jobs and what was sent read back: %s",
					edited, s.total(), s.limited, want, s.counter)
			}
		}
	})
}

// wholeReads counts how often all of the record, or all open steps, were read.
type wholeReads struct {
	state.Store
	last, open atomic.Int64
}

func (s *wholeReads) Last(ctx context.Context) (*resource.Snapshot, error) {
	s.last.Add(1)
	return s.Store.Last(ctx)
}

func (s *wholeReads) Open(ctx context.Context, ids ...string) ([]state.Step, error) {
	if len(ids) == 0 {
		s.open.Add(1)
	}
	return s.Store.Open(ctx, ids...)
}

// The end of an apply closes its steps one at a time: their bodies and operations
// together are as large as the account.
func TestStepsAreClosedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, always(0))
		s.fill(account{700, 1, 1, 0})
		store := &wholeReads{Store: s.store}
		s.agent.Store = store
		s.applied()
		if reads, want := store.open.Load(), int64(1); reads != want {
			t.Errorf("an apply of 2,100 in jobs reads all open steps %d times; want %d, before it plans", reads, want)
		}
		if open, err := s.store.Heads(t.Context()); err != nil || len(open) > 0 {
			t.Errorf("Heads = %v, %v after an apply; want none open", open, err)
		}
	})
}

// A job reads from the state what is its own: where each read the whole record, or
// the jobs beside it, processor time would grow with the square of the account.
func TestNoJobReadsTheWholeState(t *testing.T) {
	reads := func(campaigns int) (last, open int64) {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation(t, always(0))
			s.fill(account{campaigns, 1, 1, 0})
			for r := range s.desired.All() {
				if r.Address.Kind == kinds.Ad {
					// no create of a job carries it: these are jobs of updates
					r.Set("name", resource.Text("Ad "+r.Address.Key))
				}
			}
			store := &wholeReads{Store: s.store}
			s.agent.Store = store
			s.applied()
			last, open = store.last.Load(), store.open.Load()
		})
		return last, open
	}
	fewLast, fewOpen := reads(20)
	if last, open := reads(700); last != fewLast || open != fewOpen {
		t.Errorf("an apply of 2,100 in four jobs reads the record "+
			"%d times and the open steps %d times; want %d and %d, as one of 60 does", last, open, fewLast, fewOpen)
	}
}
