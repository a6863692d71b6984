package audience

import (
	"encoding/binary"
	"slices"
	"strings"

	"adsync/internal/emulator/population"
	"adsync/internal/emulator/world"
)

// The identifier types (service facts 8.2), and auto, which takes all of them.
const (
	typeEmail       = "email"
	typePhone       = "phone"
	typeEmailSHA256 = "email_sha256"
	typePhoneSHA256 = "phone_number_sha256"
	typeGAID        = "gaid"
	auto            = "auto"
)

var identifierTypes = []string{typeEmail, typePhone, typeEmailSHA256, typePhoneSHA256, typeGAID}

// cell is an identifier after it was read and matched. On disk it takes five
// bytes: the mark, and the person, 0xffffffff for nobody.
type cell struct {
	mark   byte // shape, and above it the kind that matched
	person uint32
}

const (
	cellSize = 5
	nobody   = ^uint32(0)
)

func newCell(shape population.Shape, hash population.Hash) cell {
	c := cell{mark: byte(shape), person: nobody}
	for _, kind := range population.Kinds {
		if !mayBe(shape, kind) {
			continue
		}
		if person, ok := population.Find(kind, hash); ok {
			return cell{mark: byte(shape) | byte(kind)<<4, person: uint32(person)}
		}
	}
	return c
}

// mayBe returns which kinds a shape can stand for.
func mayBe(shape population.Shape, kind population.Kind) bool {
	switch kind {
	case population.Email:
		return shape == population.EmailShape || shape == population.HashShape
	case population.Phone:
		return shape == population.PhoneShape || shape == population.HashShape
	}
	return shape == population.GAIDShape
}

func (c cell) shape() population.Shape { return population.Shape(c.mark & 0x0f) }
func (c cell) kind() population.Kind   { return population.Kind(c.mark >> 4) }

// as is the cell read as an identifier of a type; false when it is none of that type.
func (c cell) as(identifierType string) (cell, bool) {
	shape := c.shape()
	switch identifierType {
	case auto:
		return c, shape != population.Unreadable
	case typeEmail:
		return c, shape == population.EmailShape
	case typePhone:
		return c, shape == population.PhoneShape
	case typeGAID:
		return c, shape == population.GAIDShape
	}
	meant := population.Email
	if identifierType == typePhoneSHA256 {
		meant = population.Phone
	}
	if c.kind() != meant {
		c = cell{mark: byte(shape), person: nobody}
	}
	return c, shape == population.HashShape
}

func appendCell(packed []byte, c cell) []byte {
	return binary.BigEndian.AppendUint32(append(packed, c.mark), c.person)
}

// eachCell calls do for every cell of a packed column.
func eachCell(packed []byte, do func(cell)) {
	for part := range slices.Chunk(packed, cellSize) {
		do(cell{part[0], binary.BigEndian.Uint32(part[1:])})
	}
}

// reading is how a request wants identifiers to be read.
type reading struct {
	identifierType string // or auto
}

// of picks the columns of a file that a reading takes, and reads their cells. A
// named column is taken by its name; in a file without names a type takes the
// first column and auto takes all.
func (r reading) of(f world.AudienceFile) world.AudienceInput {
	var in world.AudienceInput
	taken := 0
	for i, column := range f.Columns {
		as := r.identifierType
		switch {
		case !f.Named && as != auto && i > 0, f.Named && column.Name == "", f.Named && as != auto && column.Name != as:
			continue
		case f.Named && as == auto:
			as = column.Name
		}
		taken++
		eachCell(column.Cells, func(c cell) { in = withCell(in, c, as) })
	}
	switch {
	case taken == 0:
		in.Problem = "the file has no column " + r.identifierType
	case len(in.Cells) == 0:
		in.Problem = "the input has no identifier that can be read"
	}
	return in
}

func withCell(in world.AudienceInput, c cell, as string) world.AudienceInput {
	read, ok := c.as(as)
	if !ok {
		in.Invalid++
		return in
	}
	in.Cells = appendCell(in.Cells, read)
	return in
}

// columnName is the type that a header cell names, or "".
func columnName(text string) string {
	text = strings.ToLower(strings.Trim(text, " \t\r\n\ufeff"))
	if slices.Contains(identifierTypes, text) {
		return text
	}
	return ""
}
