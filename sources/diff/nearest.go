package diff

import (
	"context"
	"fmt"
	"math"

	"adsync/internal/resource"
	"adsync/sources/cellbook"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// Nearest returns which of some versions of a file another one differs from in the fewest cells, the first of several
// such. One that cannot be read is the furthest. The error is for one that cannot be read itself.
func Nearest(ctx context.Context, p config.Project, file string,
	some [][]byte, to []byte, schemas resource.Schemas) (nearest int, err error) {
	if len(some) < 2 {
		return 0, nil
	}
	defer func() {
		if reason := recover(); reason != nil {
			nearest, err = 0, fmt.Errorf("the versions cannot be compared: %v", reason)
		}
	}()
	in := draft.Input{Schemas: schemas, Bounds: p.FileLimits(), Layout: p.Layout, Words: draft.NewVocabularies(schemas)}
	if isYAML(file) {
		return nearestYAML(some, to, &in)
	}
	m := merger{sides: Sides{File: file}}
	open := m.opener()
	b, finding := open(ctx, to, in)
	if finding != nil {
		return 0, fmt.Errorf("%s (%s)", finding.Message, finding.Code)
	}
	least := math.MaxInt
	for i, content := range some {
		if a, finding := open(ctx, content, in); finding == nil {
			if n := distance(a, b); n < least {
				nearest, least = i, n
			}
		}
	}
	return nearest, nil
}

func nearestYAML(some [][]byte, to []byte, in *draft.Input) (nearest int, err error) {
	b, err := readYAML(to, in)
	if err != nil {
		return 0, err
	}
	least := math.MaxInt
	for i, content := range some {
		if a, err := readYAML(content, in); err == nil {
			if n := apart(a.units, b.units); n < least {
				nearest, least = i, n
			}
		}
	}
	return nearest, nil
}

// apart is in how many values the units of two versions differ.
func apart(from, to []*unit) (n int) {
	pairs := pairUnits(from, to)
	taken := map[*unit]bool{}
	for _, u := range from {
		other := pairs[u]
		if taken[other] = true; other == nil {
			other = &unit{}
		}
		n += apart(u.children, other.children)
		for path, l := range u.leaves {
			if !sameLeaf(l, other.leaves[path]) {
				n++
			}
		}
		for path := range other.leaves {
			if u.leaves[path] == nil {
				n++
			}
		}
	}
	for _, u := range to {
		if !taken[u] {
			n += len(u.leaves) + apart(nil, u.children)
		}
	}
	return n
}

// distance is in how many cells two workbooks differ, but for those that adsync fills.
func distance(a, b *cellbook.Book) (n int) {
	for _, s := range a.Sheets {
		o := b.SheetLike(s)
		if s.IsOurs || o == nil {
			if !s.IsOurs {
				n += cellsOf(s.Rows)
			}
			continue
		}
		pairs := cellbook.MatchRows(s, o)
		n += cellsOf(freshRows(o, pairs).Rows)
		for _, row := range s.Rows {
			other := pairs[row]
			if other == nil {
				n += len(row.Cells)
				continue
			}
			for _, name := range columnNames(s, o, row, other) {
				if !s.IsFilledByUs(s.ColumnNumber(name)) && !cellNamed(s, row, name).same(cellNamed(o, other, name)) {
					n++
				}
			}
		}
	}
	for _, s := range b.Sheets {
		if !s.IsOurs && a.SheetLike(s) == nil {
			n += cellsOf(s.Rows)
		}
	}
	return n
}

func cellsOf(rows []*cellbook.Row) (n int) {
	for _, row := range rows {
		n += len(row.Cells)
	}
	return n
}
