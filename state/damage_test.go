package state

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wounded is a folder as a killed process left it: part of the state is in the
// database, part still in its log, and one step is open. Its files by name.
func wounded(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	s := openFolder(t, dir)
	must(t, s.Bind(t.Context(), acme))
	must(t, s.Record(t.Context(), ads(0, 150)))
	must(t, s.Close())
	s = openFolder(t, dir)
	must(t, s.Begin(t.Context(), job("run/1/0", 5)))
	must(t, s.Record(t.Context(), ads(140, 20)))
	files := map[string][]byte{}
	for _, name := range []string{databaseName, databaseName + "-wal", markName} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		files[name] = content
	}
	return files
}

func lay(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	must(t, os.RemoveAll(dir))
	must(t, os.MkdirAll(dir, 0o700))
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
}

// seen is everything a state says.
func seen(t *testing.T, s Store) string {
	t.Helper()
	open, err := s.Open(t.Context())
	must(t, err)
	return fmt.Sprintf("%+v\n%v\n%+v", s.Header(), records(t, s), open)
}

// refused are the errors a damaged state may give.
func refused(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrLost) ||
		errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) || errors.Is(err, ErrUnusable)
}

// wholeOrRefused opens a damaged folder both ways. Where the state can be read
// it must be all there, and a refusal must leave the files as they were.
func wholeOrRefused(t *testing.T, what, dir string, files map[string][]byte, want string) (refusals int) {
	t.Helper()
	readers := map[string]func() (Store, error){
		"OpenReadOnly": func() (Store, error) { return OpenReadOnly(t.Context(), dir) },
		"Open":         func() (Store, error) { return Open(t.Context(), dir, options()) },
	}
	for _, name := range []string{"OpenReadOnly", "Open"} {
		s, err := readers[name]()
		if err != nil {
			refusals++
			if !refused(err) {
				t.Errorf("%s: %s = %v, want a refusal that says what it is", what, name, err)
			}
			for file, content := range files {
				if now, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(now, content) {
					t.Errorf("%s: %s refused and changed %s", what, name, file)
				}
			}
			continue
		}
		if diff := cmp.Diff(want, seen(t, s)); diff != "" {
			t.Errorf("%s: %s gives another state without a word (-want +got):\n%s", what, name, diff)
		}
		must(t, s.Close())
	}
	return refusals
}

// every is how far apart the damaged bytes are. ADSYNC_STATE_EVERY=1 damages
// each byte. The default is a prime, so that every sort of field of a page is
// hit somewhere; of the heads of the files it is every fourth byte.
func every(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("ADSYNC_STATE_EVERY"))
	if err != nil || n < 1 {
		return 1499
	}
	return n
}

func TestFlippedByteIsSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	files := wounded(t)
	dir := t.TempDir()
	lay(t, dir, files)
	whole, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	want := seen(t, whole)
	for name, content := range files {
		refusals := 0
		for at := range content {
			if inHead := at < 100 && at%4 == 0; !inHead && at%every(t) != 0 {
				continue
			}
			damaged := map[string][]byte{}
			for file, content := range files {
				damaged[file] = bytes.Clone(content)
			}
			damaged[name][at] ^= 1 << (at % 8)
			lay(t, dir, damaged)
			refusals += wholeOrRefused(t, fmt.Sprintf("byte %d of %s flipped", at, name), dir, damaged, want)
		}
		if refusals == 0 && name != markName {
			t.Errorf("no flipped byte of %s was refused; want some", name)
		}
	}
}

func TestCutFileIsSeen(t *testing.T) {
	files := wounded(t)
	dir := t.TempDir()
	lay(t, dir, files)
	whole, err := OpenReadOnly(t.Context(), dir)
	must(t, err)
	want := seen(t, whole)
	for name, content := range files {
		for _, length := range []int{0, 1, 31, 32, 99, 100, 512,
			600, 4096, len(content) / 3, len(content) / 2, len(content) - 8192, len(content) - 24, len(content) - 1} {
			if length < 0 || length >= len(content) {
				continue
			}
			damaged := map[string][]byte{}
			for file, content := range files {
				damaged[file] = content
			}
			damaged[name] = content[:length]
			lay(t, dir, damaged)
			wholeOrRefused(t, fmt.Sprintf("%s cut to %d bytes", name, length), dir, damaged, want)
		}
	}
}

func TestMissingFileIsNeverANewState(t *testing.T) {
	files := wounded(t)
	want := map[string]error{
		databaseName:          ErrLost,
		databaseName + "-wal": ErrLost,
		markName:              ErrDamaged,
	}
	for name, refusal := range want {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			left := map[string][]byte{}
			for file, content := range files {
				if file != name {
					left[file] = content
				}
			}
			lay(t, dir, left)
			_, err := Open(t.Context(), dir, options())
			wantError(t, "Open", err, refusal)
			_, err = OpenReadOnly(t.Context(), dir)
			wantError(t, "OpenReadOnly", err, refusal)
		})
	}
}

