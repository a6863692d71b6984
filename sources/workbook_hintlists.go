package sources

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// readHintLists reads the sheet with one named list a column: the name on top,
// the entries below.
func (r *bookReader) readHintLists() error {
	for _, ref := range r.book.Sheets {
		if !r.isHintLists(ref) {
			continue
		}
		h := &hintListReader{fileReader: r.fileReader, grid: r.grid(ref), byColumn: map[int]int{}}
		if err := h.read(); err != nil {
			return fmt.Errorf("sheet %q: %w", ref.Name, err)
		}
	}
	return nil
}

func (r *bookReader) isHintLists(ref xlsx.Sheet) bool {
	return resource.Fold(ref.Name) == resource.Fold(hintListsTab) || r.in.layout.isNamed(ref.Name, hintListsTab)
}

func (r *bookReader) hasHintLists() bool { return slices.ContainsFunc(r.book.Sheets, r.isHintLists) }

// read walks the rows to their end, and only then takes them.
func (h *hintListReader) read() error {
	facts, err := h.walk(nil)
	if err != nil {
		return err
	}
	if bound := h.in.bounds.HintRows; facts.Filled > bound {
		return h.in.bounds.TooManyRows("hints", facts.Filled, bound)
	}
	if _, err := h.walk(h.readRow); err != nil {
		return err
	}
	h.wantEntries()
	return nil
}

type hintListReader struct {
	*fileReader
	grid
	header   int
	byColumn map[int]int // place of the column's list among the lists made
}

func (h *hintListReader) readRow(row *xlsx.Row) error {
	if isComment(row) {
		h.made.rows.Read++
		h.made.rows.Ignored++
		return nil
	}
	if h.header == 0 {
		h.readNames(row)
		return nil
	}
	h.made.rows.Read++
	failed := &draft{}
	for _, c := range row.Cells {
		text, finding := h.text(c, resource.TypeText)
		i, known := h.byColumn[c.Column]
		switch position := h.at(row.Number, c.Column); {
		case finding != nil:
			h.fail(failed, position, finding)
			if known {
				h.made.lists[i].problems = append(h.made.lists[i].problems, bounded.ProblemAt(position, *finding))
			}
		case !known:
			h.fail(failed, position, &resource.Finding{
				Code: diag.UnknownKey, Message: fmt.Sprintf("column %s has "+
					"an entry and no name on top; want the list's name", diag.ColumnName(c.Column)),
			})
		case trimmed(text) != "":
			list := &h.made.lists[i]
			items, problems := h.in.withHintFiles(marked([]string{trimmed(text)}, position))
			list.items = append(list.items, items...)
			list.problems = append(list.problems, errorsOf(problems)...)
			h.made.problems = append(h.made.problems, problems...)
			failed.failed = failed.failed || len(problems) > 0
		}
	}
	h.count(failed.failed)
	return nil
}

func (h *hintListReader) readNames(row *xlsx.Row) {
	h.header = row.Number
	for _, c := range row.Cells {
		position := h.at(row.Number, c.Column)
		name, finding := h.text(c, resource.TypeText)
		if finding != nil {
			h.report(position, *finding)
			continue
		}
		h.byColumn[c.Column] = len(h.made.lists)
		h.made.lists = append(h.made.lists, hintList{name: mark{trimmed(name), position}})
	}
}

// wantEntries drops lists nobody has filled yet: the names stand ready.
func (h *hintListReader) wantEntries() {
	kept := h.made.lists[:0]
	for _, list := range h.made.lists {
		if len(list.items)+len(list.problems) > 0 {
			kept = append(kept, list)
		}
	}
	h.made.lists = kept
}
