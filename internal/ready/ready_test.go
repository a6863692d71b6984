package ready

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"time"

	"adsync/state/kv"
)

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// note has files that are ready, and rows that drafts pause, be noted.
func note(t *testing.T, k Kept, files map[string]string, paused map[string][]string) {
	t.Helper()
	seen := Seen{Ready: map[string]string{}, Paused: paused}
	for file, text := range files {
		seen.Ready[file] = sumOf(text)
	}
	_, err := k.Note(seen, time.Date(2026, 11, 27, 9, 14, 0, 0, time.UTC), func(file string) ([]byte, error) {
		return []byte(files[file]), nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheLastReadyVersionIsKept(t *testing.T) {
	folder := kv.Folder{Dir: t.TempDir()}
	k := Kept{Store: folder}
	if _, known, err := k.Version("a.xlsx"); known || err != nil {
		t.Errorf("Version of nothing = %t, %v; want none", known, err)
	}
	note(t, k, map[string]string{"a.xlsx": "one", "b/c.xlsx": "same"}, nil)
	note(t, k, map[string]string{"b/c.xlsx": "same"}, map[string][]string{"a.xlsx": {"campaign/x"}, "new.xlsx": nil})
	v, known, err := Kept{Store: folder}.Version("a.xlsx") // as after a restart
	if !known || err != nil || v.Sum != sumOf("one") || !slices.Equal(v.Paused, []string{"campaign/x"}) {
		t.Errorf("Version = %+v, %t, %v; want that of one, with its pause", v, known, err)
	}
	if content, err := k.Content(v); string(content) != "one" || err != nil {
		t.Errorf("Content = %q, %v; want one", content, err)
	}
	if _, known, _ := k.Version("new.xlsx"); known {
		t.Error("a draft that was never ready has a version; want none")
	}

	// Ready again, as it was: the pauses of drafts are over. And then otherwise: the former bytes go.
	note(t, k, map[string]string{"a.xlsx": "one", "b/c.xlsx": "same"}, nil)
	if v, _, _ := k.Version("a.xlsx"); v.Paused != nil {
		t.Errorf("it is ready, and %v are paused; want none", v.Paused)
	}
	note(t, k, map[string]string{"a.xlsx": "two", "b/c.xlsx": "same"}, nil)
	names, err := folder.Names("ready/")
	want := []string{"ready/" + sumOf("same"), "ready/" + sumOf("two")}
	slices.Sort(want)
	if !slices.Equal(names, want) || err != nil {
		t.Errorf("kept are %v, %v; want %v", names, err, want)
	}
}

// Of a file that moves while it is read, and of one that cannot be kept, nothing older is given for it.
func TestNoOlderVersionStandsInForANewerOne(t *testing.T) {
	k := Kept{Store: kv.Folder{Dir: t.TempDir()}}
	note(t, k, map[string]string{"a.xlsx": "one"}, nil)
	seen := Seen{Ready: map[string]string{"a.xlsx": sumOf("two")}}
	if _, err := k.Note(seen, time.Now(), func(string) ([]byte, error) { return []byte("three"), nil }); err == nil {
		t.Error("Note of a file that moved = nil; want an error, so that nothing of it is carried out")
	}
	large := make([]byte, totalMost+1)
	seen.Ready["a.xlsx"] = sumOf(string(large))
	tooLarge, err := k.Note(seen, time.Now(), func(string) ([]byte, error) { return large, nil })
	if err != nil || !slices.Equal(tooLarge, []string{"a.xlsx"}) {
		t.Errorf("Note = %v, %v; want a.xlsx too large", tooLarge, err)
	}
	if _, known, err := k.Version("a.xlsx"); known || err != nil {
		t.Errorf("Version = %t, %v; want none in the place of the one that is too large", known, err)
	}
}

// Versions of files that are gone make room, and those of others do not.
func TestOldVersionsMakeRoom(t *testing.T) {
	k := Kept{Store: kv.Folder{Dir: t.TempDir()}}
	half := string(make([]byte, totalMost/2))
	note(t, k, map[string]string{"gone.xlsx": half + "1", "stays.xlsx": "s"}, nil)
	note(t, k, map[string]string{"new.xlsx": half + "2"}, map[string][]string{"stays.xlsx": nil})
	for file, want := range map[string]bool{"gone.xlsx": false, "stays.xlsx": true, "new.xlsx": true} {
		if _, known, _ := k.Version(file); known != want {
			t.Errorf("%s is kept: %t; want %t", file, known, want)
		}
	}
}

// What is damaged is an error, and never none.
func TestDamage(t *testing.T) {
	folder := kv.Folder{Dir: t.TempDir()}
	k := Kept{Store: folder}
	note(t, k, map[string]string{"a.xlsx": "one"}, nil)
	v, _, _ := k.Version("a.xlsx")
	if err := folder.Put("ready/"+v.Sum, []byte("other")); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Content(v); err == nil {
		t.Error("Content of other bytes = nil; want an error")
	}
	if err := folder.Delete("ready/" + v.Sum); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Content(v); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Content of nothing = %v; want that it is not there", err)
	}
	for _, text := range []string{"{", `{"format_version":2}`, "null"} {
		if err := folder.Put(indexName, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := k.Version("a.xlsx"); err == nil {
			t.Errorf("Version out of %q = nil; want an error", text)
		}
	}
}
