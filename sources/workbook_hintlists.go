package sources

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// readHintLists reads the sheet with one named list a column: the name on top,
// the entries below.
func (r *bookReader) readHintLists() error {
	for _, ref := range r.book.sheets {
		if resource.Fold(ref.name) != resource.Fold(hintListsTab) {
			continue
		}
		h := &hintListReader{tabReader: &tabReader{bookReader: r, ref: ref}, byColumn: map[int]int{}}
		facts, err := walkSheet(r.book, ref.part, nil)
		if err == nil && facts.filled > r.in.bounds.hintRows {
			err = fmt.Errorf("it has %d rows; want at most %d", facts.filled, r.in.bounds.hintRows)
		}
		if err == nil {
			_, err = walkSheet(r.book, ref.part, h.readRow)
		}
		if err != nil {
			return fmt.Errorf("sheet %q: %w", ref.name, err)
		}
		h.wantEntries()
	}
	return nil
}

type hintListReader struct {
	*tabReader
	header   int
	byColumn map[int]int // place of the column's list among the lists made
}

func (h *hintListReader) readRow(row *sheetRow) error {
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
	for _, c := range row.cells {
		text, finding := h.cellText(c, resource.TypeText)
		i, known := h.byColumn[c.column]
		switch position := h.at(row.number, c.column); {
		case finding != nil:
			h.fail(failed, position, finding)
		case !known:
			h.fail(failed, position, &resource.Finding{Code: diag.UnknownKey, Message: fmt.Sprintf("column %s has an entry and no name on top; want the list's name", diag.ColumnName(c.column))})
		case trimmed(text) != "":
			list := &h.made.lists[i]
			list.items = append(list.items, hint{mark: mark{trimmed(text), position}})
		}
	}
	h.count(failed.failed)
	return nil
}

func (h *hintListReader) readNames(row *sheetRow) {
	h.header = row.number
	for _, c := range row.cells {
		position := h.at(row.number, c.column)
		name, finding := h.cellText(c, resource.TypeText)
		if finding != nil {
			h.report(position, *finding)
			continue
		}
		h.byColumn[c.column] = len(h.made.lists)
		h.made.lists = append(h.made.lists, hintList{name: mark{trimmed(name), position}})
	}
}

// wantEntries drops lists nobody has filled yet: the names stand ready.
func (h *hintListReader) wantEntries() {
	kept := h.made.lists[:0]
	for _, list := range h.made.lists {
		if len(list.items) > 0 {
			kept = append(kept, list)
		}
	}
	h.made.lists = kept
}
