package diag

import (
	"bytes"
	"strings"
	"testing"
)

// A log of GitHub Actions is read for commands: "::error::" where a line begins,
// blanks aside, and "##[add-mask]" anywhere. Names and files are written by whoever
// opens a pull request.
func TestNoNameIsAWorkflowCommandInALog(t *testing.T) {
	for text, want := range map[string]string{
		"::error::merged":            `\u003a:error::merged`,
		"Spring ::stop-commands::x":  `Spring \u003a:stop-commands::x`,
		"##[add-mask]USD":            `\u0023#[add-mask]USD`,
		"a ###[error]b":              `a #\u0023#[error]b`,
		"std::vector, 10:30, C## [x": "std::vector, 10:30, C## [x",
	} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
	var log bytes.Buffer
	problem := Problem{
		Severity: Error, Code: UnknownKey, Position: At("::warning file=x::y.yaml", 1, 1), Message: "m ::error::a",
	}
	if err := Render(&log, []Problem{problem}, nil); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(log.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, " ::") {
			t.Errorf("the log has the line %q; want no command in it", line)
		}
	}
}
