package state

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var points = []Point{Intent, Sent, Accepted, Terminal,
	ResultsRead, Bound, Verified, Closed, Abandoned, BlockedStep, Unknown}

// ways lead to each point, by moves that design.md section 7 shows.
var ways = map[Point][]Point{
	Intent:      {},
	Sent:        {Sent},
	Accepted:    {Sent, Accepted},
	Terminal:    {Sent, Accepted, Terminal},
	ResultsRead: {Sent, Accepted, Terminal, ResultsRead},
	Bound:       {Sent, Accepted, Terminal, ResultsRead, Bound},
	Verified:    {Sent, Accepted, Terminal, ResultsRead, Bound, Verified},
	Closed:      {Sent, Accepted, Terminal, ResultsRead, Bound, Verified, Closed},
	Abandoned:   {Abandoned},
	BlockedStep: {Sent, BlockedStep},
	Unknown:     {Sent, Unknown},
}

// lives is the life cycle as one line a point: every move from the point on the
// left that must be there. All others must be refused.
var lives = map[Point]string{
	Intent:      "sent abandoned blocked",
	Sent:        "sent accepted terminal bound abandoned blocked unknown",
	Accepted:    "terminal unknown",
	Terminal:    "results_read bound unknown",
	ResultsRead: "bound unknown",
	Bound:       "verified closed",
	Verified:    "closed",
	Closed:      "",
	Abandoned:   "",
	BlockedStep: "sent bound abandoned unknown",
	Unknown:     "unknown sent accepted terminal bound abandoned blocked",
}

func advance(t *testing.T, s Store, id string, to Point) error {
	if to == Bound {
		return s.Finish(t.Context(), id, nil, nil)
	}
	return s.Move(t.Context(), id, to, Update{})
}

func TestStepMakesTheMovesOfItsLifeAndNoOthers(t *testing.T) {
	both(t, func(t *testing.T, s Store, _ func() Store) {
		for _, from := range points {
			for _, to := range points {
				id := string(from) + " to " + string(to)
				must(t, s.Begin(t.Context(), job(id, 1)))
				for _, p := range ways[from] {
					must(t, advance(t, s, id, p))
				}
				err := advance(t, s, id, to)
				if slices.Contains(strings.Fields(lives[from]), string(to)) {
					must(t, err)
					continue
				}
				wantError(t, id, err, errMove)
			}
		}
	})
}

func TestMoveNeverReachesBound(t *testing.T) {
	both(t, func(t *testing.T, s Store, _ func() Store) {
		must(t, s.Begin(t.Context(), job("a", 1)))
		must(t, s.Move(t.Context(), "a", Sent, Update{}))
		wantError(t, "Move(bound)", s.Move(t.Context(), "a", Bound, Update{}), errMove)
	})
}

