package runs

import (
	"context"
	"fmt"
	"slices"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/marked"
)

// WriteBack writes what became of the rows into the user's own files, where
// that was asked for. What was applied stays applied: a file that cannot be
// written is named, and the others go on.
func writeBack(env *session.Env, l session.Loaded, f ApplyFlags, r *reconcile.Report) error {
	if !f.WriteBack {
		return nil
	}
	rows := l.Judged(InWords(l, r, RowOutcomes(l, r), words.ByAsk))
	results := marked.Results{
		Rows: rows, At: env.Clock.OrSystem().Now(), Again: func(d sources.Desired) []marked.RowOutcome {
			return Unedited(l, d, rows)
		},
	}
	failed := 0
	for _, source := range l.Desired.Sources {
		if !marked.TakesResults(source.File) {
			continue
		}
		kept, err := marked.WriteBack(context.Background(), l.Project, l.Schemas, source, results)
		switch {
		case err != nil:
			failed++
			env.ClearLine()
			fmt.Fprintf(env.Err, "adsync: %s: results were not written back: %s; they are in the result copies\n",
				diag.Printable(source.File), diag.Printable(err.Error()))
		case kept != "":
			env.Note("results written into %s; the former file is %s",
				diag.Printable(source.File), diag.Printable(kept))
		}
	}
	if failed > 0 {
		return console.ExitWith(console.ExitUsage, "")
	}
	return nil
}

// Unedited returns the outcomes of rows that are in the files as they were when they
// were applied, with the places they have now. A row that was edited since has
// no result: it says something else.
func Unedited(l session.Loaded, now sources.Desired, rows []marked.RowOutcome) []marked.RowOutcome {
	var kept []marked.RowOutcome
	before, after := l.Desired.Whole(), now.Whole()
	for _, row := range rows {
		was, is := before.Get(row.Address), after.Get(row.Address)
		if was == nil || is == nil || !sameRow(l.Schemas.Of(row.Address.Kind), was, is) {
			continue
		}
		row.Position = is.Position
		kept = append(kept, row)
	}
	return kept
}

func sameRow(schema *resource.Schema, was, is *resource.Resource) bool {
	return !slices.ContainsFunc(schema.Attributes, func(a resource.Attribute) bool {
		return !was.Value(a.Name).Equal(is.Value(a.Name))
	})
}
