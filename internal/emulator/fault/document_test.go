package fault

import (
	"os"
	"strings"
	"testing"

	"adsync/internal/emulator/wire"
)

func TestDocumentsThatAreRefused(t *testing.T) {
	rows := []struct{ name, text, param, says string }{
		{"no object", `[]`, "", "not one JSON object"},
		{"no faults", `{}`, "faults", "Missing required parameter"},
		{"an empty list", `{"faults":[]}`, "faults", ""},
		{"another field", `{"faults":[{"action":{"duplicate":{}}}],"sed":1}`, "sed", "Unknown parameter"},
		{"no action", `{"faults":[{}]}`, "faults[0].action", "Missing required parameter"},
		{"an empty action", `{"faults":[{"action":{}}]}`, "faults[0].action", "has 0 fields"},
		{"two actions", `{"faults":[{"action":{"duplicate":{},"slow":{"bytes_per_second":1}}}]}`,
			"faults[0].action", "has 2 fields"},
		{"an unknown action", `{"faults":[{"action":{"explode":{}}}]}`,
			"faults[0].action.explode", "delay, drop_before_commit"},
		{"settings that are none", `{"faults":[{"action":{"delay":2}}]}`,
			"faults[0].action.delay", "expected an object"},
		{"an unknown setting", `{"faults":[{"action":{"duplicate":{"n":2}}}]}`,
			"faults[0].action.duplicate.n", "Unknown parameter"},
		{"no duration", `{"faults":[{"action":{"delay":{}}}]}`,
			"faults[0].action.delay.for", "Missing required parameter"},
		{"a duration without a unit", `{"faults":[{"action":{"delay":{"for":"2"}}}]}`,
			"faults[0].action.delay.for", "1.5s or 10m"},
		{"a negative duration", `{"faults":[{"action":{"key_ttl":{"for":"-2s"}}}]}`,
			"faults[0].action.key_ttl.for", "1.5s or 10m"},
		{"a status that is none", `{"faults":[{"action":{"status":{"code":600}}}]}`,
			"faults[0].action.status.code", ""},
		{"a chance of nothing", `{"faults":[{"match":{"probability":0},"action":{"duplicate":{}}}]}`,
			"faults[0].match.probability", "above 0"},
		{"a chance above one", `{"faults":[{"match":{"probability":1.5},"action":{"duplicate":{}}}]}`,
			"faults[0].match.probability", "not above 1"},
		{"the zeroth", `{"faults":[{"match":{"nth":0},"action":{"duplicate":{}}}]}`, "faults[0].match.nth", ""},
		{"nth and every", `{"faults":[{"match":{"nth":2,"every":2},"action":{"duplicate":{}}}]}`,
			"faults[0].match.every", "Only one"},
		{"a path without a slash", `{"faults":[{"match":{"path":"campaigns"},"action":{"duplicate":{}}}]}`,
			"faults[0].match.path", "want a path below /v1"},
		{"a path for a job", `{"faults":[{"match":{"path":"/campaigns"},"action":{"job":{"do":"stuck"}}}]}`,
			"faults[0].match.path", "not requests"},
		{"a type for a whole job", `{"faults":[{"match":{"op_type":"ad.create"},"action":{"job":{"do":"stuck"}}}]}`,
			"faults[0].match.op_type", "whole bulk jobs"},
		{"a setting of another job fault", `{"faults":[{"action":{"job":{"do":"stuck","n":1}}}]}`,
			"faults[0].action.job.n", "Unknown parameter"},
		{"a feature that is not flipped", `{"faults":[{"action":{"flip":{"what":"account","feature":"bulk"}}}]}`,
			"faults[0].action.flip.feature", "what = feature"},
		{"no feature to flip", `{"faults":[{"action":{"flip":{"what":"feature"}}}]}`,
			"faults[0].action.flip.feature", "Missing required parameter"},
		{"an id before the answer",
			`{"faults":[{"action":{"foreign_write":{"actor":"a","path":"/campaigns/{id}","patch":{}}}}]}`,
			"faults[0].action.foreign_write.path", "to be after"},
		{"a patch that is none", `{"faults":[{"action":{"foreign_write":{"actor":"a","patch":[]}}}]}`,
			"faults[0].action.foreign_write.patch", "want an object"},
	}
	for _, row := range rows {
		_, err := Parse([]byte(row.text))
		if err == nil {
			t.Errorf("%s: %s is accepted", row.name, row.text)
			continue
		}
		if e := wire.AsError(err); e.Status != 400 || e.Param != row.param || !strings.Contains(e.Message, row.says) {
			t.Errorf("%s: %d about %q: %s; want 400 about %q that says %q",
				row.name, e.Status, e.Param, e.Message, row.param, row.says)
		}
	}
}

// TestEveryFaultIsDescribed: each row of the table has a section of the page,
// with a document that arms it.
func TestEveryFaultIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/develop/emulator-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds() {
		_, section, ok := strings.Cut(string(page), "\n### "+kind.Name+"\n")
		if !ok {
			t.Errorf("docs/develop/emulator-faults.md has no section %q", kind.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n##")
		if !arms(t, section, kind.Name) {
			t.Errorf("the section %q has no document that arms it", kind.Name)
		}
		if kind.Imitates == "" {
			t.Errorf("the row of %s does not say what it imitates", kind.Name)
		}
	}
}

// arms reads the documents of a section and reports whether one arms the kind.
func arms(t *testing.T, section, kind string) bool {
	t.Helper()
	found := false
	for _, block := range strings.Split(section, "```json\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		faults, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("a document of the section %q is refused: %v", kind, err)
		}
		for _, f := range faults {
			found = found || f.Kind == kind
		}
	}
	return found
}

// TestEveryJobFaultIsDescribed holds the list of the section "job" to the table.
func TestEveryJobFaultIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/develop/emulator-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for do := range jobFaults {
		if !strings.Contains(string(page), "\n- `"+do+"`: ") {
			t.Errorf("docs/develop/emulator-faults.md does not describe the job fault %q", do)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(
		`{"seed":1,"faults":[{"name":"a","match":{"path":"/a","nth":1},"action":{"status":{"code":503,"body":null}}}]}`))
	f.Add([]byte(`{"faults":[{"action":{"foreign_write":{"actor":"a","patch":{}}}},` +
		`{"action":{"job":{"do":"lose_result","n":1}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		faults, err := Parse(text)
		if err != nil {
			return
		}
		for _, each := range faults {
			set := 0
			for _, is := range []bool{each.action.request != nil,
				each.action.operation != nil, each.action.job != nil, each.action.results != nil} {
				if is {
					set++
				}
			}
			if set != 1 {
				t.Errorf("%s sets %d functions, want one", text, set)
			}
		}
	})
}
