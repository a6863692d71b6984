package state

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/resource"

	"golang.org/x/sys/unix"
)

func TestSecondOpenerIsToldWhoHoldsTheState(t *testing.T) {
	dir := t.TempDir()
	first := openFolder(t, dir)
	_, err := Open(t.Context(), dir, options())
	wantError(t, "second Open", err, ErrLocked)
	host, hostErr := os.Hostname()
	must(t, hostErr)
	want := fmt.Sprintf("process %d on %s since 2026-12-01T09:00:00Z", os.Getpid(), host)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("second Open = %v, want it to name %q", err, want)
	}
	must(t, first.Record(t.Context(), ads(0, 1)))
	must(t, first.Close())
	openFolder(t, dir)
}

func TestReaderNeitherWaitsNorDisturbs(t *testing.T) {
	dir := t.TempDir()
	writer := openFolder(t, dir)
	must(t, writer.Record(t.Context(), ads(0, 10)))
	reader, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	must(t, writer.Record(t.Context(), ads(10, 10)))
	if n := len(records(t, reader)); n != 10 {
		t.Errorf("reader sees %d records, want the 10 of the moment it opened", n)
	}
	later, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	if n := len(records(t, later)); n != 20 {
		t.Errorf("later reader sees %d records, want 20", n)
	}
}

func TestReaderWritesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, openFolder(t, dir).Close())
	s, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	ctx := t.Context()
	_, sequence := s.NextSequence(ctx)
	for call, err := range map[string]error{
		"Record":           s.Record(ctx, ads(0, 1)),
		"Forget":           s.Forget(ctx, nil),
		"Advance":          s.Advance(ctx, nil),
		"RecordUnmade":     s.RecordNotCreated(ctx, []NotCreated{{address("ad/a"), "key", "sum"}}),
		"RecordSubmitted":  s.RecordSubmitted(ctx, morning),
		"NextSequence":     sequence,
		"Begin":            s.Begin(ctx, job("a", 1)),
		"Move":             s.Move(ctx, "a", Sent, Update{}),
		"Finish":           s.Finish(ctx, "a", nil, nil),
		"RecordFile":       s.RecordFile(ctx, "a", "b"),
		"RecordCapability": s.RecordCapability(ctx, "a", true),
		"RecordReverted":   s.RecordReverted(ctx, &resource.Snapshot{}),
		"RecordWaiting":    s.RecordWaiting(ctx, &resource.Snapshot{}),
		"RecordMove":       s.RecordMove(ctx, Move{}),
		"RecordCredits":    s.RecordCredits(ctx, []Credit{{Run: "run-1"}}),
		"RecordRun":        s.RecordRun(ctx, Run{}),
		"RecordReport":     s.RecordReport(ctx, "run-1", nil, written("")),
		"Block":            s.Block(ctx, nil),
		"Unblock":          s.Unblock(ctx, nil),
	} {
		wantError(t, call, err, ErrReadOnly)
	}
	must(t, s.Bind(ctx, acme))
	if bound := s.Header().Account; bound != (Account{}) {
		t.Errorf("Bind on a reader recorded %s, want nothing", bound)
	}
}

func TestMissingFolderReadsAsEmptyAndIsNotMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	s, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	if n := len(records(t, s)); n != 0 {
		t.Errorf("reader sees %d records, want none", n)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("Stat(%s) = %v, want that it is not there", dir, err)
	}
}

func TestFolderAndFilesArePrivate(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	dir := filepath.Join(t.TempDir(), "a folder?#%20 with odd letters", ".adsync")
	s := openFolder(t, dir)
	must(t, s.Record(t.Context(), ads(0, 1)))
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		at, err := e.Info()
		must(t, err)
		names = append(names, fmt.Sprintf("%s %o", e.Name(), at.Mode().Perm()))
	}
	same(t, "files", names, []string{"lineage 600", "lock 600", "state.db 600", "state.db-shm 600", "state.db-wal 600"})
	at, err := os.Stat(dir)
	must(t, err)
	if at.Mode().Perm() != 0o700 {
		t.Errorf("folder has mode %o, want 700", at.Mode().Perm())
	}
}

