package postgres

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"adsync/internal/testing/pgtest"
)

// release is the program of a later release: it has one migration more.
func release(t *testing.T, d *Database, sql string) error {
	t.Helper()
	all := fstest.MapFS{"migrations/00099_later.sql": {Data: []byte("-- +goose Up\n" + sql + "\n")}}
	names, err := fs.Glob(migrations, "migrations/*")
	noError(t, err)
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		noError(t, err)
		all[name] = &fstest.MapFile{Data: text}
	}
	_, err = d.migrate(t.Context(), all, "9.0.0")
	return err
}

const (
	adds   = `ALTER TABLE adsync.head ADD COLUMN note text NOT NULL DEFAULT '';`
	raises = `SELECT adsync.raise_floor(99, '9.0.0'); ALTER TABLE adsync.head RENAME COLUMN serial TO commits;`
)

func TestAProgramWorksOnBesideALaterOneThatAdded(t *testing.T) {
	address := pgtest.Database(t)
	before := open(t, address, 0)
	a := claim(t, before, "act_1")
	noError(t, next(a, "before"))
	noError(t, release(t, open(t, address, 0), adds))
	noError(t, next(a, "after"))
	noError(t, a.Close())
	noError(t, next(claim(t, open(t, address, 0), "act_1"), "begun after")) // it knows less than the tables
}

func TestWhatAnOlderProgramCannotLiveWithWaitsForItsEnd(t *testing.T) {
	address := pgtest.Database(t)
	older, later := open(t, address, 0), open(t, address, 0)
	claim(t, older, "act_1")
	err := release(t, later, raises)
	wantError(t, "migrate beside an older program", err, ErrOlder)
	if want := "process 7 on here (adsync apply, version ) works with it, and only 9.0.0 or newer may"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v; want who works with it: %s", err, want)
	}
	noError(t, older.Close())
	noError(t, release(t, later, raises))

	_, err = Open(t.Context(), address, Options{Version: "1.2.3"})
	wantError(t, "Open by an older program", err, ErrNewer)
	if want := "it wants adsync 9.0.0 or newer; this is 1.2.3"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v; want %s", err, want)
	}
}

// A process that slept while the tables were changed takes nothing any more.
func TestAProcessThatSleptThroughTheChangeTakesNothing(t *testing.T) {
	address := pgtest.Database(t)
	var slept time.Duration
	asleep, err := Open(t.Context(), address, Options{Awake: func() time.Duration { return slept }})
	noError(t, err)
	t.Cleanup(func() { asleep.Close() })
	claim(t, asleep, "act_1")
	slept = time.Hour
	_, err = asleep.pool.Exec(t.Context(), `UPDATE adsync.worker SET ends = clock_timestamp() - interval '1 minute'`)
	noError(t, err)
	noError(t, release(t, open(t, address, 0), raises))
	_, err = asleep.Claim(t.Context(), "act_2", fresh())
	wantError(t, "Claim after the change", err, ErrNewer)
}
