package marked

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
	"adsync/sources/tree"
)

// cellsWriter puts changes into the cells of the content of a file of one type,
// and leaves every other byte of it alone.
type cellsWriter func(content []byte, w cellsWriting) ([]byte, error)

// cellsWriters are the types of files that can be written into, by the end of
// their names.
var cellsWriters = map[string]cellsWriter{
	".xlsx": writeWorkbookCells,
	".csv":  writeCSVCells,
	".tsv":  writeCSVCells,
}

// cellsWriting is what is to be written into one file.
type cellsWriting struct {
	in      draft.Input
	file    string
	prepare func(tabs []*table.Reader) error                    // before the first; may be nil
	changes func(t *table.Reader) ([]cellChange, error)         // of one sheet
	beside  func(tabs []*table.Reader, all *xlsx.Changes) error // of sheets that are not read; may be nil
	// of a cell that cannot be changed alone; nil refuses the file
	refused func(xlsx.RefusedCell) error
	wrote   func(former, now string) // as Results.Wrote
}

// TakesResults reports whether results can be written back into a file of this name.
func TakesResults(file string) bool { return cellsWriterOf(file) != nil }

func cellsWriterOf(file string) cellsWriter { return cellsWriters[strings.ToLower(path.Ext(file))] }

// Results is what became of the rows of a project's files.
type Results struct {
	Rows  []RowOutcome
	Again func(sources.Desired) []RowOutcome // of files that were saved since, where their rows are now
	At    time.Time                          // the former file is kept under it
	// is told the SHA-256 of a file that was replaced, and its new one; may be nil
	Wrote func(former, now string)
}

// WriteBack writes what became of the rows of a source into the file itself:
// Result and Message in the columns of that name, or in new ones after the last;
// keys and ids where their cells are empty. It changes no other cell, keeps the
// former file beside the new one, and returns the name of that, "" where nothing
// is to be changed.
//
// It refuses a file that is open in an editor and a symbolic link. One that was
// saved since it was read is read again. The file is replaced as a whole, or not
// at all.
func WriteBack(ctx context.Context, p config.Project, schemas resource.Schemas,
	source sources.Source, results Results) (kept string, err error) {
	if cellsWriterOf(source.File) == nil {
		return "", fmt.Errorf("results are not written into files named %q", path.Ext(source.File))
	}
	rows := results.Rows
	err = tree.Settled(func(again bool) error {
		if again {
			d := sources.Load(ctx, p, schemas)
			if source, err = sourceNamed(&d, source.File); err != nil {
				return err
			}
			rows = results.Again(d)
		}
		own := outcomesOf(source.File, rows)
		kept, err = writeCells(p, schemas, source, results.At, cellsWriting{
			changes: func(t *table.Reader) ([]cellChange, error) { return resultChanges(t, own, false) },
			wrote:   results.Wrote,
		})
		return err
	})
	return kept, err
}

// Filled returns a source with what became of its rows written into it, as WriteBack writes it, and nil where that
// changes nothing. The file stays as it is. A row of which there is nothing to say keeps what an earlier run said of
// it, unless that had a message.
func Filled(p config.Project, schemas resource.Schemas, source sources.Source, rows []RowOutcome) ([]byte, error) {
	if cellsWriterOf(source.File) == nil {
		return nil, fmt.Errorf("results are not written into files named %q", path.Ext(source.File))
	}
	own, filled := outcomesOf(source.File, rows), []byte(nil)
	w := cellsWriting{changes: func(t *table.Reader) ([]cellChange, error) { return resultChanges(t, own, true) }}
	err := rewriteCells(p, schemas, source, time.Time{}, w, func(_ tree.Replacement, rewritten []byte) error {
		filled = rewritten
		return nil
	})
	return filled, err
}

// sourceNamed finds a file among those that were read whole.
func sourceNamed(d *sources.Desired, file string) (sources.Source, error) {
	i := slices.IndexFunc(d.Sources, func(s sources.Source) bool { return s.File == file })
	if i < 0 || d.Sources[i].Hash == "" || d.Stops() {
		return sources.Source{},
			errors.New("file was saved since it was read, and has problems now; adsync validate shows them")
	}
	return d.Sources[i], nil
}

// writeCells writes into one source, if it is still what was read.
func writeCells(p config.Project, schemas resource.Schemas,
	source sources.Source, at time.Time, w cellsWriting) (kept string, err error) {
	err = rewriteCells(p, schemas, source, at, w, func(r tree.Replacement, rewritten []byte) (err error) {
		kept, err = r.Write(rewritten)
		if err == nil && w.wrote != nil {
			now := sha256.Sum256(rewritten)
			w.wrote(source.Hash, hex.EncodeToString(now[:]))
		}
		return err
	})
	return kept, err
}

// rewriteCells has put get what one source becomes, if it is still what was read, and becomes another.
func rewriteCells(p config.Project, schemas resource.Schemas, source sources.Source, at time.Time, w cellsWriting,
	put func(tree.Replacement, []byte) error) (err error) {
	env, err := p.Env()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return err
	}
	defer root.Close()
	w.in, w.file = draft.Input{Schemas: schemas, Env: env, Bounds: p.FileLimits(), Layout: p.Layout}, source.File
	r := tree.Replacement{
		Root: root, Name: source.File, Hash: source.Hash,
		Limit: w.in.Bounds.OfSource(source.File), At: at,
	}
	content, err := r.Read()
	if err != nil {
		return err
	}
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("file cannot be changed: %v", reason)
		}
	}()
	rewritten, err := cellsWriterOf(source.File)(content, w)
	if err != nil || bytes.Equal(rewritten, content) {
		return err
	}
	return put(r, rewritten)
}

func outcomesOf(file string, outcomes []RowOutcome) []RowOutcome {
	var own []RowOutcome
	for _, o := range outcomes {
		if o.Position.File() == file {
			own = append(own, o)
		}
	}
	return own
}
