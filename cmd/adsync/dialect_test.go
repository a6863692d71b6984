package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/dialect"

	"github.com/google/go-cmp/cmp"
)

// planned returns the plan of a project with one source, byte by byte as JSON,
// without the positions and what is computed from them.
func planned(t *testing.T, name string, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, "adsync.yaml"),
		[]byte("account: {id: adacct_1, currency: USD, timezone: UTC}\nservice: emulator\n"), 0o600))
	noError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	var out, said bytes.Buffer
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: &out, Err: &said, Getenv: func(string) string {
			return ""
		}}}
	if code := execute(t.Context(), env, []string{"plan", "-o", "json", dir}); code != console.ExitDone {
		t.Fatalf("plan of %s ends with %d:\n%s%s", name, code, &said, &out)
	}
	var plan any
	noError(t, json.Unmarshal(out.Bytes(), &plan))
	dropPositions(plan)
	text, err := json.MarshalIndent(plan, "", "  ")
	noError(t, err)
	return string(text)
}

func dropPositions(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"position", "input_hash", "plan_hash"} {
			delete(v, key)
		}
		for _, inner := range v {
			dropPositions(inner)
		}
	case []any:
		for _, inner := range v {
			dropPositions(inner)
		}
	}
}

// withoutUnread takes out of a plan which columns of a workbook are not read, and returns
// each as COLUMN (WHY), or as SHEET (WHY) where a whole sheet is not, once: its twin in YAML
// has none.
func withoutUnread(t *testing.T, document string) (rest string, unread []string) {
	t.Helper()
	var plan map[string]any
	noError(t, json.Unmarshal([]byte(document), &plan))
	columns, _ := plan["unread"].([]any)
	for _, each := range columns {
		of := each.(map[string]any)
		name, isColumn := of["column"].(string)
		if !isColumn {
			name, _ = of["sheet"].(string)
		}
		unread = append(unread, fmt.Sprintf("%s (%s)", name, of["why"]))
	}
	delete(plan, "unread")
	text, err := json.MarshalIndent(plan, "", "  ")
	noError(t, err)
	slices.Sort(unread)
	return string(text), slices.Compact(unread)
}

// unreadOf is what some programs put into a workbook beside what people type.
var unreadOf = map[string][]string{
	"Numbers": {"Export Summary (unknown)"},
	"WPS":     {"#Preview (marked)"},
}

func TestW26EveryProgramsWorkbookGivesThePlanOfItsTwinInYAML(t *testing.T) {
	t.Parallel()
	want := planned(t, "ads.yaml", []byte(dialect.YAML))
	if n := strings.Count(want, `"action": "create"`); n != 6 {
		t.Fatalf("the plan of the YAML creates %d resources, want 6:\n%s", n, want)
	}
	for _, program := range dialect.Programs() {
		t.Run(program, func(t *testing.T) {
			content, err := dialect.Write(program, t.TempDir())
			noError(t, err)
			got, unread := withoutUnread(t, planned(t, "q4.xlsx", content))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("plan (-YAML +%s):\n%s", program, diff)
			}
			known := append([]string{"Notes (people)"}, unreadOf[program]...)
			slices.Sort(known)
			if !slices.Equal(unread, known) {
				t.Errorf("%s: %q goes unread; want %q", program, unread, known)
			}
		})
	}
}
