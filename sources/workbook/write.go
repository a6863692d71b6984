// Package workbook writes the files people edit: templates, exports and examples, as workbook, CSV or YAML.
// write.go and tabwrite.go write sheets, export.go says what is exported, rowmaker.go makes rows of
// resources, start.go and performance.go the sheets beside them, csv_write.go and yaml_write.go the other formats.
//
// What is written reads again as the same resources.
package workbook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/look"
	"adsync/sources/table"

	"github.com/xuri/excelize/v2"
)

// Export says what an exported workbook shows beside its rows.
type Export struct {
	Account config.Account
	At      time.Time         // when the account was read; the zero time leaves it out
	Figures *resource.Figures // nil for none
}

// WriteTemplate writes an empty workbook: every sheet and column adsync reads,
// with drop-downs, notes and one example row that is not read (formats.md
// section 3). Money columns name the account's currency.
func WriteTemplate(w io.Writer, schemas resource.Schemas, a config.Account) error {
	return writeBook(w, newBookWriter(schemas, nil, Export{Account: a}, "template"))
}

// WriteWorkbook writes a snapshot, one row a resource, so that reading it gives
// the same snapshot. Lists that do not fit one cell become rows of their own
// sheet. A text no cell can hold, such as one over 32,767 characters, is an
// error; nothing is cut.
func WriteWorkbook(w io.Writer, schemas resource.Schemas, s *resource.Snapshot, a config.Account) error {
	return WriteExport(w, schemas, s, Export{Account: a})
}

// WriteExport writes a snapshot of an account as WriteWorkbook does, with what
// the service says of its resources and with figures beside the rows.
func WriteExport(w io.Writer, schemas resource.Schemas, s *resource.Snapshot, e Export) error {
	return writeBook(w, newBookWriter(schemas, s, e, "export"))
}

// bookWriter writes one workbook.
type bookWriter struct {
	Export
	rowMaker
	columnLooks
	role    string
	file    *excelize.File
	drop    dropDowns
	figures figuresShown
}

func newBookWriter(schemas resource.Schemas, s *resource.Snapshot, e Export, role string) *bookWriter {
	return &bookWriter{
		rowMaker: rowMaker{schemas: schemas, snapshot: s, currency: e.Account.Currency}, Export: e, role: role,
	}
}

func writeBook(w io.Writer, b *bookWriter) error {
	folder, remove, err := bounded.NewScratch()
	if err != nil {
		return err
	}
	defer remove()
	b.file = excelize.NewFile(excelize.Options{TmpDir: folder})
	defer b.file.Close()
	if err := b.write(); err != nil {
		return fmt.Errorf("write workbook: %w", err)
	}
	if err := b.file.Write(w); err != nil {
		return fmt.Errorf("write workbook: %w", err)
	}
	return nil
}

