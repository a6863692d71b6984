package sessions

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 22, 17, 0, 0, 0, time.UTC)

func hash(cookie string) [sha256.Size]byte { return sha256.Sum256([]byte(cookie)) }

// who opens the file as a process does that was started again.
func who(t *testing.T, file string, now time.Time, cookie string) string {
	t.Helper()
	k, err := Open(file, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	name, err := k.Of(t.Context(), hash(cookie))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSessionsAreThereAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "not there yet", "sessions.json")
	k, err := Open(file, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"anna", "ben"} {
		if err := k.Begin(t.Context(), hash("cookie of "+name), name, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.End(t.Context(), hash("cookie of ben")); err != nil {
		t.Fatal(err)
	}
	if all, err := k.All(t.Context()); err != nil || len(all) != 1 || all[hash("cookie of anna")] != "anna" {
		t.Errorf("all of them: %v, %v", all, err)
	}
	for _, row := range []struct {
		cookie string
		at     time.Time
		want   string
	}{
		{"cookie of anna", noon.Add(time.Minute), "anna"},
		{"cookie of anna", noon.Add(time.Hour), ""},
		{"cookie of ben", noon.Add(time.Minute), ""},
		{"another", noon, ""},
	} {
		if got := who(t, file, row.at, row.cookie); got != row.want {
			t.Errorf("%s at %s is of %q; want %q", row.cookie, row.at, got, row.want)
		}
	}
	content, err := os.ReadFile(file)
	if about, e := os.Stat(file); err != nil || e != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %v", err, e, about.Mode())
	}
	if strings.Contains(string(content), "cookie") {
		t.Errorf("the file has a cookie in it: %s", content)
	}
}

func TestAFileOfSessionsThatIsBroken(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON": "{", "another version": `{"format_version":2}`, "nothing": "",
	} {
		file := filepath.Join(t.TempDir(), "sessions.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := Open(file, func() time.Time { return noon })
		if err == nil || k == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := k.Begin(t.Context(), hash("x"), "anna", time.Hour); err != nil || who(t, file, noon, "x") != "anna" {
			t.Errorf("%s: whoever logs in again is not kept: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "sessions.json")
	short := `{"format_version":1,"sessions":[{"hash":"00","text":"eve","ends":"2030-01-01T00:00:00Z"},
		{"hash":"zz","text":"eve","ends":"2030-01-01T00:00:00Z"}]}`
	if err := os.WriteFile(file, []byte(short), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := Open(file, func() time.Time { return noon })
	if name, _ := k.Of(t.Context(), [sha256.Size]byte{}); err != nil || name != "" {
		t.Errorf("a hash that is none is of %q: %v", name, err)
	}
}

func TestSessionsHaveABound(t *testing.T) {
	k := InMemory(func() time.Time { return noon })
	for i := range most + 5 {
		_ = k.Begin(t.Context(), hash(fmt.Sprint(i)), "x", time.Hour+time.Duration(i)*time.Second)
	}
	if len(k.all) > most {
		t.Errorf("%d sessions", len(k.all))
	}
	if name, _ := k.Of(t.Context(), hash(fmt.Sprint(most+4))); name != "x" {
		t.Error("the newest session is the one that went")
	}
}
