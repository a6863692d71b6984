package sources

import (
	"strconv"
	"strings"
)

// rowPairs leads from each row of one sheet to the same row of another.
type rowPairs map[*cellRow]*cellRow

// matchRows finds the rows of two sheets that are the same: by id, by key, by
// name under the parent, and where rows have no names by what they hold and
// where they stand. A name counts where each sheet has it once.
func matchRows(from, to *cellSheet) rowPairs {
	a, b := from.rows, to.rows
	pairs, taken := rowPairs{}, map[*cellRow]bool{}
	match := func(by func(*cellRow) string, repeated bool) {
		left, right := groupRows(a, by, func(r *cellRow) bool { return pairs[r] != nil }),
			groupRows(b, by, func(r *cellRow) bool { return taken[r] })
		for name, rows := range left {
			others := right[name]
			if !repeated && (len(rows) != 1 || len(others) != 1) {
				continue
			}
			for i := range min(len(rows), len(others)) {
				if mayBeSame(rows[i].names, others[i].names) {
					pairs[rows[i]], taken[others[i]] = others[i], true
				}
			}
		}
	}
	byPlace := func(r *cellRow) string { return strconv.Itoa(r.number) }
	if from.header == 0 || to.header == 0 {
		match(byPlace, false)
		return pairs
	}
	match(func(r *cellRow) string { return r.names.id }, false)
	match(func(r *cellRow) string { return r.names.key }, false)
	match(func(r *cellRow) string { return r.names.name }, false)
	match(func(r *cellRow) string { return r.names.loose }, false)
	match((*cellRow).content, true)
	match(func(r *cellRow) string {
		if !r.names.isBare() {
			return ""
		}
		return byPlace(r)
	}, false)
	return pairs
}

func groupRows(rows []*cellRow, by func(*cellRow) string, isPaired func(*cellRow) bool) map[string][]*cellRow {
	groups := map[string][]*cellRow{}
	for _, r := range rows {
		if name := by(r); name != "" && !isPaired(r) {
			groups[name] = append(groups[name], r)
		}
	}
	return groups
}

// mayBeSame refuses two rows that say they are different resources.
func mayBeSame(a, b rowNames) bool {
	differs := func(x, y string) bool { return x != "" && y != "" && x != y }
	if a.id != "" && a.id == b.id {
		return true
	}
	return !differs(a.id, b.id) && !differs(a.loose, b.loose)
}

// content is all a row holds, as one text.
func (r *cellRow) content() string {
	var b strings.Builder
	for _, c := range r.cells {
		b.WriteString(strconv.Itoa(c.Column) + "\x00" + c.shown + "\x00")
	}
	return b.String()
}
