package state

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestReportsComeBackAsTheyWereWritten(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		must(t, s.RecordRun(ctx, Run{ID: "run-1", Started: morning}))
		must(t, s.RecordReport(ctx, "run-1", []byte("begun"), written("half")))
		must(t, s.RecordReport(ctx, "run-1", []byte(`{"exit":0}`), written("the whole report\n")))
		must(t, s.RecordRun(ctx, Run{
			ID: "run-1", Started: morning, Finished: morning.Add(time.Minute), Summary: "1 applied",
		}))
		must(t, s.RecordRun(ctx, Run{ID: "run-2", Started: morning.Add(time.Hour)}))
		wantError(t, "Report of a run without one", second(s.Report(ctx, "run-2")), ErrNoReport)
		if err := s.RecordReport(ctx, "run-9", nil, written("")); err == nil {
			t.Error("RecordReport of a run that is not there = nil, want an error")
		}
		s = again()
		report, err := s.Report(ctx, "run-1")
		must(t, err)
		same(t, "report", string(report), "the whole report\n")
		runs, err := s.Runs(ctx, 0)
		must(t, err)
		same(t, "runs", runs, []Run{
			{ID: "run-2", Started: morning.Add(time.Hour)},
			{ID: "run-1", Started: morning, Finished: morning.Add(time.Minute),
				Summary: "1 applied", Head: []byte(`{"exit":0}`)},
		})
	})
}

func second[T any](_ T, err error) error { return err }

// TestARunThatLeftSomethingOpenIsNeverDropped: its report is what recovery and
// people need most.
func TestARunThatLeftSomethingOpenIsNeverDropped(t *testing.T) {
	s := openFolder(t, t.TempDir())
	ctx := t.Context()
	must(t, s.RecordRun(ctx, Run{ID: "run-open", Started: morning}))
	must(t, s.RecordReport(ctx, "run-open", []byte("head"), written("what was begun")))
	left := job("run-open/create/1", 1)
	left.Run = "run-open"
	must(t, s.Begin(ctx, left))
	for i := range keptRuns + 1 {
		must(t, s.RecordRun(ctx, Run{
			ID: fmt.Sprintf("run-%04d", i), Started: morning.Add(time.Duration(i+1) * time.Minute),
		}))
	}
	runs, err := s.Runs(ctx, 0)
	must(t, err)
	if oldest := runs[len(runs)-1].ID; len(runs) != keptRuns || oldest != "run-open" {
		t.Errorf("Runs(0) = %d runs back to %s, want %d back to run-open", len(runs), oldest, keptRuns)
	}
	report, err := s.Report(ctx, "run-open")
	if err != nil || string(report) != "what was begun" {
		t.Errorf("Report(run-open) = %q, %v, want it kept", report, err)
	}
}

// TestReportsTakeBoundedRoom: every load of a state reads them.
func TestReportsTakeBoundedRoom(t *testing.T) {
	s := openFolder(t, t.TempDir())
	ctx := t.Context()
	random := rand.NewChaCha8([32]byte{})
	report := make([]byte, keptReports/4) // does not get smaller
	_, _ = random.Read(report)
	for i := range 5 {
		id := fmt.Sprintf("run-%d", i)
		must(t, s.RecordRun(ctx, Run{ID: id, Started: morning.Add(time.Duration(i) * time.Minute)}))
		must(t, s.RecordReport(ctx, id, []byte("head of "+id), written(string(report))))
	}
	for i, want := range []error{ErrNoReport, ErrNoReport, nil, nil, nil} {
		id := fmt.Sprintf("run-%d", i)
		wantError(t, "Report("+id+")", second(s.Report(ctx, id)), want)
	}
	runs, err := s.Runs(ctx, 0)
	must(t, err)
	if len(runs) != 5 || string(runs[4].Head) != "head of run-0" {
		t.Errorf("Runs(0) = %d runs, the oldest with head %q, want 5 with theirs", len(runs), runs[len(runs)-1].Head)
	}
}

// TestOlderFormatIsTakenOver: what a state held stays, nothing is lost on the
// way, and a reader changes nothing.
func TestOlderFormatIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	s := openFolder(t, dir)
	must(t, s.Bind(t.Context(), acme))
	must(t, s.Record(t.Context(), ads(0, 3)))
	must(t, s.RecordRun(t.Context(), Run{ID: "run-1", Started: morning}))
	must(t, s.Begin(t.Context(), job("run-1/1/0", 2)))
	want := records(t, s)
	open, err := s.Open(t.Context())
	must(t, err)
	must(t, s.Close())
	setFormat(t, dir, 1)
	reader, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	same(t, "what a reader finds", records(t, reader), want)
	same(t, "format a reader leaves", formatOf(t, dir), 1)
	s = openFolder(t, dir)
	same(t, "what is taken over", records(t, s), want)
	taken, err := s.Open(t.Context())
	must(t, err)
	same(t, "open steps", taken, open)
	must(t, s.RecordReport(t.Context(), "run-1", []byte("head"), written("report")))
	must(t, s.Close())
	same(t, "format", formatOf(t, dir), formatVersion)
	same(t, "what is found again", records(t, openFolder(t, dir)), want)
}

func setFormat(t *testing.T, dir string, format int) {
	t.Helper()
	d, err := openDatabase(t.Context(), folder(dir).path(databaseName), writeMode)
	must(t, err)
	_, err = d.conn.ExecContext(t.Context(),
		fmt.Sprintf(`INSERT INTO record SELECT * FROM long; DROP TABLE long; PRAGMA user_version = %d`, format))
	must(t, err)
	must(t, d.close())
}

func formatOf(t *testing.T, dir string) (format int) {
	t.Helper()
	d, err := openDatabase(t.Context(), folder(dir).path(databaseName), readMode)
	must(t, err)
	must(t, d.conn.QueryRowContext(t.Context(), `PRAGMA user_version`).Scan(&format))
	must(t, d.close())
	return format
}
