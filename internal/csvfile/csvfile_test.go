package csvfile

import (
	"bytes"
	"encoding/binary"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var wide = Limits{Columns: 100, CellBytes: 1 << 20}

// scanned shows records as fields with their places: line:column=text.
func scanned(text string, delimiter byte) (lines []string, err error) {
	err = Text{text: text}.Walk(delimiter, wide, func(r *Record) error {
		var fields []string
		for _, f := range r.Fields {
			fields = append(fields, fmt.Sprintf("%d:%d=%s", f.Line, f.Column, f.Text))
		}
		lines = append(lines, strings.Join(fields, " "))
		return nil
	})
	return lines, err
}

func TestFieldsKnowTheirLineAndCharacter(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "a,b\nc,d\n", []string{"1:1=a 1:3=b", "2:1=c 2:3=d"}},
		{"no last line break", "a,b\nc,", []string{"1:1=a 1:3=b", "2:1=c 2:3="}},
		{"characters, not bytes", "ü,😀,b\n", []string{"1:1=ü 1:3=😀 1:5=b"}},
		{"a line break in quotes", "\"x\r\ny\",b\nc\n", []string{"1:1=x\ny 2:4=b", "3:1=c"}},
		{"doubled quotes", `"10"" wheel",b` + "\n", []string{`1:1=10" wheel 1:14=b`}},
		{"blank lines", "a\n\n\r\nb\n", []string{"1:1=a", "4:1=b"}},
		{"kept as text", `="00123",b` + "\n", []string{`1:1=="00123" 1:10=b`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := scanned(c.text, ',')
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("Walk(%q) (-want +got), %v:\n%s", c.text, err, diff)
			}
		})
	}
}

func TestQuotesThatDoNotFitAreRefusedWhereTheyStand(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"never closed", "a,b\nc,\"d\ne,f\n", "2:3 a quote is opened here and never closed"},
		{"stray", "a,b\nc,10\" wheel\n", "2:5 a quote stands inside a value"},
		{"text behind", "a,\"b\"c\n", "1:6 text follows the quote that closes a value; want a comma"},
		{"a space before", "a, \"b\"\n", "1:4 a quote stands inside a value"},
		{"a carriage return alone", "a,b\rc,d\ne\n", "1:4 a carriage return stands alone"},
		{"too many columns", strings.Repeat(",", 100) + "\n", "1:101 row has over 100 columns"},
		{"too large", "a," + strings.Repeat("x", 1<<20+1) + "\n", "1:3 value has 1048577 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scanned(c.text, ',')
			var f *Fault
			if !errors.As(err, &f) || !strings.HasPrefix(fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message), c.want) {
				t.Errorf("Walk = %+v, want %s", err, c.want)
			}
		})
	}
}

// Where encoding/csv reads a text, Walk reads the same; where it refuses one,
// so does Walk, but for ="…", which is allowed here.
func TestWalkReadsWhatEncodingCSVReads(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "ü", " ",
		",", ",", `"`, `"`, `""`, "\n", "\r\n", `="1"`, "b,c", `"x"`, "😀", "'"})
	rapid.Check(t, func(rt *rapid.T) {
		checkAgainstLibrary(rt, strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(rt, "pieces"), ""))
	})
}

func checkAgainstLibrary(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	var got [][]string
	err := Text{text: text}.Walk(',', wide, func(r *Record) error {
		var fields []string
		for _, f := range r.Fields {
			if isWrapped(f.Text) {
				got = nil
				return io.ErrUnexpectedEOF
			}
			fields = append(fields, f.Text)
		}
		got = append(got, fields)
		return nil
	})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	library := stdcsv.NewReader(strings.NewReader(text))
	library.FieldsPerRecord = -1
	want, wantErr := library.ReadAll()
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("Walk(%q) = %v, encoding/csv says %v", text, err, wantErr)
	}
	if err == nil && !cmp.Equal(got, want) {
		t.Fatalf("Walk(%q) = %q, encoding/csv reads %q", text, got, want)
	}
}