func TestFolderThatOthersCanReadIsSaid(t *testing.T) {
	dir := t.TempDir()
	must(t, openFolder(t, dir).Close())
	must(t, os.Chmod(filepath.Join(dir, databaseName), 0o644))
	var log bytes.Buffer
	o := options()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	s, err := Open(t.Context(), dir, o)
	must(t, err)
	must(t, s.Close())
	if !strings.Contains(log.String(), databaseName) || !strings.Contains(log.String(), "-rw-r--r--") {
		t.Errorf("log is %q, want a warning about %s", log.String(), databaseName)
	}
}

func TestFolderThatCannotBeWrittenIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(t.Context(), file, options())
	wantError(t, "Open of a file", err, ErrUnusable)
	_, err = Open(t.Context(), "/proc/adsync", options())
	wantError(t, "Open where no folder can be made", err, ErrUnusable)
}

// Each of these is what a kill during the creation can leave behind.
func TestCreationThatWasCutShortIsBegunAgain(t *testing.T) {
	made := t.TempDir()
	must(t, openFolder(t, made).Close())
	database, err := os.ReadFile(filepath.Join(made, databaseName))
	must(t, err)
	for name, files := range map[string]map[string][]byte{
		"only the lock":           {lockName: nil},
		"a lock with half a text": {lockName: []byte(`{"pid":`)},
		"a probe":                 {probeName: nil, probeName + ".new": nil},
		"a draft": {databaseName + ".new": database[:100],
			databaseName + ".new-wal": []byte("x")},
		"a database without a mark":     {databaseName: database},
		"a database and half of a mark": {databaseName: database, markName + ".new": []byte("adsync")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lay(t, dir, files)
			s := openFolder(t, dir)
			must(t, s.Record(t.Context(), ads(0, 1)))
			must(t, s.Close())
			if n := len(records(t, openFolder(t, dir))); n != 1 {
				t.Errorf("reopened folder holds %d records, want 1", n)
			}
		})
	}
}

// Every commit has to reach the disk before it is acknowledged: the settings
// that see to it are those of the connection that writes.
func TestCommitsAreSynchronous(t *testing.T) {
	s := openFolder(t, t.TempDir()).(*held)
	for pragma, want := range map[string]string{
		"synchronous": "2", "journal_mode": "wal", "fullfsync": "1", "checkpoint_fullfsync": "1",
	} {
		var got string
		must(t, s.engine.(*database).conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("PRAGMA %s = %s, want %s", pragma, got, want)
		}
	}
}

func TestErrorsHaveTheCodeThatExplainsThem(t *testing.T) {
	for err, want := range map[error]string{
		ErrLocked: "ADS3001", ErrDamaged: "ADS3002", ErrLost: "ADS3002", ErrNewer: "ADS3002",
		ErrForeign: "ADS3003", ErrUnusable: "ADS3006", ErrSuspect: "ADS3006", errMove: "",
	} {
		if got := CodeOf(fmt.Errorf("open state: %w", err)); string(got) != want {
			t.Errorf("CodeOf(%v) = %q, want %q", err, got, want)
		}
	}
}

// What a file system that is read-only has of a closed state is read as it is.
func TestFrozenDatabaseIsReadWithoutItsOtherFiles(t *testing.T) {
	dir := t.TempDir()
	s := openFolder(t, dir)
	must(t, s.Record(t.Context(), ads(0, 30)))
	header := s.Header()
	must(t, s.Close())
	records := 0
	got, err := loadAs(t.Context(), filepath.Join(dir, databaseName), frozenMode, true, func(record, string, uint64) {
		records++
	})
	must(t, err)
	same(t, "header", got, header)
	if records != 30 {
		t.Errorf("%d records, want 30", records)
	}
	same(t, "files", names(t, dir), []string{"lineage", "lock", "state.db"})
}

func names(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
