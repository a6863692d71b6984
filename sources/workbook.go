package sources

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// readWorkbook reads an .xlsx workbook: the sheets of the kinds, the sheets of
// list entries and the named hint lists (formats.md section 3). Nothing of a
// workbook that is damaged anywhere is used.
func readWorkbook(ctx context.Context, file string, content []byte, in input) (made result) {
	defer func() {
		if reason := recover(); reason != nil {
			made = brokenWorkbook(file, xlsx.Damaged("workbook cannot be read (%v); want a whole one", reason))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, in.bounds.PerFile)
	defer cancel()
	members, finding := xlsx.Open(ctx, content, in.bounds.Workbook())
	if finding != nil {
		return brokenWorkbook(file, finding)
	}
	b, err := xlsx.ReadBook(members)
	if err != nil {
		return brokenWorkbook(file, xlsx.Unusable(err))
	}
	r := &bookReader{fileReader: &fileReader{ctx: ctx, in: in, file: file}, book: b}
	if err := r.read(); err != nil {
		return brokenWorkbook(file, xlsx.Unusable(err))
	}
	r.warnApproved(content)
	r.warnSecrets()
	return r.made
}

func brokenWorkbook(file string, f *resource.Finding) result {
	return result{problems: []diag.Problem{bounded.ProblemAt(diag.InFile(file), *f)}}
}

// bookReader makes drafts of one workbook.
type bookReader struct {
	*fileReader
	book   *xlsx.Book         // nil where the file is no workbook
	stored map[string]picture // by part, once a row has it
}

func (r *bookReader) grid(ref xlsx.Sheet) sheetGrid {
	return sheetGrid{bookReader: r, ref: ref, origin: diag.OriginOf(r.file, ref.Name)}
}

// read walks every sheet that is known to its end, and only then makes drafts.
func (r *bookReader) read() error {
	if fits, err := r.checkSync(); err != nil || !fits {
		return err
	}
	readers, err := r.openTabs()
	if err != nil {
		return err
	}
	for _, t := range readers {
		if err := t.readRows(); err != nil {
			return fmt.Errorf("sheet %q: %w", t.at(0, 0).Sheet(), err)
		}
	}
	if err := r.readHintLists(); err != nil {
		return err
	}
	if len(readers) == 0 && len(r.made.problems) == 0 &&
		!slices.ContainsFunc(r.book.Sheets, isOurs) && !r.hasHintLists() {
		r.strayBook()
	}
	return nil
}

// isOurs reports whether a sheet is read without rows of a kind, or written by adsync.
func isOurs(ref xlsx.Sheet) bool {
	return isOurTab(ref.Name) || resource.Fold(ref.Name) == resource.Fold(hintListsTab)
}

// strayBook reports whether a workbook holds nothing adsync knows by its name: whoever
// put it there may take it for a source.
func (r *bookReader) strayBook() {
	var titles []string
	for _, f := range forms(&r.in) {
		titles = append(titles, f.title)
	}
	p := bounded.ProblemAt(diag.InFile(r.file), resource.Finding{
		Code: diag.UnknownKey, Severity: diag.Warning,
		Message: "no sheet has a name adsync knows; want one of " + strings.Join(titles, ", "),
		Hint:    "name the sheet for what its rows are, or move the workbook out of the sources",
	})
	r.made.stray = &p
}

// openTabs matches the sheets to the forms adsync knows and checks each from end
// to end.
func (r *bookReader) openTabs() ([]*tabReader, error) {
	forms := forms(&r.in)
	bySheet := map[*form]string{}
	var readers []*tabReader
	for _, ref := range r.book.Sheets {
		f := r.formFor(forms, ref)
		if f == nil && !isOurs(ref) && !r.in.layout.isNamed(ref.Name, hintListsTab) {
			if err := r.judgeSheet(forms, ref); err != nil {
				return nil, fmt.Errorf("sheet %q: %w", ref.Name, err)
			}
		}
		if f == nil {
			continue
		}
		if first, twice := bySheet[f]; twice && !r.in.layout.isNamed(ref.Name, f.title) &&
			!r.in.layout.isNamed(first, f.title) {
			r.report(diag.Cell(r.file, ref.Name, 0, 0), resource.Finding{
				Code: diag.Duplicate, Message: fmt.Sprintf("sheet means %q, as does sheet %q; want one of them",
					f.title, first),
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
	rank := func(t *tabReader) int {
		return slices.IndexFunc(forms, func(f form) bool { return f.title == t.form.title })
	}
	slices.SortStableFunc(readers, func(a, b *tabReader) int { return rank(a) - rank(b) })
	return readers, nil
}

func (r *bookReader) openSheet(f *form, ref xlsx.Sheet) (*tabReader, error) {
	reader := &tabReader{bookReader: r, grid: r.grid(ref), ref: ref, form: f, noun: "sheet"}
	if err := reader.open(); err != nil {
		return nil, err
	}
	return reader, reader.openPictures()
}

// tableOfNumbers is what an export of Numbers puts behind the name of a sheet:
// the name of the table, which is numbered in the language of the program.
var tableOfNumbers = regexp.MustCompile(
	`(?i) - (Table|Tabelle|Tableau|Tabla|Tabella|Tabela|Tabel|Tabell|Taulukko|Таблица|表格|表|표) ?[0-9]+$`)

// formFor returns the form a sheet holds, by the name adsync.yaml gives it or by
// its own; nil where it is not known.
func (r *bookReader) formFor(forms []form, ref xlsx.Sheet) *form {
	if ownMark(ref.Name) {
		return nil
	}
	named := r.in.layout.formOf(ref.Name)
	folded := resource.Fold(tableOfNumbers.ReplaceAllString(ref.Name, ""))
	for i := range forms {
		f := &forms[i]
		switch {
		case named != "" && named != sheetKind(f.title):
		case named != "", slices.ContainsFunc(f.names(), func(name string) bool {
			return resource.Fold(name) == folded
		}):
			return f
		}
	}
	return nil
}
