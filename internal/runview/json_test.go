package runview

import (
	"bytes"
	"encoding/json"
	"testing"

	"adsync/state"
)

// A report is written an outcome at a time, and is the text of the whole at once,
// whatever its texts say.
func TestAReportIsWrittenAsOneText(t *testing.T) {
	hostile := `<a> "outcomes":null,` + "\n" + `  "outcomes": null`
	outcome := Outcome{Address: "campaign/a", Name: hostile, Outcome: state.OutcomeApplied}
	for name, outcomes := range map[string][]Outcome{
		"none": {}, "one": {outcome}, "three": {outcome, outcome, outcome},
	} {
		d := &Document{
			FormatVersion: FormatVersion, Head: Head{Run: "run-1", By: hostile, Error: hostile},
			Outcomes: outcomes, Next: hostile,
		}
		for _, indent := range []string{"", "  "} {
			var want, got bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", indent)
			if err := encoder.Encode(d); err != nil {
				t.Fatal(err)
			}
			if err := d.WriteJSON(&got, indent); err != nil {
				t.Fatal(err)
			}
			if got.String() != want.String() {
				t.Errorf("%s, indent %q:\n%s\nwant\n%s", name, indent, &got, &want)
			}
		}
	}
}