func TestOpenStepsComeBackWhole(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		steps := []Step{job("run/1/b", 2), job("run/1/a", 1), job("run/2/0", 0), job("run/9/gone", 1)}
		steps[0].Body = []byte("\x00\xff exact bytes {\"a\" : 1}\n")
		steps[1].Route, steps[1].Path, steps[1].Key = Single, "campaigns", ""
		steps[2].Body = nil
		must(t, s.Begin(ctx, steps...))
		sent := time.Date(2026, 12, 1, 9, 0, 1, 5, time.FixedZone("", 3600))
		must(t, s.Move(ctx, "run/1/b", Sent, Update{SentAt: sent}))
		must(t, s.Move(ctx, "run/1/b", Accepted, Update{JobID: "job_1", Note: "slow"}))
		must(t, s.Move(ctx, "run/9/gone", Abandoned, Update{}))
		must(t, s.Move(ctx, "run/1/b", Terminal, Update{Outcomes: []OperationOutcome{
			{Address: steps[0].Operations[1].Address, Outcome: OutcomeApplied, ResourceID: "ad_1"},
		}}))
		must(t, s.Move(ctx, "run/1/b", ResultsRead, Update{Outcomes: []OperationOutcome{
			{Address: steps[0].Operations[0].Address,
				Outcome: OutcomeFailed, Code: "invalid", Message: "title is \"\xff\""},
		}}))

		want := slices.Clone(steps[:3])
		for i := range want {
			want[i].Point = Intent
		}
		want[0].Point, want[0].JobID, want[0].SentAt, want[0].Note = ResultsRead, "job_1", sent, "slow"
		want[0].Operations[1].Outcome, want[0].Operations[1].ResourceID = OutcomeApplied, "ad_1"
		want[0].Operations[0].Outcome, want[0].Operations[0].Code, want[0].Operations[0].Message = OutcomeFailed,
			"invalid", "title is \"\xff\""
		want[2].Body, want[2].Operations = []byte{}, []Operation{}
		got, err := again().Open(ctx)
		must(t, err)
		same(t, "open steps", got, want)
		got, err = again().Open(ctx, want[2].ID, "run/9/gone", "never begun", want[0].ID)
		must(t, err)
		same(t, "open steps of some ids", got, []Step{want[0], want[2]})
		for _, step := range []Step{want[0], want[2], {ID: "run/9/gone"}, {ID: "never begun"}} {
			operations, err := again().Operations(ctx, step.ID)
			must(t, err)
			same(t, "operations of "+step.ID, operations, step.Operations)
		}
		got, err = again().Heads(ctx)
		must(t, err)
		for i := range want {
			want[i].Body, want[i].Operations = nil, nil
		}
		same(t, "heads of open steps", got, want)
	})
}

func TestBeginTakesAllStepsOrNone(t *testing.T) {
	twice := job("b", 1)
	twice.Operations = append(twice.Operations, twice.Operations[0])
	rows := map[string]Step{
		"no id":                {},
		"an id that was used":  job("a", 1),
		"not at its beginning": {ID: "b", Point: Sent},
		"an address twice":     twice,
	}
	for name, bad := range rows {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, s Store, again func() Store) {
				must(t, s.Begin(t.Context(), job("a", 1)))
				if err := s.Begin(t.Context(), job("good", 1), bad); err == nil {
					t.Errorf("Begin(%+v) = nil, want an error", bad)
				}
				open, err := again().Open(t.Context())
				must(t, err)
				if len(open) != 1 {
					t.Errorf("Open() = %d steps, want the one from before", len(open))
				}
			})
		})
	}
}

func TestFinishIsOneTransaction(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		step := job("a", 3)
		must(t, s.Begin(ctx, step))
		must(t, s.Move(ctx, "a", Sent, Update{}))
		stranger := []OperationOutcome{{Address: address("campaign/stranger"), Outcome: OutcomeApplied}}
		if err := s.Finish(ctx, "a", ads(0, 3), stranger); err == nil {
			t.Error("Finish with an outcome of another step = nil, want an error")
		}
		if err := s.Finish(ctx, "a", []Applied{ads(0, 1)[0], {}}, nil); err == nil {
			t.Error("Finish with a record without address = nil, want an error")
		}
		if left := records(t, s); len(left) != 0 {
			t.Errorf("a refused Finish left %d records, want none", len(left))
		}
		before := s.Header().Serial
		must(t, s.Finish(ctx, "a", ads(0, 3),
			[]OperationOutcome{{Address: step.Operations[0].Address, Outcome: OutcomeApplied, ResourceID: "x"}}))
		if after := s.Header().Serial; after != before+1 {
			t.Errorf("serial went from %d to %d, want one commit", before, after)
		}
		s = again()
		open, err := s.Open(ctx)
		must(t, err)
		if len(open) != 1 || open[0].Point != Bound ||
			open[0].Operations[0].ResourceID != "x" || len(records(t, s)) != 3 {
			t.Errorf("after Finish: %d open steps, %d records; want one at bound with its outcome, and three",
				len(open), len(records(t, s)))
		}
	})
}

