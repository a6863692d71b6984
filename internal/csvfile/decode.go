package csvfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"adsync/internal/diag"

	"golang.org/x/text/encoding/charmap"
)

// Text is the text of a file, without a byte order mark, its lines ended by
// line feeds.
type Text struct {
	text   string
	Legacy bool // its bytes are no Unicode and were read as Windows-1252
}

// String returns the whole text.
func (t Text) String() string { return t.text }

var (
	markUTF8    = []byte("\xef\xbb\xbf")
	markUTF16LE = []byte("\xff\xfe")
	markUTF16BE = []byte("\xfe\xff")
	markUTF32LE = []byte("\xff\xfe\x00\x00")
)

// Decode finds out how the bytes of a file say characters: UTF-8, UTF-16 of
// either order with a mark or clearly without one, and Windows-1252 where they
// are no UTF-8 at all.
func Decode(content []byte) (Text, *Fault) {
	if f := foreign(content); f != nil {
		return Text{}, f
	}
	t, f := decode(content)
	if f != nil {
		return Text{}, f
	}
	t.text = endLines(t.text)
	if strings.TrimSpace(t.text) == "" {
		return Text{}, emptyFile()
	}
	return t, sound(t.text)
}

func decode(content []byte) (Text, *Fault) {
	switch {
	case bytes.HasPrefix(content, markUTF32LE):
		return Text{}, fault(diag.Damaged, 0, 0, "save it as UTF-8", "file is UTF-32; want UTF-8 text")
	case bytes.HasPrefix(content, markUTF16LE):
		return fromUTF16(content[2:], binary.LittleEndian)
	case bytes.HasPrefix(content, markUTF16BE):
		return fromUTF16(content[2:], binary.BigEndian)
	}
	body := bytes.TrimPrefix(content, markUTF8)
	if order := unmarkedUTF16(body); order != nil {
		return fromUTF16(body, order)
	}
	if utf8.Valid(body) {
		return Text{text: string(body)}, nil
	}
	return fromWindows(body)
}

// unmarkedUTF16 knows UTF-16 without a mark by its zeros: at least a tenth of
// its units are ASCII, and all zeros stand on the same side.
func unmarkedUTF16(body []byte) binary.ByteOrder {
	var zeros [2]int
	for i, b := range body {
		if b == 0 {
			zeros[i%2]++
		}
	}
	units := len(body) / 2
	switch {
	case len(body)%2 != 0 || units == 0 || zeros[0] > 0 && zeros[1] > 0:
		return nil
	case zeros[1]*10 >= units:
		return binary.LittleEndian
	case zeros[0]*10 >= units:
		return binary.BigEndian
	}
	return nil
}

func fromUTF16(body []byte, order binary.ByteOrder) (Text, *Fault) {
	if len(body)%2 != 0 {
		return Text{}, fault(diag.Damaged, 0, 0, "save it anew",
			"file is UTF-16 and has an odd number of bytes; want a whole file")
	}
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = order.Uint16(body[2*i:])
	}
	runes := utf16.Decode(units)
	line := 1
	for at, i := 0, 0; i < len(runes); i++ {
		if runes[i] == utf8.RuneError && units[at] != utf8.RuneError {
			return Text{}, fault(diag.Damaged, line,
				0, "save it as UTF-8", "file is UTF-16 with half of a character in it; want whole characters")
		}
		if runes[i] == '\n' {
			line++
		}
		at += utf16.RuneLen(runes[i])
	}
	return Text{text: string(runes)}, nil
}

// fromWindows reads Windows-1252. A file that is partly UTF-8 is damaged: nobody
// can say which part is right.
func fromWindows(body []byte) (Text, *Fault) {
	line, column, first := 1, 1, (*Fault)(nil)
	multiByte, undefined := false, false
	for rest := body; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		multiByte = multiByte || size > 1
		if r == utf8.RuneError && size == 1 {
			undefined = undefined || bytes.IndexByte([]byte("\x81\x8d\x8f\x90\x9d"), rest[0]) >= 0
			if first == nil {
				first = fault(diag.Damaged, line, column, "save it as UTF-8",
					"byte 0x%02x is neither UTF-8 nor what the rest of the file is; want UTF-8 text", rest[0])
			}
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		rest = rest[size:]
	}
	if multiByte || undefined {
		return Text{}, first
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(body)
	if err != nil {
		return Text{}, first
	}
	return Text{text: string(text), Legacy: true}, nil
}

// endLines ends the lines of a file of old Macs, which knows no line feed, like
// those of others.
func endLines(text string) string {
	if strings.IndexByte(text, '\n') >= 0 {
		return text
	}
	return strings.ReplaceAll(text, "\r", "\n")
}

// sound refuses a text with a character no text has, or with the marks of an
// unfinished merge.
func sound(text string) *Fault {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return fault(diag.Damaged, 1+strings.Count(text[:i], "\n"),
			0, "save it as CSV anew", "file holds a zero byte, as binary files do; want CSV text")
	}
	line := 0
	for part := range strings.Lines(text) {
		line++
		if strings.HasPrefix(part, "<<<<<<< ") || strings.HasPrefix(part, ">>>>>>> ") {
			return fault(diag.Damaged, line, 1, "", "file has a mark of an unfinished merge; want the merge resolved")
		}
	}
	return nil
}

func emptyFile() *Fault {
	return fault(diag.Damaged, 0, 0, "delete the file if that is meant", "file is empty; want rows")
}
