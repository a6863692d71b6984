package cellbook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// Beside returns what lies on the cells of a sheet, by the place it lies on as the
// rows and columns are called: pictures by their bytes, notes by their text.
func (b *Book) Beside(s *Sheet, bounds bounded.Limits) (map[string]string, error) {
	found := map[string]string{}
	if s.part == "" {
		return found, nil
	}
	byNumber := map[int]*Row{}
	for _, row := range s.Rows {
		byNumber[row.Number] = row
	}
	notes, err := b.Book.NotesOn(s.part)
	if err != nil {
		return nil, err
	}
	for at, text := range notes {
		found["note on "+s.Called(byNumber, at)] = fmt.Sprintf("%q", text)
	}
	pictures, err := b.Book.PicturesOn(s.part, s.facts.Drawing)
	if err != nil {
		return nil, err
	}
	for _, p := range pictures {
		sum, err := b.pictureSum(p, bounds)
		if err != nil {
			return nil, err
		}
		place := "picture on " + s.Called(byNumber, xlsx.At{Row: p.Area.FromRow, Column: p.Area.FromColumn})
		found[place] += sum
	}
	return found, b.picturesInCells(s, found, byNumber, bounds)
}

func (b *Book) picturesInCells(s *Sheet, found map[string]string,
	byNumber map[int]*Row, bounds bounded.Limits) error {
	for _, row := range s.Rows {
		for _, c := range row.Cells {
			if c.Meta == 0 {
				continue
			}
			p, placed, err := b.Book.PictureIn(c.Cell)
			if err != nil {
				return err
			}
			if !placed {
				continue
			}
			sum, err := b.pictureSum(p, bounds)
			if err != nil {
				return err
			}
			found["picture in "+s.Called(byNumber, xlsx.At{Row: row.Number, Column: c.Column})] = sum
		}
	}
	return nil
}

func (b *Book) pictureSum(p xlsx.Picture, bounds bounded.Limits) (string, error) {
	if p.Part == "" {
		return "a picture from elsewhere", nil
	}
	content, err := b.Book.Media(p.Part, bounds.AttachedBytes)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return "picture " + hex.EncodeToString(sum[:6]), nil
}

// Called names a cell by its row and column, so that one that moved is the same.
func (s *Sheet) Called(rows map[int]*Row, at xlsx.At) string {
	row := rows[at.Row]
	if row == nil || row.Names.Label == "" {
		return at.String()
	}
	return fmt.Sprintf("[%s] %s", row.Names.Label, s.ColumnName(at.Column))
}

// SortedKeys returns the keys of a map in order.
func SortedKeys(some ...map[string]string) []string {
	all := map[string]string{}
	for _, m := range some {
		maps.Copy(all, m)
	}
	return slices.Sorted(maps.Keys(all))
}
