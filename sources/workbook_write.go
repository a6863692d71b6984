package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"adsync/internal/resource"
	"adsync/sources/bounded"

	"github.com/xuri/excelize/v2"
)

// Export says what an exported workbook shows beside its rows.
type Export struct {
	Account Account
	At      time.Time         // when the account was read; the zero time leaves it out
	Figures *resource.Figures // nil for none
}

// WriteTemplate writes an empty workbook: every sheet and column adsync reads,
// with drop-downs, notes and one example row that is not read (formats.md
// section 3). Money columns name the account's currency.
func WriteTemplate(w io.Writer, schemas resource.Schemas, a Account) error {
	return writeBook(w, newBookWriter(schemas, nil, Export{Account: a}, "template"))
}

// WriteWorkbook writes a snapshot, one row a resource, so that reading it gives
// the same snapshot. Lists that do not fit one cell become rows of their own
// sheet. A text no cell can hold, such as one over 32,767 characters, is an
// error; nothing is cut.
func WriteWorkbook(w io.Writer, schemas resource.Schemas, s *resource.Snapshot, a Account) error {
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
	role    string
	file    *excelize.File
	styles  styleBook
	cents   bool // of the account's currency
	choices []choiceList
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
	b.styles = styleBook{file: b.file, numbers: map[look]int{}}
	b.cents = hasCents(b.Account.Currency)
	b.index()
	sheets := b.sheets()
	if err := b.addSheets(sheets); err != nil {
		return err
	}
	for _, s := range sheets {
		if err := b.prepare(s); err != nil {
			return fmt.Errorf("sheet %q: %w", s.title, err)
		}
	}
	for _, step := range []func() error{b.writeHintLists, b.writePerformance, b.writeLists, b.writeSync} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := b.writeStart(sheets); err != nil {
		return err
	}
	b.file.SetActiveSheet(0)
	// Streams go last: what is added to a sheet after its stream is flushed is
	// lost, or has the library read the whole sheet again.
	for _, s := range sheets {
		if err := b.stream(s); err != nil {
			return fmt.Errorf("sheet %q: %w", s.title, err)
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
	startTab = "Start here" // explains the others
	listsTab = "Lists"      // holds the choices of the drop-downs
)

// sheet is one sheet while it is written. As a tab it has the columns of all its
// parts.
type sheet struct {
	tab
	parts  []part
	styles []int // of the cells of its columns
	widths []float64
	wraps  []bool
	rows   []rowCells
}

// part is a tab whose rows a sheet holds, and where in the tab each column of
// the sheet stands, -1 where it has none.
type part struct {
	tab
	at []int
}

// isEmpty reports whether nobody has filled the sheet in yet, so that it shows an example.
func (s *sheet) isEmpty() bool { return len(s.rows) == 0 }

// sheets are in the order they are written: kinds before the entries of their
// lists, whose rows are known once the kinds are written.
func (b *bookWriter) sheets() []*sheet {
	var sheets []*sheet
	for _, f := range formsOf(b.schemas) {
		s := &sheet{tab: f.tabs[0]}
		if s.schema.Extra && len(b.byKind[s.schema.Kind]) == 0 {
			continue
		}
		s.columns = nil
		for _, t := range f.tabs {
			t.columns = slices.DeleteFunc(t.columns, func(c column) bool {
				return !b.wantsColumn(&t, &c, len(f.tabs) > 1)
			})
			if t.list == nil {
				t.columns = append(t.columns, b.figureColumns(t.schema)...)
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
func (s *sheet) join(t tab) {
	first := len(s.parts) == 0
	for i := range s.columns {
		s.columns[i].required = s.columns[i].required && slices.ContainsFunc(t.columns, func(c column) bool {
			return c.required && c.title == s.columns[i].title
		})
	}
	after := 0 // a column only this tab has stands after the one before it
	for _, c := range t.columns {
		at := slices.IndexFunc(s.columns, func(have column) bool { return have.title == c.title })
		if at < 0 {
			at = after
			c.required = c.required && first
			s.columns = slices.Insert(s.columns, at, c)
		} else if s.columns[at].help != c.help {
			s.columns[at].help = fmt.Sprintf("%s (%s)\n%s (%s)",
				s.columns[at].help, s.parts[0].words()[0], c.help, t.words()[0])
		}
		after = at + 1
	}
	s.parts = append(s.parts, part{tab: t})
}

// place finds the columns of the sheet in each of its tabs.
func (s *sheet) place() {
	for i := range s.parts {
		p := &s.parts[i]
		for _, c := range s.columns {
			p.at = append(p.at, slices.IndexFunc(p.columns, func(have column) bool { return have.title == c.title }))
		}
	}
}

// wantsColumn leaves out what only copies with results have, what a sheet of a
// few entries or of several kinds can do without, and attributes the workbook has no header for
// unless a resource sets one.
func (b *bookWriter) wantsColumn(t *tab, c *column, shared bool) bool {
	switch {
	case c.ours == oursResult:
		return false
	case (shared || t.list != nil && !t.list.many) && (c.role == roleInclude || c.ours == oursNotes):
		return false
	case c.role != roleAttribute || c.attribute.Header != "":
		return true
	}
	return b.sets(t.schema.Kind, c.attribute)
}

// addSheets makes the sheets in the order people see them.
func (b *bookWriter) addSheets(sheets []*sheet) error {
	if err := b.file.SetSheetName("Sheet1", startTab); err != nil {
		return err
	}
	titles := append(b.sheetOrder(sheets), hintListsTab)
	if b.Figures != nil {
		titles = append(titles, performanceTab)
	}
	for _, title := range append(titles, listsTab, syncTab) {
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
				titles = append(titles, s.title)
			}
		}
	}
	for _, top := range b.schemas.ChildrenOf("") {
		for _, kind := range b.schemas {
			if b.schemas.Top(kind.Kind) != top.Kind {
				continue
			}
			add(func(s *sheet) bool { return s.schema == kind && s.list == nil })
			add(func(s *sheet) bool { return s.schema == kind && s.list != nil && s.list.many })
		}
		add(func(s *sheet) bool { return s.list != nil && !s.list.many && b.schemas.Top(s.schema.Kind) == top.Kind })
	}
	return titles
}

// writeSync says what wrote the workbook. Nothing in it is irreplaceable.
func (b *bookWriter) writeSync() error {
	for i, line := range [][]any{
		{"format", bookFormat}, {"role", b.role},
		{"account", b.Account.ID}, {"currency", b.Account.Currency}, {"time zone", b.Account.TimeZone},
		{"exported at", b.exportedAt()}, {"export id", b.exportID()},
	} {
		if err := b.file.SetSheetRow(syncTab, fmt.Sprintf("A%d", i+1), &line); err != nil {
			return err
		}
	}
	return b.file.SetSheetVisible(syncTab, false, true)
}

// exportedAt is when the account was read, in its own time zone.
func (b *bookWriter) exportedAt() string {
	if b.At.IsZero() {
		return ""
	}
	zone, err := zoneOf(b.Account.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	return b.At.In(zone).Format("2006-01-02 15:04 MST")
}

// exportID tells exports apart.
func (b *bookWriter) exportID() string {
	if b.At.IsZero() {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", b.Account.ID, b.At.UnixNano(), b.snapshot.Len()))
	return hex.EncodeToString(sum[:6])
}
