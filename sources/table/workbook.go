// Package table turns the rows of workbooks and CSV files into drafts.
// workbook.go opens a workbook and csv.go a CSV file, header.go finds the header, rows.go and draft.go
// read a row, unread.go and unread_words.go say what is not read and ask what a header means.
//
// Both kinds of file have one reader of rows; a grid (grid.go) says how cells are stored. What the text of a cell means
// says package celltext; what a picture's cell links to, picture_sheet.go.
package table

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// ReadWorkbook reads an .xlsx workbook: the sheets of the kinds, the sheets of
// list entries and the named hint lists (formats.md section 3). Nothing of a
// workbook that is damaged anywhere is used.
func ReadWorkbook(ctx context.Context, file string, content []byte, in draft.Input) (made draft.Result) {
	defer func() {
		if reason := recover(); reason != nil {
			made = brokenWorkbook(file, xlsx.Damaged("workbook cannot be read (%v); want a whole one", reason))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.Bounds.PerFile)
	defer cancel()
	members, finding := xlsx.Open(ctx, content, in.Bounds.Workbook())
	if finding != nil {
		return brokenWorkbook(file, finding)
	}
	b, err := xlsx.ReadBook(members)
	if err != nil {
		return brokenWorkbook(file, xlsx.Unusable(err))
	}
	r := &bookReader{fileReader: &fileReader{ctx: ctx, In: in, File: file}, Book: b}
	if err := r.read(); err != nil {
		return brokenWorkbook(file, xlsx.Unusable(err))
	}
	r.warnApproved(content)
	r.warnSecrets()
	return r.made
}

func brokenWorkbook(file string, f *resource.Finding) draft.Result {
	return draft.Result{Problems: []diag.Problem{bounded.ProblemAt(diag.InFile(file), *f)}}
}

// bookReader makes drafts of one workbook.
type bookReader struct {
	*fileReader
	Book   *xlsx.Book                // nil where the file is no workbook
	stored map[string]attach.Picture // by part, once a row has it
}

func (r *bookReader) grid(ref xlsx.Sheet) sheetGrid {
	return sheetGrid{bookReader: r, ref: ref, origin: diag.OriginOf(r.File, ref.Name)}
}

// read walks every sheet that is known to its end, and only then makes drafts.
func (r *bookReader) read() error {
	if err := r.readPublishing(); err != nil {
		return err
	}
	if fits, err := r.checkSync(); err != nil || !fits {
		return err
	}
	readers, err := r.openTabs()
	if err != nil {
		return err
	}
	for _, t := range readers {
		if err := t.readRows(); err != nil {
			return fmt.Errorf("sheet %q: %w", t.At(0, 0).Sheet(), err)
		}
	}
	if err := r.readHintLists(); err != nil {
		return err
	}
	if len(readers) == 0 && len(r.made.Problems) == 0 &&
		!slices.ContainsFunc(r.Book.Sheets, isOurs) && !r.hasHintLists() {
		r.strayBook()
	}
	return nil
}

// isOurs reports whether a sheet is read without rows of a kind, or written by adsync.
func isOurs(ref xlsx.Sheet) bool {
	return config.IsOurTab(ref.Name) || resource.Fold(ref.Name) == resource.Fold(config.HintListsTab)
}

// strayBook says that a workbook holds nothing adsync knows by its name: whoever
// put it there may take it for a source.
func (r *bookReader) strayBook() {
	var titles []string
	for _, f := range catalog.Forms(&r.In) {
		titles = append(titles, f.Title)
	}
	p := bounded.ProblemAt(diag.InFile(r.File), resource.Finding{
		Code: diag.UnknownKey, Severity: diag.Warning,
		Message: "no sheet has a name adsync knows; want one of " + strings.Join(titles, ", "),
		Hint:    "name the sheet for what its rows are, or move the workbook out of the sources",
	})
	r.made.Stray = &p
}

// openTabs matches the sheets to the forms adsync knows and checks each from end
// to end.
func (r *bookReader) openTabs() ([]*Reader, error) {
	forms := catalog.Forms(&r.In)
	bySheet := map[*catalog.Form]string{}
	var readers []*Reader
	for _, ref := range r.Book.Sheets {
		f := FormFor(&r.In.Layout, forms, ref)
		if f == nil && !isOurs(ref) && !r.In.Layout.IsNamed(ref.Name, config.HintListsTab) {
			if err := r.judgeSheet(forms, ref); err != nil {
				return nil, fmt.Errorf("sheet %q: %w", ref.Name, err)
			}
		}
		if f == nil {
			continue
		}
		if first, twice := bySheet[f]; twice && !r.In.Layout.IsNamed(ref.Name, f.Title) &&
			!r.In.Layout.IsNamed(first, f.Title) {
			r.report(diag.Cell(r.File, ref.Name, 0, 0), resource.Finding{
				Code: diag.Duplicate, Message: fmt.Sprintf("sheet means %q, as does sheet %q; want one of them",
					f.Title, first),
			})
			continue
		}
		bySheet[f] = ref.Name
		reader, err := r.openSheet(f, ref)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", ref.Name, err)
		}
		readers = append(readers, reader)
	}
	// The same drafts in the same order, whatever the order of the sheets.
	rank := func(t *Reader) int {
		return slices.IndexFunc(forms, func(f catalog.Form) bool { return f.Title == t.Form.Title })
	}
	slices.SortStableFunc(readers, func(a, b *Reader) int { return rank(a) - rank(b) })
	return readers, nil
}

func (r *bookReader) openSheet(f *catalog.Form, ref xlsx.Sheet) (*Reader, error) {
	reader := newReader(&head{bookReader: r, grid: r.grid(ref), Ref: ref, Form: f, noun: "sheet"})
	if err := reader.Open(); err != nil {
		return nil, err
	}
	return reader, reader.openPictures()
}

// tableOfNumbers is what an export of Numbers puts behind the name of a sheet:
// the name of the table, which is numbered in the language of the program.
var tableOfNumbers = pattern.Of(
	`(?i) - (Table|Tabelle|Tableau|Tabla|Tabella|Tabela|Tabel|Tabell|Taulukko|Таблица|表格|表|표) ?[0-9]+$`)

// FormFor returns the form a sheet holds, by the name adsync.yaml gives it or by
// its own; nil where it is not known.
func FormFor(layout *config.Layout, forms []catalog.Form, ref xlsx.Sheet) *catalog.Form {
	if config.OwnMark(ref.Name) {
		return nil
	}
	named := layout.FormOf(ref.Name)
	folded := resource.Fold(tableOfNumbers.ReplaceAllString(ref.Name, ""))
	for i := range forms {
		f := &forms[i]
		switch {
		case named != "" && named != config.SheetKind(f.Title):
		case named != "", slices.ContainsFunc(f.Names(), func(name string) bool {
			return resource.Fold(name) == folded
		}):
			return f
		}
	}
	return nil
}
