package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
)

// sheetPictures are the pictures of a sheet with an image column.
type sheetPictures struct {
	column    int // the image column, 0 where there is none
	attribute *resource.Attribute
	corners   map[int][]xlsx.Picture // by row: those with their corner on the image column
	others    []xlsx.Picture
	links     map[int]string // by row: the address the image cell links to
	without   []int          // rows that were read and say no image, ascending
	covered   []int          // rows whose text decides although a picture lies on it
}

// rowPictures takes the pictures of a sheet for the images of its rows.
type rowPictures struct {
	*head
	pictures sheetPictures
}

func (r *rowPictures) openPictures() error {
	s := &r.pictures
	s.column = r.Header.ColumnOf(func(c *catalog.Column) bool {
		return c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeImage
	})
	if s.column == 0 {
		return nil
	}
	s.attribute = r.Header.Column(s.column).Attribute
	found, err := r.Book.PicturesOn(r.Ref.Part, r.Facts.Drawing)
	if err != nil {
		return err
	}
	s.corners = map[int][]xlsx.Picture{}
	for _, p := range found {
		if row := p.Area.FromRow; p.Area.FromColumn == s.column {
			s.corners[row] = append(s.corners[row], p)
		} else {
			s.others = append(s.others, p)
		}
	}
	s.links, err = r.Book.Links(r.Ref.Part, r.Facts, s.column)
	return err
}

// readPictures takes the picture on a row's image cell for its image.
func (r *rowPictures) readPictures(d *rowDraft, row int) {
	s := &r.pictures
	if s.column == 0 {
		return
	}
	name, here := s.attribute.Name, s.corners[row]
	d.ImageLink = cmp.Or(s.links[row], d.ImageLink)
	decided := !d.Attributes.Value(name).IsAbsent() || slices.Contains(d.Rejected, name)
	switch {
	case decided && len(here) > 0:
		s.covered = append(s.covered, row)
	case decided:
	case len(here) == 0:
		s.without = append(s.without, row)
	case len(here) > 1:
		r.reject(&d.Draft, s.attribute, r.At(row, s.column), &resource.Finding{
			Code:    diag.Conflicting,
			Message: fmt.Sprintf("%d pictures have their upper left corner in this cell; want one", len(here)),
			Hint:    "move or delete the others; they may lie under each other",
		})
	default:
		r.takePicture(d, row, here[0])
	}
	delete(s.corners, row)
}

func (r *rowPictures) takePicture(d *rowDraft, row int, p xlsx.Picture) {
	r.setPicture(d, r.pictures.attribute, r.At(row, r.pictures.column), r.storedPicture(p))
}

// reportPictures says, after the last row, what became of the pictures that are
// nobody's image, where somebody may have meant one.
func (r *rowPictures) reportPictures() {
	s := &r.pictures
	if s.column == 0 {
		return
	}
	r.reportCovered()
	for _, left := range s.corners { // of rows that were not read
		s.others = append(s.others, left...)
	}
	slices.SortStableFunc(s.others, func(a, b xlsx.Picture) int {
		return cmp.Or(a.Area.FromRow-b.Area.FromRow, a.Area.FromColumn-b.Area.FromColumn)
	})
	told := map[int]bool{}
	floating := false
	for _, p := range s.others {
		if p.Area == (xlsx.Area{}) {
			floating = true
			continue
		}
		if row := r.overlapped(p.Area); row > 0 && !told[row] {
			told[row] = true
			r.report(r.At(row, s.column), resource.Finding{
				Code: diag.StrayPicture, Severity: diag.Warning,
				Message: fmt.Sprintf("a picture lies over this cell, but its upper left corner is in %s%d, so that "+
					"it is not used; want the corner in this cell", diag.ColumnName(p.Area.FromColumn), p.Area.FromRow),
				Hint: "move the picture a little to the right or down, or place it in the cell",
			})
		}
	}
	if floating && len(s.without) > 0 {
		r.report(r.At(s.without[0], s.column), resource.Finding{
			Code: diag.StrayPicture, Message: "the sheet has " +
				"a picture that is bound to no cell, and this row has no image; want each picture bound to its cell",
			Hint: "set the picture to move with cells, or place it in the cell",
		})
	}
}

// overlapped is the first row without an image whose image cell a picture
// covers; one whose size is not given in cells covers those next to its corner.
func (r *rowPictures) overlapped(a xlsx.Area) int {
	if a.ToRow == a.FromRow && a.ToColumn == a.FromColumn {
		a.ToRow, a.ToColumn = a.ToRow+1, a.ToColumn+1
	}
	column := r.pictures.column
	i, _ := slices.BinarySearch(r.pictures.without, a.FromRow)
	if i < len(r.pictures.without) && a.Has(r.pictures.without[i], column) {
		return r.pictures.without[i]
	}
	return 0
}

func (r *rowPictures) reportCovered() {
	s := &r.pictures
	if len(s.covered) == 0 {
		return
	}
	var cells []string
	for _, row := range s.covered[:min(len(s.covered), 3)] {
		cells = append(cells, fmt.Sprintf("%s%d", diag.ColumnName(s.column), row))
	}
	if len(s.covered) > len(cells) {
		cells = append(cells, "and others")
	}
	r.report(r.At(s.covered[0], s.column), resource.Finding{
		Code: diag.StrayPicture, Severity: diag.Warning,
		Message: fmt.Sprintf("%s over an image that is written in the cell (%s); the text is used",
			diag.Counted(len(s.covered), "picture lies", "pictures lie"), strings.Join(cells, ", ")),
		Hint: "empty the cell if the picture is meant",
	})
}
