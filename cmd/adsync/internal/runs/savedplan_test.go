package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
)

var (
	sealTestKey = bytes.Repeat([]byte{7}, 32)
	savedMoment = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func savedForTest(t *testing.T) []byte {
	t.Helper()
	content, err := seal(sealTestKey, SavedPlan{
		Account: AccountDocument{ID: "acct"}, SavedAt: savedMoment, ValidUntil: savedMoment.Add(usualPlanLife),
		Plan: json.RawMessage(`{"changes": [{"address": "campaign/a", "name": "é <b> & 1"}]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func codeOfExit(err error) int {
	var known *console.Exit
	if errors.As(err, &known) {
		return known.Code
	}
	return console.ExitDone
}

// Every byte of the file is turned into another, one after the other: what
// still opens says the same.
func TestS26EveryEditOfASavedPlanIsRefused(t *testing.T) {
	content := savedForTest(t)
	whole, err := unseal(sealTestKey, content)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range content {
		for _, flip := range []byte{1, 32, 128} {
			edited := bytes.Clone(content)
			edited[i] ^= flip
			s, err := unseal(sealTestKey, edited)
			if err != nil {
				refused++
				continue
			}
			if hashOf(s) != hashOf(whole) {
				t.Fatalf("byte %d is %q in place of %q, and the plan opens as another", i, edited[i], content[i])
			}
		}
	}
	if refused < 2*len(content) {
		t.Errorf("%d of %d edits are refused; want nearly all", refused, 3*len(content))
	}
	for cut := range len(content) - 2 {
		if _, err := unseal(sealTestKey, content[:cut]); codeOfExit(err) != console.ExitUsage {
			t.Fatalf("cut off after %d bytes: %v; want exit code %d", cut, err, console.ExitUsage)
		}
	}
}

func TestX16APlanSealedElsewhereIsRefused(t *testing.T) {
	content := savedForTest(t)
	if _, err := unseal(bytes.Repeat([]byte{8}, 32), content); codeOfExit(err) != console.ExitRefused ||
		!strings.Contains(err.Error(), "another key") {
		t.Errorf("another key: %v; want exit code %d", err, console.ExitRefused)
	}
	var file sealed
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	forged := bytes.Replace(content, []byte("campaign/a"), []byte("campaign/b"), 1)
	forged = bytes.Replace(forged, []byte(file.Checksum),
		[]byte(checksumOf(bytes.Replace(mustCompact(t, file.Saved), []byte("campaign/a"), []byte("campaign/b"), 1))), 1)
	if _, err := unseal(sealTestKey, forged); codeOfExit(err) != console.ExitRefused ||
		!strings.Contains(err.Error(), "edited") {
		t.Errorf("edited, with a checksum that fits: %v; want exit code %d", err, console.ExitRefused)
	}
}

func mustCompact(t *testing.T, content []byte) []byte {
	t.Helper()
	compacted, err := compact(content)
	if err != nil {
		t.Fatal(err)
	}
	return compacted
}

func TestWhiteSpaceIsNoEditOfASavedPlan(t *testing.T) {
	content := savedForTest(t)
	if _, err := unseal(sealTestKey, mustCompact(t, content)); err != nil {
		t.Errorf("without white space: %v", err)
	}
}

func TestS26ALifeCannotBeLengthened(t *testing.T) {
	s, err := unseal(sealTestKey, savedForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name  string
		after time.Duration
		life  time.Duration
		want  int
	}{
		{"at once", 0, usualPlanLife, console.ExitDone},
		{"at the end of its life", 30 * time.Minute, usualPlanLife, console.ExitDone},
		{"a second late", 30*time.Minute + time.Second, usualPlanLife, console.ExitStale},
		{"a longer life where it is applied does not count", 40 * time.Minute, time.Hour, console.ExitStale},
		{"a shorter life where it is applied counts", 11 * time.Minute, 10 * time.Minute, console.ExitStale},
		{"clocks that are a little apart", -time.Minute, usualPlanLife, console.ExitDone},
		{"saved tomorrow", -24 * time.Hour, usualPlanLife, console.ExitStale},
	} {
		if got := codeOfExit(s.inTime(savedMoment.Add(row.after), row.life)); got != row.want {
			t.Errorf("%s: exit code %d; want %d", row.name, got, row.want)
		}
	}
}
