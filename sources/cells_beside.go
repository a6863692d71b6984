package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// beside returns what lies on the cells of a sheet, by the place it lies on as the
// rows and columns are called: pictures by their bytes, notes by their text.
func (b *cellBook) beside(s *cellSheet, bounds bounded.Limits) (map[string]string, error) {
	found := map[string]string{}
	if s.part == "" {
		return found, nil
	}
	byNumber := map[int]*cellRow{}
	for _, row := range s.rows {
		byNumber[row.number] = row
	}
	notes, err := b.book.NotesOn(s.part)
	if err != nil {
		return nil, err
	}
	for at, text := range notes {
		found["note on "+s.called(byNumber, at)] = fmt.Sprintf("%q", text)
	}
	pictures, err := b.book.PicturesOn(s.part, s.facts.Drawing)
	if err != nil {
		return nil, err
	}
	for _, p := range pictures {
		sum, err := b.pictureSum(p, bounds)
		if err != nil {
			return nil, err
		}
		place := "picture on " + s.called(byNumber, xlsx.At{Row: p.Area.FromRow, Column: p.Area.FromColumn})
		found[place] += sum
	}
	return found, b.picturesInCells(s, found, byNumber, bounds)
}

func (b *cellBook) picturesInCells(s *cellSheet, found map[string]string,
	byNumber map[int]*cellRow, bounds bounded.Limits) error {
	for _, row := range s.rows {
		for _, c := range row.cells {
			if c.Meta == 0 {
				continue
			}
			p, placed, err := b.book.PictureIn(c.Cell)
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
			found["picture in "+s.called(byNumber, xlsx.At{Row: row.number, Column: c.Column})] = sum
		}
	}
	return nil
}

func (b *cellBook) pictureSum(p xlsx.Picture, bounds bounded.Limits) (string, error) {
	if p.Part == "" {
		return "a picture from elsewhere", nil
	}
	content, err := b.book.Media(p.Part, bounds.AttachedBytes)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return "picture " + hex.EncodeToString(sum[:6]), nil
}

// called names a cell by its row and column, so that one that moved is the same.
func (s *cellSheet) called(rows map[int]*cellRow, at xlsx.At) string {
	row := rows[at.Row]
	if row == nil || row.names.label == "" {
		return at.String()
	}
	return fmt.Sprintf("[%s] %s", row.names.label, s.columnName(at.Column))
}

func sortedKeys(some ...map[string]string) []string {
	all := map[string]string{}
	for _, m := range some {
		maps.Copy(all, m)
	}
	return slices.Sorted(maps.Keys(all))
}
