package marked

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/table"
	"adsync/sources/tree"
	"adsync/sources/workbook"
)

// Update is what a service knows, for the columns of a user's own workbook.
type Update struct {
	// Known returns the ids and facts of rows, and the figures of the windows that
	// the workbook has columns of. It is asked again where the workbook was saved
	// meanwhile.
	Known      func(d sources.Desired, windows []string) (*resource.Snapshot, *resource.Figures, error)
	Windows    []string  // of figures, beside those
	AddColumns bool      // a sheet gets the columns it does not have, at the right end of its header
	At         time.Time // the former file is kept under it
}

// Updated is what an update did to a workbook.
type Updated struct {
	Kept     string   // the name of the former file, "" where nothing was to be changed
	Cells    int      // changed, headers not counted
	Columns  []string // that hold what the service knows, each once
	Missing  []string // columns a sheet does not have, as Ads: Review
	Left     []Left   // cells that stay as they are
	Aged     []string // sheets that show the account as it was at an export, and stay so
	Spans    []string // that the sheet Performance got
	Added    string   // the sheet that the workbook got, "" for none
	NotAdded string   // why it got no sheet Performance, "" where it has one or is to have none
}

// Left is a cell that an update would fill and leaves, with the reason.
type Left struct {
	At  diag.Position
	Why string
}

// UpdateFile writes what the service knows of the rows of a workbook into it: ids
// where their cells are blank, what only the service says, and figures. It writes
// into columns that are there, and into the sheet Performance, which it adds where
// figures are asked for, and changes no other cell. It leaves a cell with a formula,
// and one that holds somebody's own words.
//
// The workbook is one of the sources of the project, as d read it. What WriteBack
// refuses is refused here too.
func UpdateFile(ctx context.Context, p config.Project, schemas resource.Schemas,
	d sources.Desired, file string, u Update) (done Updated, err error) {
	if !strings.EqualFold(path.Ext(file), ".xlsx") {
		return done, fmt.Errorf("file ends in %q; want a workbook (.xlsx)", path.Ext(file))
	}
	err = tree.Settled(func(again bool) error {
		if again {
			d = sources.Load(ctx, p, schemas)
		}
		source, err := sourceNamed(&d, file)
		if err != nil {
			return err
		}
		w := updateWriter{Update: u, desired: d, schemas: schemas, file: file}
		kept, err := writeCells(p, schemas, source, u.At, cellsWriting{
			prepare: w.prepare, changes: w.changes, refused: w.refuse, beside: w.performance,
		})
		done = w.done
		done.Kept = kept
		return err
	})
	return done, err
}

// updateWriter makes the changes of one workbook.
type updateWriter struct {
	Update
	desired sources.Desired
	schemas resource.Schemas
	file    string
	rows    *resource.Snapshot
	figures *resource.Figures
	headers []diag.Position // rows of headers that get columns
	sheet   *performanceSheet
	moving  int // cells of it that are written if all of them can be; 0 where its header stays
	done    Updated
}

// prepare asks what the service knows, once the columns are known.
func (w *updateWriter) prepare(tabs []*table.Reader) (err error) {
	windows := slices.Clone(w.Windows)
	for _, t := range tabs {
		w.done.Aged = agedSheets(t.Book)
		if w.sheet, err = findPerformance(t.Book); err != nil {
			return fmt.Errorf("sheet %q: %w", workbook.PerformanceTab, err)
		}
		for _, s := range t.Sections {
			for _, header := range s.Header.Written {
				_, window, _, ok := catalog.FigureOf(header)
				if ok && isMeasured(s) && !t.In.Layout.IsOwn(header) && !slices.Contains(windows, window) {
					windows = append(windows, window)
				}
			}
		}
	}
	w.rows, w.figures, err = w.Known(w.desired, windows)
	return err
}

func agedSheets(b *xlsx.Book) []string {
	var aged []string
	for _, ref := range b.Sheets {
		if resource.Fold(ref.Name) == resource.Fold(workbook.DailyTab) {
			aged = append(aged, ref.Name)
		}
	}
	return aged
}

// isMeasured reports whether the rows of a section are resources with figures.
func isMeasured(s *table.Section) bool { return s.Tab.List == nil && s.Tab.Schema.Insights != "" }

func (w *updateWriter) leave(at diag.Position, why string) {
	w.done.Left = append(w.done.Left, Left{at, why})
}

// refuse leaves a cell that cannot be changed alone. Without its header a column
// would be nobody's.
func (w *updateWriter) refuse(c xlsx.RefusedCell) error {
	if slices.Contains(w.headers, diag.Cell(w.file, c.Sheet, c.At.Row, 0)) {
		return fmt.Errorf("sheet %q: %s", c.Sheet, c.Reason)
	}
	w.leave(diag.Cell(w.file, c.Sheet, c.At.Row, c.At.Column), c.Reason)
	switch {
	case w.moving == 0 || c.Sheet != w.sheet.name:
		w.done.Cells--
	case len(w.done.Spans) > 0: // the first of a sheet that stays as a whole
		w.done.Cells, w.done.Spans = w.done.Cells-w.moving, nil
		w.done.Columns = slices.DeleteFunc(w.done.Columns, func(name string) bool { return name == c.Sheet })
	}
	return nil
}

// changes are the cells of one sheet that do not hold yet what the service knows.
func (w *updateWriter) changes(t *table.Reader) ([]cellChange, error) {
	byRow := w.rowsOf(t)
	if len(byRow) == 0 {
		return nil, nil
	}
	stored, last, err := storedRows(t, byRow)
	if err != nil {
		return nil, err
	}
	columns := w.columnsOf(t, last)
	if last+len(columns.added) > xlsx.LastColumn {
		return nil, fmt.Errorf("it has no room for %d more columns", len(columns.added))
	}
	changes := columns.added
	for _, number := range slices.Sorted(maps.Keys(byRow)) {
		known := byRow[number]
		for _, f := range columns.byKind[known.Address.Kind] {
			at := xlsx.At{Row: number, Column: f.number}
			change := cellChange{At: at, text: f.text(known, w.figures), exact: f.isID(), number: f.isFigure()}
			if f.like > 0 {
				change.like = xlsx.At{Row: number, Column: f.like}
			}
			switch why := cmp.Or(spread(t.Facts.Merges, at), f.keeps(stored[at])); {
			case why != "":
				w.leave(t.At(at.Row, at.Column), why)
			case !f.says(stored[at], change.text):
				changes = append(changes, change)
				w.done.Cells++
			}
		}
	}
	return changes, nil
}

// spread returns why a cell is left that is merged with cells of other rows: what is known of one
// row would be shown for all of them.
func spread(merges []xlsx.Area, at xlsx.At) string {
	for _, m := range merges {
		if m.Has(at.Row, at.Column) && m.FromRow < m.ToRow {
			return "it is merged with cells of other rows"
		}
	}
	return ""
}

// rowsOf are the rows of a sheet that the service knows, by number.
func (w *updateWriter) rowsOf(t *table.Reader) map[int]*resource.Resource {
	byRow := map[int]*resource.Resource{}
	for r := range w.desired.Named().All() {
		if r.Position.File() != w.file || r.Position.Sheet() != t.Ref.Name {
			continue
		}
		if known := w.rows.Get(r.Address); known != nil {
			byRow[r.Position.Line()] = known
		}
	}
	return byRow
}