func TestDatabaseOfBeforeIsSeen(t *testing.T) {
	dir := t.TempDir()
	database := filepath.Join(dir, databaseName)
	s := openFolder(t, dir)
	must(t, s.Record(t.Context(), ads(0, 5)))
	must(t, s.Close())
	before, err := os.ReadFile(database)
	must(t, err)
	s = openFolder(t, dir)
	must(t, s.Record(t.Context(), ads(5, 5)))
	must(t, s.Close())
	must(t, os.WriteFile(database, before, 0o600))
	_, err = Open(t.Context(), dir, options())
	wantError(t, "Open with the database of before", err, ErrLost)
}

func TestDatabaseOfAnotherFolderIsSeen(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	s := openFolder(t, here)
	must(t, s.Record(t.Context(), ads(0, 5)))
	must(t, s.Close())
	other, err := Open(t.Context(), there, Options{})
	must(t, err)
	for range 9 {
		_, err := other.NextSequence(t.Context())
		must(t, err)
	}
	must(t, other.Close())
	foreign, err := os.ReadFile(filepath.Join(there, databaseName))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(here, databaseName), foreign, 0o600))
	_, err = Open(t.Context(), here, options())
	wantError(t, "Open with another folder's database", err, ErrForeign)
}

// A record that is gone, doubled or of another moment carries a right check sum
// of its own; the tally of the header finds it.
func TestRecordsThatAreNotTheHeadersAreSeen(t *testing.T) {
	rows := map[string]string{
		"one is gone":    `DELETE FROM record WHERE key = 'ad/spring/group-0/ad-3'`,
		"all are gone":   `DELETE FROM record WHERE class = 'last'`,
		"header is gone": `DELETE FROM record WHERE class = 'header'`,
		"table is gone":  `DROP TABLE record`,
		"one is another's": `UPDATE record SET value ` +
			`= (SELECT value FROM record WHERE key = 'ad/spring/group-0/ad-1') WHERE key = 'ad/spring/group-0/ad-2'`,
		"one is renamed":     `UPDATE record SET key = 'ad/spring/group-0/ad-99' WHERE key = 'ad/spring/group-0/ad-2'`,
		"a body is gone":     `DELETE FROM long WHERE class = 'body'`,
		"long ones are gone": `DROP TABLE long`,
		"one is of no class": `UPDATE record SET class = 'lost' WHERE key = 'ad/spring/group-0/ad-2'`,
	}
	for name, statement := range rows {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openFolder(t, dir)
			must(t, s.Record(t.Context(), ads(0, 5)))
			must(t, s.Begin(t.Context(), job("run-1/1/0", 2)))
			must(t, s.Close())
			d, err := openDatabase(t.Context(), filepath.Join(dir, databaseName), writeMode)
			must(t, err)
			_, err = d.conn.ExecContext(t.Context(), statement)
			must(t, err)
			must(t, d.close())
			_, err = Open(t.Context(), dir, options())
			wantError(t, "Open", err, ErrDamaged)
			_, err = OpenReadOnly(t.Context(), dir)
			wantError(t, "OpenReadOnly", err, ErrDamaged)
		})
	}
}

func TestDamageWhileOpenIsSeen(t *testing.T) {
	s := openFolder(t, t.TempDir()).(*held)
	must(t, s.Record(t.Context(), ads(0, 5)))
	_, err := s.engine.(*database).conn.ExecContext(t.Context(),
		`UPDATE record SET value = 'x' WHERE key = 'ad/spring/group-0/ad-3'`)
	must(t, err)
	_, err = s.Last(t.Context())
	wantError(t, "Last", err, ErrDamaged)
	merge := []Applied{{Address: address("ad/spring/group-0/ad-3"), Attributes: with("bid", 1)}}
	wantError(t, "Record", s.Record(t.Context(), merge), ErrDamaged)
}

func TestNewerFormatIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, openFolder(t, dir).Close())
	d, err := openDatabase(t.Context(), filepath.Join(dir, databaseName), writeMode)
	must(t, err)
	_, err = d.conn.ExecContext(t.Context(), fmt.Sprintf(`PRAGMA user_version = %d`, formatVersion+1))
	must(t, err)
	must(t, d.close())
	_, err = Open(t.Context(), dir, options())
	wantError(t, "Open", err, ErrNewer)
	_, err = OpenReadOnly(t.Context(), dir)
	wantError(t, "OpenReadOnly", err, ErrNewer)
}
