package cellbook

import (
	"strconv"
	"strings"
)

// RowPairs leads from each row of one sheet to the same row of another.
type RowPairs map[*Row]*Row

// MatchRows finds the rows of two sheets that are the same: by id, by key, by
// name under the parent, and where rows have no names by what they hold and
// where they stand. A name counts where each sheet has it once.
func MatchRows(from, to *Sheet) RowPairs {
	a, b := from.Rows, to.Rows
	pairs, taken := RowPairs{}, map[*Row]bool{}
	match := func(by func(*Row) string, repeated bool) {
		left, right := groupRows(a, by, func(r *Row) bool { return pairs[r] != nil }),
			groupRows(b, by, func(r *Row) bool { return taken[r] })
		for name, rows := range left {
			others := right[name]
			if !repeated && (len(rows) != 1 || len(others) != 1) {
				continue
			}
			for i := range min(len(rows), len(others)) {
				if mayBeSame(rows[i].Names, others[i].Names) {
					pairs[rows[i]], taken[others[i]] = others[i], true
				}
			}
		}
	}
	byPlace := func(r *Row) string { return strconv.Itoa(r.Number) }
	if from.Header == 0 || to.Header == 0 {
		match(byPlace, false)
		return pairs
	}
	match(func(r *Row) string { return r.Names.ID }, false)
	match(func(r *Row) string { return r.Names.key }, false)
	match(func(r *Row) string { return r.Names.name }, false)
	match(func(r *Row) string { return r.Names.loose }, false)
	match((*Row).content, true)
	match(func(r *Row) string {
		if !r.Names.isBare() {
			return ""
		}
		return byPlace(r)
	}, false)
	return pairs
}

func groupRows(rows []*Row, by func(*Row) string, isPaired func(*Row) bool) map[string][]*Row {
	groups := map[string][]*Row{}
	for _, r := range rows {
		if isPaired(r) {
			continue
		}
		if name := by(r); name != "" {
			groups[name] = append(groups[name], r)
		}
	}
	return groups
}

// mayBeSame refuses two rows that say they are different resources.
func mayBeSame(a, b rowNames) bool {
	differs := func(x, y string) bool { return x != "" && y != "" && x != y }
	if a.ID != "" && a.ID == b.ID {
		return true
	}
	return !differs(a.ID, b.ID) && !differs(a.loose, b.loose)
}

// content is all a row holds, as one text.
func (r *Row) content() string {
	var b strings.Builder
	for _, c := range r.Cells {
		b.WriteString(strconv.Itoa(c.Column) + "\x00" + c.Shown + "\x00")
	}
	return b.String()
}
