package downloads

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"adsync/state/kv"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// keptIn keeps what was downloaded in a folder.
func keptIn(t *testing.T) (k *Kept, note func(who, file, content string, at time.Time)) {
	k = &Kept{Store: kv.Folder{Dir: t.TempDir()}}
	return k, func(who, file, content string, at time.Time) {
		t.Helper()
		if err := k.Note(who, file, []byte(content), at); err != nil {
			t.Fatal(err)
		}
	}
}

// says are the contents that somebody has of a file, the newest first.
func (k *Kept) says(t *testing.T, who, file string, now time.Time) (says []string) {
	t.Helper()
	all, err := k.Of(who, file, now)
	for _, v := range all {
		content, failed := k.Content(v)
		err = errors.Join(err, failed)
		says = append(says, string(content))
	}
	if err != nil {
		t.Fatal(err)
	}
	return says
}

// Each has what they downloaded themselves of a file, the newest first, for 31 days, at most four versions of it.
func TestWhatWasDownloadedIsKept(t *testing.T) {
	k, note := keptIn(t)
	note("ann", "spring.xlsx", "gone by now", noon.Add(-lasts))
	for i := range 5 {
		note("ann", "spring.xlsx", fmt.Sprint("version ", i), noon.Add(time.Duration(i)*time.Minute))
	}
	note("ann", "spring.xlsx", "version 2", noon.Add(time.Hour)) // once more
	note("bob", "spring.xlsx", "version 0", noon)
	note("ann", "../spring.xlsx\x00<b>", "of another", noon)
	for _, row := range []struct{ who, file, want string }{
		{"ann", "spring.xlsx", "[version 2 version 4 version 3 version 1]"},
		{"bob", "spring.xlsx", "[version 0]"}, {"cleo", "spring.xlsx", "[]"}, {"ann", "winter.xlsx", "[]"},
		{"ann", "../spring.xlsx\x00<b>", "[of another]"},
	} {
		if got := fmt.Sprint(k.says(t, row.who, row.file, noon.Add(time.Hour))); got != row.want {
			t.Errorf("%s has %s of %q; want %s", row.who, got, row.file, row.want)
		}
	}
	if left := k.says(t, "bob", "spring.xlsx", noon.Add(lasts)); len(left) != 0 {
		t.Errorf("after 31 days there is %q", left)
	}
	names, err := k.Store.Names(folder)
	if err != nil || len(names) != 6 {
		t.Errorf("contents are %q, %v; want those of six versions", names, err)
	}
}

// What somebody sent belongs to the version that it began as, as long as they have that.
func TestWhatWasSentIsOfItsVersion(t *testing.T) {
	k, note := keptIn(t)
	note("ann", "spring.xlsx", "one", noon)
	note("ann", "spring.xlsx", "two", noon)
	all, err := k.Of("ann", "spring.xlsx", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []Version{all[1], all[1], {Who: "ann", File: "spring.xlsx", Sum: "of nothing"}} {
		if err := k.Sent(v, "a sum"); err != nil {
			t.Fatal(err)
		}
	}
	note("ann", "spring.xlsx", "one", noon.Add(time.Minute)) // which is the same still
	all, err = k.Of("ann", "spring.xlsx", noon)
	if err != nil || fmt.Sprint(all[0].Sent, all[1].Sent) != "[a sum] []" {
		t.Errorf("sent is %v, %v, %v; want it of the first alone, once", all[0].Sent, all[1].Sent, err)
	}
}

// A version without room is known, and has no content; others keep theirs. A content that is not that of its name is
// an error, and so is an index of another form.
func TestWhatCannotBeKeptIsNotGuessed(t *testing.T) {
	k, note := keptIn(t)
	note("ann", "small.xlsx", "small", noon)
	note("ann", "large.xlsx", string(bytes.Repeat([]byte("x"), bytesMost)), noon)
	if got := k.says(t, "ann", "small.xlsx", noon); len(got) != 1 || got[0] != "" {
		t.Errorf("the older one is %q; want it known, without its content", got)
	}
	if err := k.Note("ann", "larger.xlsx", make([]byte, bytesMost+1), noon); err != nil {
		t.Fatal(err)
	}
	if got := k.says(t, "ann", "larger.xlsx", noon); len(got) != 1 || got[0] != "" {
		t.Errorf("what is too large is %.20q; want it known, without its content", got)
	}
	dir := k.Store.(kv.Folder).Dir
	names, err := k.Store.Names(folder)
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v; want that of the large one", names, err)
	}
	if err := os.WriteFile(filepath.Join(dir, names[0]), []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := k.Of("ann", "large.xlsx", noon)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := k.Content(all[0]); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is damaged is %q, %v; want an error", content, err)
	}
	if err := os.WriteFile(filepath.Join(dir, indexName), []byte(`{"format_version":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := k.Of("ann", "large.xlsx", noon); err == nil {
		t.Errorf("an index of another version is %v; want an error", all)
	}
}