func (b *bookWriter) write() error {
	b.columnLooks = columnLooks{
		styles:   look.StyleBook{File: b.file, Numbers: map[look.Look]int{}},
		currency: b.Account.Currency, cents: look.HasCents(b.Account.Currency),
	}
	b.drop = dropDowns{file: b.file, rows: &b.rowMaker}
	b.figures = figuresShown{b.Figures}
	b.index()
	sheets := b.sheets()
	if err := b.addSheets(sheets); err != nil {
		return err
	}
	for _, s := range sheets {
		if err := b.prepare(s); err != nil {
			return fmt.Errorf("sheet %q: %w", s.Title, err)
		}
	}
	for _, step := range []func() error{
		b.writeHintLists, b.writePerformance, b.writeDaily, b.drop.writeLists, b.writeSync,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	start := startSheet{Export: b.Export, file: b.file, styles: &b.styles}
	if err := start.writeStart(sheets); err != nil {
		return err
	}
	b.file.SetActiveSheet(0)
	// Streams go last: what is added to a sheet after its stream is flushed is
	// lost, or has the library read the whole sheet again.
	for _, s := range sheets {
		if err := b.stream(s); err != nil {
			return fmt.Errorf("sheet %q: %w", s.Title, err)
		}
	}
	return nil
}

// prepare makes the rows of a sheet and everything around them.
func (b *bookWriter) prepare(s *sheet) (err error) {
	if err := b.shapeColumns(s); err != nil {
		return err
	}
	if s.rows, err = b.rowsOf(s); err != nil {
		return err
	}
	return b.dress(s)
}

// The sheets that are not rows of a kind.
const (
	startTab = config.StartTab
	listsTab = "Lists" // holds the choices of the drop-downs
)

// sheet is one sheet while it is written. As a tab it has the columns of all its
// parts.
type sheet struct {
	catalog.Tab
	parts  []part
	styles []int // of the cells of its columns
	widths []float64
	wraps  []bool
	rows   []rowCells
}

// part is a tab whose rows a sheet holds, and where in the tab each column of
// the sheet stands, -1 where it has none.
type part struct {
	catalog.Tab
	at []int
}

// isEmpty reports whether nobody has filled the sheet in yet, so that it shows an example.
func (s *sheet) isEmpty() bool { return len(s.rows) == 0 }

// sheets are in the order they are written: kinds before the entries of their
// lists, whose rows are known once the kinds are written.
func (b *bookWriter) sheets() []*sheet {
	var sheets []*sheet
	for _, f := range catalog.FormsOf(b.schemas) {
		s := &sheet{Tab: f.Tabs[0]}
		if s.Schema.Extra && len(b.byKind[s.Schema.Kind]) == 0 {
			continue
		}
		s.Columns = nil
		for _, t := range f.Tabs {
			t.Columns = slices.DeleteFunc(t.Columns, func(c catalog.Column) bool {
				return !b.wantsColumn(&t, &c, len(f.Tabs) > 1)
			})
			if t.List == nil {
				t.Columns = append(t.Columns, b.figures.figureColumns(t.Schema)...)
			}
			s.join(t)
		}
		s.place()
		sheets = append(sheets, s)
	}
	return sheets
}

// join adds a tab to a sheet. A column of several tabs stands once, and must be
// filled where every one of them wants it.
func (s *sheet) join(t catalog.Tab) {
	first := len(s.parts) == 0
	for i := range s.Columns {
		s.Columns[i].Required = s.Columns[i].Required && slices.ContainsFunc(t.Columns, func(c catalog.Column) bool {
			return c.Required && c.Title == s.Columns[i].Title
		})
	}
	after := 0 // a column only this tab has stands after the one before it
	for _, c := range t.Columns {
		at := slices.IndexFunc(s.Columns, func(have catalog.Column) bool { return have.Title == c.Title })
		if at < 0 {
			at = after
			c.Required = c.Required && first
			s.Columns = slices.Insert(s.Columns, at, c)
		} else if s.Columns[at].Help != c.Help {
			s.Columns[at].Help = fmt.Sprintf("%s (%s)\n%s (%s)",
				s.Columns[at].Help, s.parts[0].Words()[0], c.Help, t.Words()[0])
		}
		after = at + 1
	}
	s.parts = append(s.parts, part{Tab: t})
}

// place finds the columns of the sheet in each of its tabs.
func (s *sheet) place() {
	for i := range s.parts {
		p := &s.parts[i]
		for _, c := range s.Columns {
			p.at = append(p.at, slices.IndexFunc(p.Columns, func(have catalog.Column) bool {
				return have.Title == c.Title
			}))
		}
	}
}

// wantsColumn leaves out what only copies with results have, what a sheet of a
// few entries or of several kinds can do without, and attributes the workbook has no header for
// unless a resource sets one.
func (b *bookWriter) wantsColumn(t *catalog.Tab, c *catalog.Column, shared bool) bool {
	switch {
	case c.Ours == catalog.OursResult:
		return false
	case (shared || t.List != nil && !t.List.Many) && (c.Role == catalog.RoleInclude || c.Ours == catalog.OursNotes):
		return false
	case c.Role != catalog.RoleAttribute || c.Attribute.Header != "":
		return true
	}
	return b.sets(t.Schema.Kind, c.Attribute)
}

// addSheets makes the sheets in the order people see them.
func (b *bookWriter) addSheets(sheets []*sheet) error {
	if err := b.file.SetSheetName("Sheet1", startTab); err != nil {
		return err
	}
	titles := append(b.sheetOrder(sheets), config.HintListsTab)
	if b.Figures != nil {
		titles = append(titles, PerformanceTab, DailyTab)
	}
	for _, title := range append(titles, listsTab, config.SyncTab) {
		if _, err := b.file.NewSheet(title); err != nil {
			return err
		}
	}
	return nil
}

// sheetOrder is the kinds of one tree after another, each followed by its long
// lists, and the short lists of a tree at its end.
func (b *bookWriter) sheetOrder(sheets []*sheet) []string {
	var titles []string
	add := func(wanted func(*sheet) bool) {
		for _, s := range sheets {
			if wanted(s) {
				titles = append(titles, s.Title)
			}
		}
	}
	for _, top := range b.schemas.ChildrenOf("") {
		for _, kind := range b.schemas {
			if b.schemas.Top(kind.Kind) != top.Kind {
				continue
			}
			add(func(s *sheet) bool { return s.Schema == kind && s.List == nil })
			add(func(s *sheet) bool { return s.Schema == kind && s.List != nil && s.List.Many })
		}
		add(func(s *sheet) bool { return s.List != nil && !s.List.Many && b.schemas.Top(s.Schema.Kind) == top.Kind })
	}
	return titles
}

// writeSync says what wrote the workbook. Nothing in it is irreplaceable.
func (b *bookWriter) writeSync() error {
	for i, line := range [][]any{
		{"format", table.BookFormat}, {"role", b.role},
		{"account", b.Account.ID}, {"currency", b.Account.Currency}, {"time zone", b.Account.TimeZone},
		{"exported at", b.exportedAt()}, {"export id", b.exportID()},
	} {
		if err := b.file.SetSheetRow(config.SyncTab, fmt.Sprintf("A%d", i+1), &line); err != nil {
			return err
		}
	}
	return b.file.SetSheetVisible(config.SyncTab, false, true)
}

// exportedAt is when the account was read, in its own time zone.
func (e Export) exportedAt() string {
	if e.At.IsZero() {
		return ""
	}
	zone, err := config.ZoneOf(e.Account.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return e.At.In(zone).Format("2006-01-02 15:04 MST")
}

// exportID tells exports apart.
func (b *bookWriter) exportID() string {
	if b.At.IsZero() {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", b.Account.ID, b.At.UnixNano(), b.snapshot.Len()))
	return hex.EncodeToString(sum[:6])
}
