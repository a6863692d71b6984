package cards

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation returns how a picture is to be turned (Exif 2.32, 4.6.4, tag 0x0112): 1 for not at all. Phones store what
// the sensor saw, and say here how they were held.
func orientation(picture []byte) int {
	block, order := exifOf(picture), binary.ByteOrder(binary.LittleEndian)
	switch {
	case len(block) < 8:
		return 1
	case bytes.HasPrefix(block, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(block, []byte("II*\x00")):
		return 1
	}
	at := uint64(order.Uint32(block[4:]))
	if at+2 > uint64(len(block)) {
		return 1
	}
	for entries := block[at+2:]; len(entries) >= 12; entries = entries[12:] {
		const tag, short = 0x0112, 3
		if order.Uint16(entries) != tag {
			continue
		}
		if o := int(order.Uint16(entries[8:])); order.Uint16(entries[2:]) == short && o >= 1 && o <= 8 {
			return o
		}
		return 1
	}
	return 1
}

// exifOf is what a camera wrote into a picture, nil where there is nothing.
func exifOf(picture []byte) []byte {
	switch MediaType(picture) {
	case "image/jpeg":
		return exifOfJPEG(picture)
	case "image/png":
		return chunk(picture[min(8, len(picture)):], "eXIf", binary.BigEndian, 4, 0, 4)
	case "image/webp":
		return bytes.TrimPrefix(chunk(picture[min(12, len(picture)):], "EXIF", binary.LittleEndian, 0, 4, 0), exifMark)
	}
	return nil
}

var exifMark = []byte("Exif\x00\x00")

// exifOfJPEG walks the segments before the picture itself.
func exifOfJPEG(picture []byte) []byte {
	for rest := picture[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		const app1, scan = 0xe1, 0xda
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if rest[1] == scan || size < 2 || 2+size > len(rest) {
			return nil
		}
		if block, is := bytes.CutPrefix(rest[4:2+size], exifMark); is && rest[1] == app1 {
			return block
		}
		rest = rest[2+size:]
	}
	return nil
}

// chunk is what the first chunk of a name holds. Chunks have a name and a length, at these places of 8 bytes, what they
// hold, and some bytes of a sum behind it.
func chunk(rest []byte, name string, order binary.ByteOrder, named, sized, sum int) []byte {
	for len(rest) >= 8 {
		size := uint64(order.Uint32(rest[sized:]))
		if size > uint64(len(rest)-8) {
			return nil
		}
		if string(rest[named:named+4]) == name {
			return rest[8 : 8+size]
		}
		next := 8 + size + uint64(sum)
		if sum == 0 {
			next += size % 2 // WebP fills up to even lengths
		}
		rest = rest[min(next, uint64(len(rest))):]
	}
	return nil
}

// turned are the sides of a picture as people see it.
func turned(size image.Point, orientation int) image.Point {
	if orientation >= 5 {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// storedAt is where a point of the upright picture lies in the one that is stored, whose greatest coordinates are last.
func storedAt(p, last image.Point, orientation int) image.Point {
	switch orientation {
	case 2:
		return image.Pt(last.X-p.X, p.Y)
	case 3:
		return image.Pt(last.X-p.X, last.Y-p.Y)
	case 4:
		return image.Pt(p.X, last.Y-p.Y)
	case 5:
		return image.Pt(p.Y, p.X)
	case 6:
		return image.Pt(p.Y, last.Y-p.X)
	case 7:
		return image.Pt(last.X-p.Y, last.Y-p.X)
	case 8:
		return image.Pt(last.X-p.Y, p.X)
	}
	return p
}

// upright turns a small square.
func upright(small *image.RGBA, orientation int) *image.RGBA {
	if orientation == 1 {
		return small
	}
	last := small.Bounds().Max.Sub(image.Pt(1, 1))
	m := image.NewRGBA(small.Bounds())
	for x := range m.Bounds().Dx() {
		for y := range m.Bounds().Dy() {
			from := storedAt(image.Pt(x, y), last, orientation)
			m.SetRGBA(x, y, small.RGBAAt(from.X, from.Y))
		}
	}
	return m
}
