package sources

import (
	"fmt"
	"io"
	"slices"

	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// bookFormat is the version of the workbook's layout, in its sheet _sync.
const bookFormat = 1

// WriteTemplate writes an empty workbook: every sheet and column adsync reads,
// with drop-downs, notes and one example row that is not read (formats.md
// section 3). Money columns name the account's currency.
func WriteTemplate(w io.Writer, schemas resource.Schemas, a Account) error {
	return writeBook(w, &bookWriter{schemas: schemas, account: a, purpose: "template"})
}

// WriteWorkbook writes a snapshot, one row a resource, so that reading it gives
// the same snapshot. Lists that do not fit one cell become rows of their own
// sheet. A text no cell can hold, such as one over 32,767 characters, is an
// error; nothing is cut.
func WriteWorkbook(w io.Writer, schemas resource.Schemas, s *resource.Snapshot, a Account) error {
	return writeBook(w, &bookWriter{schemas: schemas, account: a, snapshot: s, purpose: "export"})
}

// bookWriter writes one workbook.
type bookWriter struct {
	schemas  resource.Schemas
	account  Account
	snapshot *resource.Snapshot // nil for a template
	purpose  string
	file     *excelize.File
	styles   bookStyles
	choices  []choiceList
	byKind   map[resource.Kind][]*resource.Resource
	names    map[resource.Address]string // what the rows of children call each resource
	entries  []entryRow                  // entries of lists that stand on their own sheet
}

// choiceList is a named range on the hidden sheet Lists.
type choiceList struct {
	name   string
	values []string
}

func writeBook(w io.Writer, b *bookWriter) error {
	folder, remove, err := newScratch()
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

func (b *bookWriter) write() (err error) {
	if b.styles, err = newBookStyles(b.file); err != nil {
		return err
	}
	b.index()
	tabs := b.tabs()
	if err := b.addSheets(tabs); err != nil {
		return err
	}
	rows := make([][]rowCells, len(tabs))
	for i := range tabs {
		t := &tabs[i]
		if rows[i], err = b.rowsOf(t); err != nil {
			return fmt.Errorf("sheet %q: %w", t.title, err)
		}
		if err := b.dressTab(t, max(readyRows, len(rows[i]))+1); err != nil {
			return fmt.Errorf("sheet %q: %w", t.title, err)
		}
	}
	for _, step := range []func() error{b.writeStart, b.writeHintLists, b.writeLists, b.writeSync} {
		if err := step(); err != nil {
			return err
		}
	}
	b.file.SetActiveSheet(0)
	// Streams go last: what is added to a sheet after its stream is flushed is
	// lost, or has the library read the whole sheet again.
	for i := range tabs {
		if err := b.streamTab(&tabs[i], rows[i]); err != nil {
			return fmt.Errorf("sheet %q: %w", tabs[i].title, err)
		}
	}
	return nil
}

// index sorts the resources once.
func (b *bookWriter) index() {
	b.byKind = map[resource.Kind][]*resource.Resource{}
	for _, a := range b.snapshot.Addresses() {
		b.byKind[a.Kind] = append(b.byKind[a.Kind], b.snapshot.Get(a))
	}
	b.names = b.parentNames()
}

// startTab is the sheet that explains the others.
const startTab = "Start here"

// listsTab holds the choices of the drop-downs.
const listsTab = "Lists"

// tabs are the sheets in the order they are written: kinds before the entries
// of their lists, whose rows are known once the kinds are written.
func (b *bookWriter) tabs() []tab {
	tabs := slices.DeleteFunc(tabsOf(b.schemas), func(t tab) bool {
		return t.schema.SheetWord != "" || t.schema.Extra && len(b.byKind[t.schema.Kind]) == 0
	})
	for i := range tabs {
		tabs[i].columns = slices.DeleteFunc(tabs[i].columns, func(c column) bool { return !b.wantsColumn(&tabs[i], &c) })
	}
	return tabs
}

// wantsColumn leaves out what only copies with results have, and attributes the
// workbook has no header for unless a resource sets one.
func (b *bookWriter) wantsColumn(t *tab, c *column) bool {
	switch {
	case c.role == roleOurs && (c.title == "Result" || c.title == "Message"):
		return false
	case c.role != roleAttribute || c.attribute.Header != "":
		return true
	}
	return slices.ContainsFunc(b.byKind[t.schema.Kind], func(r *resource.Resource) bool { return !r.Value(c.attribute.Name).IsAbsent() })
}

// addSheets makes the sheets in the order people see them.
func (b *bookWriter) addSheets(tabs []tab) error {
	if err := b.file.SetSheetName("Sheet1", startTab); err != nil {
		return err
	}
	titles := []string{}
	for _, t := range tabs {
		if t.list == nil {
			titles = append(titles, t.title)
			titles = append(titles, entryTitles(tabs, t.schema, true)...)
		}
	}
	for _, t := range tabs {
		if t.list == nil {
			titles = append(titles, entryTitles(tabs, t.schema, false)...)
		}
	}
	for _, title := range append(titles, hintListsTab, listsTab, syncTab) {
		if _, err := b.file.NewSheet(title); err != nil {
			return err
		}
	}
	return nil
}

func entryTitles(tabs []tab, s *resource.Schema, many bool) []string {
	var titles []string
	for _, t := range tabs {
		if t.list != nil && t.schema == s && t.list.many == many {
			titles = append(titles, t.title)
		}
	}
	return titles
}

// writeSync says what wrote the workbook. Nothing in it is irreplaceable.
func (b *bookWriter) writeSync() error {
	for i, line := range [][]any{
		{"format", bookFormat}, {"purpose", b.purpose},
		{"account", b.account.ID}, {"currency", b.account.Currency}, {"time zone", b.account.TimeZone},
	} {
		if err := b.file.SetSheetRow(syncTab, fmt.Sprintf("A%d", i+1), &line); err != nil {
			return err
		}
	}
	return b.file.SetSheetVisible(syncTab, false, true)
}

// writeLists writes the choices of the drop-downs, one named range a column.
func (b *bookWriter) writeLists() error {
	for i, list := range b.choices {
		letter, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		values := append([]string{list.name}, list.values...)
		if err := b.file.SetSheetCol(listsTab, letter+"1", &values); err != nil {
			return err
		}
		err = b.file.SetDefinedName(&excelize.DefinedName{
			Name: list.name, RefersTo: fmt.Sprintf("%s!$%s$2:$%s$%d", listsTab, letter, letter, len(list.values)+1),
		})
		if err != nil {
			return err
		}
	}
	return b.file.SetSheetVisible(listsTab, false)
}

// writeHintLists writes an example of the sheet with one list a column.
func (b *bookWriter) writeHintLists() error {
	if err := b.file.SetSheetRow(hintListsTab, "A1", &[]string{"my-list"}); err != nil {
		return err
	}
	if err := b.file.SetCellStyle(hintListsTab, "A1", "H1", b.styles.header); err != nil {
		return err
	}
	if err := b.file.SetColWidth(hintListsTab, "A", "H", 40); err != nil {
		return err
	}
	err := b.file.AddComment(hintListsTab, excelize.Comment{
		Cell: "A1", Author: "adsync", Width: 320, Height: 110,
		Text: "One list a column: its name here, its sentences below, one a cell. Ad groups take it in by its name, in their column Hint lists.",
	})
	if err != nil {
		return err
	}
	return b.file.SetPanes(hintListsTab, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
}
