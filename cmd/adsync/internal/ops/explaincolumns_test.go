package ops

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/synonyms"
	"adsync/internal/testing/golden"
)

// TestTheListOfColumnsIsInStep holds docs/use/columns.md to the table of synonyms.
func TestTheListOfColumnsIsInStep(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "| sheet | column | %s |\n|---|---|%s\n",
		strings.Join(synonyms.Tools, " | "), strings.Repeat("---|", len(synonyms.Tools)))
	for i := range synonyms.Rows {
		r := &synonyms.Rows[i]
		fmt.Fprintf(&b, "| %s | %s | %s |\n", sheetWords(r.Sheet), r.Column, strings.Join(r.By(), " | "))
	}
	golden.Part(t, "../../../../docs/use/columns.md", "columns", b.String())
	b.Reset()
	fmt.Fprintf(&b, "| sheet | header | can mean | because |\n|---|---|---|---|\n")
	for _, q := range describedColumns().Questions {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", q.Sheet, strings.Join(q.Words, ", "), q.meant(), q.Why)
	}
	golden.Part(t, "../../../../docs/use/columns.md", "questions", b.String())
	b.Reset()
	fmt.Fprintf(&b, "| tool | headers |\n|---|---|\n")
	for _, u := range synonyms.Nothing {
		fmt.Fprintf(&b, "| %s | %s |\n", u.Tool, u.Words)
	}
	golden.Part(t, "../../../../docs/use/columns.md", "nothing", b.String())
}