func TestKeyStandsForTheBytesItWasSentWith(t *testing.T) {
	edited := func(id string) Step {
		s := job(id, 1)
		s.Key, s.Body = "key", []byte("edited")
		return s
	}
	first := job("first", 1)
	first.Key = "key"
	again := first
	again.ID = "again"
	elsewhere := first
	elsewhere.ID, elsewhere.Path = "elsewhere", "ads"

	both(t, func(t *testing.T, s Store, _ func() Store) {
		ctx := t.Context()
		must(t, s.Begin(ctx, first, edited("never sent")))
		must(t, s.Move(ctx, "first", Sent, Update{}))
		wantError(t, "Move(sent) with other bytes", s.Move(ctx, "never sent", Sent, Update{}), errKeyUsed)
		must(t, s.Move(ctx, "never sent", Abandoned, Update{}))
		must(t, s.Move(ctx, "first", Sent, Update{}))
		must(t, s.Move(ctx, "first", Abandoned, Update{}))
		wantError(t, "Begin with other bytes", s.Begin(ctx, edited("second")), errKeyUsed)
		wantError(t, "Begin to another path", s.Begin(ctx, elsewhere), errKeyUsed)
		must(t, s.Begin(ctx, again))
	})
}

func TestUnknownStepIsNamed(t *testing.T) {
	both(t, func(t *testing.T, s Store, _ func() Store) {
		wantError(t, "Move", s.Move(t.Context(), "ghost", Sent, Update{}), errNoStep)
		wantError(t, "Finish", s.Finish(t.Context(), "ghost", nil, nil), errNoStep)
	})
}

func TestClosedStepLeavesItsBodyBehind(t *testing.T) {
	s := openFolder(t, t.TempDir()).(*held)
	must(t, s.Begin(t.Context(), job("a", 1), job("b", 1)))
	for _, p := range ways[Closed] {
		must(t, advance(t, s, "a", p))
	}
	if s.counts[classBody] != 1 || s.counts[classOperations] != 1 || s.counts[classStep] != 2 {
		t.Errorf("records are %v, want the body and operations of the open step only", s.counts)
	}
}

// visited is an engine that counts the records it is asked for.
type visited struct {
	memory
	records int
}

func (v *visited) read(r record) (string, error) { v.records++; return v.memory.read(r) }

func (v *visited) each(c class, visit func(key, value string) error) error {
	return v.memory.each(c, func(key, value string) error { v.records++; return visit(key, value) })
}

// A daemon asks for what is open many times a run: what ended long ago is not read
// for it, nor for a report that has room.
func TestWhatHasEndedCostsNothing(t *testing.T) {
	v := &visited{memory: memory{}}
	c := newContents()
	c.header = Header{Format: formatVersion, Lineage: "l", Serial: 1}
	s, ctx := newStore(newLedger(v, c, options())), t.Context()
	for i := range 100 {
		id := fmt.Sprintf("run-%03d", i)
		step := job(id+"/create/1", i+1)
		step.Run = id
		must(t, s.RecordRun(ctx, Run{ID: id, Started: morning.Add(time.Duration(i) * time.Minute)}))
		must(t, s.Begin(ctx, step))
		must(t, s.Move(ctx, step.ID, Abandoned, Update{}))
		must(t, s.RecordReport(ctx, id, []byte("head"), written("report")))
	}
	open := job("open", 200)
	must(t, s.Begin(ctx, open))
	v.records = 0
	steps, err := s.Open(ctx)
	must(t, err)
	if len(steps) != 1 || steps[0].ID != "open" || v.records > 3 {
		t.Errorf("Open() = %d steps after %d records; want the open one, its body and its operations",
			len(steps), v.records)
	}
	v.records = 0
	must(t, s.RecordReport(ctx, "run-099", []byte("head"), written("report")))
	if v.records > 1 {
		t.Errorf("RecordReport read %d records; want that of its run", v.records)
	}
}