func utf16Of(order binary.AppendByteOrder, mark bool, text string) []byte {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func TestEveryEncodingOfATextReadsTheSame(t *testing.T) {
	const text = "Campaign,Title\nHerbst,Schöne Schuhe – 20 €\n"
	for name, content := range map[string][]byte{
		"UTF-8":               []byte(text),
		"UTF-8 with a mark":   []byte("\ufeff" + text),
		"UTF-16 little, mark": utf16Of(binary.LittleEndian, true, text),
		"UTF-16 big, mark":    utf16Of(binary.BigEndian, true, text),
		"UTF-16 little":       utf16Of(binary.LittleEndian, false, text),
		"UTF-16 big":          utf16Of(binary.BigEndian, false, text),
		"Windows-1252":        []byte("Campaign,Title\nHerbst,Sch\xf6ne Schuhe \x96 20 \x80\n"),
		"lines of old Macs":   []byte(strings.ReplaceAll(text, "\n", "\r")),
	} {
		got, f := Decode(content)
		if f != nil || got.String() != text || got.Legacy != (name == "Windows-1252") {
			t.Errorf("%s: Decode = %q, legacy %v, %v", name, got.String(), got.Legacy, f)
		}
	}
}

func TestBytesThatAreNoText(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"nothing", "", "file is empty"},
		{"blank", "\ufeff \n\n", "file is empty"},
		{"UTF-8 and something else", "a,\u00fc\nb,\xfc\n", "2:3 byte 0xfc is neither UTF-8"},
		{"a byte of no encoding", "a,b\nc,\x81\n", "2:3 byte 0x81 is neither UTF-8"},
		{"a zero byte", strings.Repeat("a,b\n", 100) + "c,\x00\n", "101:0 file holds a zero byte"},
		{"zeros on both sides", "a\x00\x00b,c\n", "1:0 file holds a zero byte"},
		{"UTF-16 cut in a unit", "\xff\xfea\x00,", "odd number of bytes"},
		{"half of a character", string(utf16Of(binary.LittleEndian, true, "a\n")) + "\x3d\xd8a\x00",
			"2:0 file is UTF-16 with half of a character"},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "file is UTF-32"},
		{"a workbook", "PK\x03\x04\x14", "file is a workbook (.xlsx)"},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "file is an old workbook (.xls)"},
		{"a web page", "\n<!DOCTYPE HTML><table>", "file is a web page"},
		{"a table of a web page", "<TABLE border=1>", "file is a web page"},
		{"XML", "\ufeff<?xml version='1.0'?>", "file is XML"},
		{"JSON", `[{"a": 1}]`, "file is JSON"},
		{"a PDF", "%PDF-1.7", "file is a PDF"},
		{"gzip", "\x1f\x8b\x08", "file is compressed"},
		{"a pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "file is a Git LFS pointer"},
		{"a merge", "a,b\n<<<<<<< HEAD\nc,d\n", "2:1 file has a mark of an unfinished merge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, f := Decode([]byte(c.content))
			if f == nil {
				t.Fatalf("Decode(%q) reads, want a fault", c.content)
			}
			if said := fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message); !strings.Contains(said, c.want) {
				t.Errorf("Decode(%q) says %q, want %q", c.content, said, c.want)
			}
		})
	}
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`['=+@0-9"eE.,-]{0,8}`),
		rapid.StringMatching(`(jan|Mar|oct|true|FALSE)[ ./-]?[0-9]{0,4}`))
	rapid.Check(t, func(rt *rapid.T) {
		text := texts.Draw(rt, "text")
		for name, write := range map[string]func(string) string{"Plain": Plain, "Exact": Exact} {
			field := write(text)
			got, meaning := Read(field)
			if got != text || meaning == Formula {
				rt.Fatalf("Read(%s(%q)) = %q, %v", name, text, got, meaning)
			}
			if meaning == AsWritten && field != "" && strings.IndexByte(formulaStarts, field[0]) >= 0 {
				rt.Fatalf("%s(%q) = %q, which a program takes for a formula", name, text, field)
			}
		}
	})
}

func TestWhatProgramsChangeIsWrittenAsText(t *testing.T) {
	for text, want := range map[string]string{
		"00123": `="00123"`, "1e6": `="1e6"`, "1-2": `="1-2"`, "3/4": `="3/4"`, "mar-5": `="mar-5"`,
		"5 Dez 2026": `="5 Dez 2026"`, "TRUE": `="TRUE"`, "123456789012345678": `="123456789012345678"`,
		"spring-launch": "spring-launch", "run-2": "run-2", "cmp_123": "cmp_123", "may-sale": "may-sale", "q4": "q4",
		"a/b": "a/b", "-5": `="-5"`, "=1+1": "'=1+1", "'=1": "''=1", "'quoted": "'quoted", "@me": "'@me", "-": "'-",
	} {
		if got := Exact(text); got != want {
			t.Errorf("Exact(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestMangledNumbersAreKnown(t *testing.T) {
	for text, want := range map[string]bool{
		"1.2E+05": true, "1,2E+05": true, "1E+15": true, "123456789012340000": true, "1e6": false,
		"1E5": false, "12345678901234": false, "1234567890123456": false, "E+05": false, "2026": false,
	} {
		if got := Mangled(text); got != want {
			t.Errorf("Mangled(%q) = %v, want %v", text, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"a,b\n", "\xff\xfea\x00",
		"a\x00", "\xfc\n", "\"", "a\r\nb\rc", "=\"1\"\n", "PK", "\ufeff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		text, fault := Decode(content)
		if fault != nil {
			return
		}
		lines := strings.Count(text.String(), "\n") + 1
		err := text.Walk(',', wide, func(r *Record) error {
			for _, field := range append(r.Fields, r.End) {
				if field.Line < 1 || field.Line > lines || field.Column < 1 || field.Column > len(text.String())+1 {
					t.Errorf("field stands at %d:%d of %d lines", field.Line, field.Column, lines)
				}
			}
			return nil
		})
		var wrong *Fault
		if errors.As(err, &wrong) && (wrong.Line < 1 || wrong.Line > lines) {
			t.Errorf("fault at line %d of %d: %v", wrong.Line, lines, wrong)
		}
		if !bytes.ContainsRune([]byte(text.String()), '\r') {
			checkAgainstLibrary(t, text.String())
		}
	})
}
