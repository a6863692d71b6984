package xlsx

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Picture is a picture of a workbook: where it lies, and what is stored of it.
type Picture struct {
	// from the cell under its upper left corner to the one under its lower right; zero where it is bound to no cell
	Area    Area
	Part    string // the part that holds its bytes, "" where none does
	Showing Showing
}

// Showing is how what people see of a picture differs from what is stored.
type Showing uint8

// The ways a picture is shown.
const (
	AsStored Showing = iota
	Cropped
	Turned   // or mirrored
	Effects  // colours, brightness, transparency
	InShape  // in a group, or as the filling of a shape
	IsLinked // what is shown is outside the workbook
	IsVector // what is shown is an SVG drawing
	IsHidden
)

// PicturesOn finds the pictures that lie on a sheet, in the order they are drawn.
func (b *Book) PicturesOn(part, drawing string) ([]Picture, error) {
	if drawing == "" {
		return nil, nil
	}
	rels, err := relations(b.parts, part)
	if err != nil {
		return nil, err
	}
	r, ok := rels.byID(drawing)
	if !ok {
		return nil, fmt.Errorf("its drawing %q is missing", drawing)
	}
	d, err := b.openDrawing(r.target)
	if err != nil {
		return nil, err
	}
	return d.anchored()
}

// drawingReader walks the anchors of a drawing (ECMA-376 part 1, 20.5), or the
// list of pictures in cells that WPS keeps, which has the same elements.
type drawingReader struct {
	*xmlScanner
	parts Parts
	rels  map[string]relation
	title string // name of the shape read last
}

func (b *Book) openDrawing(part string) (*drawingReader, error) {
	s, err := newScanner(b.parts.content[part])
	if err != nil {
		return nil, err
	}
	rels, err := relations(b.parts, part)
	if err != nil {
		return nil, err
	}
	d := &drawingReader{xmlScanner: s, parts: b.parts, rels: map[string]relation{}}
	for _, r := range rels {
		d.rels[r.id] = r
	}
	return d, nil
}

// anchored reads every anchor. What a drawing holds twice, for programs that
// know an extension and for those that do not, is read once.
func (d *drawingReader) anchored() ([]Picture, error) {
	var found []Picture
	for {
		kind, err := d.next()
		if err != nil || kind == xmlEnd {
			return found, err
		}
		if kind != xmlOpen {
			continue
		}
		switch string(d.name) {
		case "Fallback":
			err = d.skipElement()
		case "oneCellAnchor", "twoCellAnchor", "absoluteAnchor":
			var p *Picture
			if p, err = d.anchor(); p != nil {
				found = append(found, *p)
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// anchor reads the anchor just opened, to its end; nil where it holds no picture.
func (d *drawingReader) anchor() (*Picture, error) {
	var found *Picture
	var area Area
	for depth := len(d.open); len(d.open) >= depth; {
		kind, err := d.next()
		if err != nil {
			return nil, err
		}
		if kind != xmlOpen {
			continue
		}
		switch name := string(d.name); name {
		case "from":
			area.FromRow, area.FromColumn, err = d.corner()
			area.ToRow, area.ToColumn = area.FromRow, area.FromColumn
		case "to":
			area.ToRow, area.ToColumn, err = d.corner()
		case "pic", "sp", "cxnSp", "grpSp", "graphicFrame", "contentPart":
			var p *Picture
			if p, err = d.shape(name); p != nil {
				if found != nil {
					p.show(InShape)
				}
				found = p
			}
		case "Fallback":
			err = d.skipElement()
		}
		if err != nil {
			return nil, err
		}
	}
	if found != nil && area.FromRow > 0 && area.FromColumn > 0 {
		found.Area = area
	}
	return found, nil
}

// corner reads a cell of an anchor; 0 is no row or column of a sheet.
func (d *drawingReader) corner() (row, column int, err error) {
	for depth := len(d.open); len(d.open) >= depth; {
		kind, err := d.next()
		if err != nil {
			return 0, 0, err
		}
		name := string(d.name)
		if kind != xmlOpen || name != "row" && name != "col" {
			continue
		}
		text, err := d.elementText()
		if err != nil {
			return 0, 0, err
		}
		n, err := strconv.Atoi(strings.TrimSpace(text))
		switch {
		case err != nil:
			return 0, 0, fmt.Errorf("a drawing names the %s %q", name, text)
		case name == "row" && n >= 0 && n < LastRow:
			row = n + 1
		case name == "col" && n >= 0 && n < LastColumn:
			column = n + 1
		}
	}
	return row, column, nil
}

// ErrLarge is the error of a part beyond the bound it is read under.
var ErrLarge = errors.New("it is too large")

// Media reads a part that is no XML, of at most limit bytes. Nothing is kept:
// the pictures of a workbook are never in memory together.
func (b *Book) Media(part string, limit int64) ([]byte, error) {
	member, ok := b.parts.other[part]
	if !ok {
		return nil, fmt.Errorf("its part %q is missing", part)
	}
	return unzip(member, limit)
}

// Part reads one part of a workbook out of its file, of at most limit bytes. It
// checks this part alone, not the workbook.
func Part(file io.ReaderAt, size int64, part string, limit int64) ([]byte, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%s)", zipReason(err))
	}
	if len(archive.File) > maxMembers {
		return nil, manyParts(len(archive.File))
	}
	for _, member := range archive.File {
		if partName(member.Name) == part {
			return unzip(member, limit)
		}
	}
	return nil, fmt.Errorf("workbook has no part %q any more", part)
}

// unzip reads a member to its end, so that its checksum is held.
func unzip(member *zip.File, limit int64) ([]byte, error) {
	if member.UncompressedSize64 > uint64(limit) {
		return nil, ErrLarge
	}
	r, err := member.Open()
	if err != nil {
		return nil, fmt.Errorf("part %q is damaged (%s)", member.Name, zipReason(err))
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, int64(member.UncompressedSize64)+1))
	if err = wholeMember(int64(len(content)), member, err); err != nil {
		return nil, fmt.Errorf("part %q is damaged (%s)", member.Name, zipReason(err))
	}
	return content, nil
}
