package table

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// readHintLists reads the sheet with one named list a column: the name on top,
// the entries below.
func (r *bookReader) readHintLists() error {
	for _, ref := range r.Book.Sheets {
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
	return resource.Fold(ref.Name) == resource.Fold(config.HintListsTab) ||
		r.In.Layout.IsNamed(ref.Name, config.HintListsTab)
}

func (r *bookReader) hasHintLists() bool { return slices.ContainsFunc(r.Book.Sheets, r.isHintLists) }

// read walks the rows to their end, and only then takes them.
func (h *hintListReader) read() error {
	facts, err := h.Walk(nil)
	if err != nil {
		return err
	}
	if bound := h.In.Bounds.HintRows; facts.Filled > bound {
		return h.In.Bounds.TooManyRows("hints", facts.Filled, bound)
	}
	if _, err := h.Walk(h.readRow); err != nil {
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
	if IsComment(row) {
		h.made.Rows.Read++
		h.made.Rows.Ignored++
		return nil
	}
	if h.header == 0 {
		h.readNames(row)
		return nil
	}
	h.made.Rows.Read++
	failed := &draft.Draft{}
	for _, c := range row.Cells {
		text, finding := h.Text(c, resource.TypeText)
		i, known := h.byColumn[c.Column]
		switch position := h.At(row.Number, c.Column); {
		case finding != nil:
			h.fail(failed, position, finding)
			if known {
				h.made.Lists[i].Problems = append(h.made.Lists[i].Problems, bounded.ProblemAt(position, *finding))
			}
		case !known:
			h.fail(failed, position, &resource.Finding{
				Code: diag.UnknownKey, Message: fmt.Sprintf("column %s has "+
					"an entry and no name on top; want the list's name", diag.ColumnName(c.Column)),
			})
		case celltext.Trimmed(text) != "":
			list := &h.made.Lists[i]
			items, problems := h.In.WithHintFiles(draft.Marked([]string{celltext.Trimmed(text)}, position))
			list.Items = append(list.Items, items...)
			list.Problems = append(list.Problems, draft.ErrorsOf(problems)...)
			h.made.Problems = append(h.made.Problems, problems...)
			failed.Failed = failed.Failed || len(problems) > 0
		}
	}
	h.count(failed.Failed)
	return nil
}

func (h *hintListReader) readNames(row *xlsx.Row) {
	h.header = row.Number
	for _, c := range row.Cells {
		position := h.At(row.Number, c.Column)
		name, finding := h.Text(c, resource.TypeText)
		if finding != nil {
			h.report(position, *finding)
			continue
		}
		h.byColumn[c.Column] = len(h.made.Lists)
		h.made.Lists = append(h.made.Lists, draft.HintList{
			Name: draft.Mark{Text: celltext.Trimmed(name), Position: position},
		})
	}
}

// wantEntries drops lists nobody has filled yet: the names stand ready.
func (h *hintListReader) wantEntries() {
	kept := h.made.Lists[:0]
	for _, list := range h.made.Lists {
		if len(list.Items)+len(list.Problems) > 0 {
			kept = append(kept, list)
		}
	}
	h.made.Lists = kept
}
