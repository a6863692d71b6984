package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"

	"github.com/google/renameio/v2"
)

func asInvalid(err error, target **reconcile.InvalidError) bool { return errors.As(err, target) }

// writeResults writes a copy of every workbook with a Result and a Message in
// each row, and the same outcomes as CSV and JSON. The user's own files are
// changed by writeBack alone.
func (a *app) writeResults(l loaded, dir string, r *reconcile.Report) error {
	if dir == "" {
		dir = filepath.Join(l.project.Root, l.project.State, "results")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return configuration("--results: %v", err)
	}
	rows := rowOutcomes(l, r)
	for _, source := range l.desired.Sources {
		if strings.EqualFold(filepath.Ext(source.File), ".xlsx") {
			if err := a.writeResultCopy(l, dir, source.File, rows); err != nil {
				return err
			}
		}
	}
	if err := writeFile(filepath.Join(dir, "results.csv"), func(w io.Writer) error { return sources.WriteResultsCSV(w, rows) }); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "results.json"), func(w io.Writer) error {
		own := &app{out: w, flags: a.flags}
		return own.printJSON(documentOf(l, r, nil))
	})
}

func (a *app) writeResultCopy(l loaded, dir, file string, rows []sources.RowOutcome) error {
	original, err := os.ReadFile(filepath.Join(l.project.Root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	copyName := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(copyName), 0o700); err != nil {
		return err
	}
	var own []sources.RowOutcome
	for _, row := range rows {
		if row.Position.File == file {
			own = append(own, row)
		}
	}
	err = writeFile(copyName, func(w io.Writer) error {
		return sources.WriteResultCopy(original, w, file, own, l.desired.Problems)
	})
	if err != nil {
		return err
	}
	a.note("results of %s: %s", file, copyName)
	return nil
}

// writeFile replaces a file as a whole, or not at all.
func writeFile(name string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return err
	}
	return renameio.WriteFile(name, content.Bytes(), 0o600)
}

// rowOutcomes gives every resource of the files its outcome; one that is in no
// change has none.
func rowOutcomes(l loaded, r *reconcile.Report) []sources.RowOutcome {
	byAddress := make(map[resource.Address]reconcile.Outcome, len(r.Outcomes))
	for _, o := range r.Outcomes {
		byAddress[o.Address] = o
	}
	var rows []sources.RowOutcome
	for want := range l.desired.Snapshot.All() {
		row := sources.RowOutcome{Address: want.Address, Position: want.Position, Result: "no change", ID: want.ID}
		if o, changed := byAddress[want.Address]; changed {
			row.Result, row.Message, row.ID = resultWord(o), diag.Printable(codedMessage(o)), o.ID
			if o.Outcome != state.OutcomeApplied {
				row.Cell = o.Cell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// resultWord is the Result of formats.md section 3.
func resultWord(o reconcile.Outcome) string {
	switch {
	case o.Outcome != state.OutcomeApplied:
		return string(o.Outcome)
	case o.Action == plan.Create || o.Action == plan.Replace:
		return "created"
	case o.Action == plan.Record || o.Action == plan.Forget:
		return "no change"
	}
	return "updated"
}
