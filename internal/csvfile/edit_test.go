package csvfile

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var someLimits = Limits{Columns: 100, CellBytes: 1 << 20}

func TestRewriteChangesFieldsAndNoOtherByte(t *testing.T) {
	utf16 := func(s string) string { return string(toUTF16(markUTF16LE, s, binary.LittleEndian)) }
	for _, c := range []struct{ name, content, want string }{
		{"quotes and breaks stay", "\"a\",b\r\n\r\n c ,\"d\"\"\n\"\r\n", "\"a\",X\r\n\r\n c ,\"d\"\"\n\",,\"Y,Z\"\r\n"},
		{"a mark stays, and an open end", "\xef\xbb\xbfa,b\n\nc,d", "\xef\xbb\xbfa,X\n\nc,d,,\"Y,Z\""},
		{"UTF-16", utf16("a,b\n\nc,é"), utf16("a,X\n\nc,é,,\"Y,Z\"")},
		{"Windows-1252", "a,b\n\nc,\xe9\n", "a,X\n\nc,\xe9,,\"Y,Z\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Rewrite([]byte(c.content), ',', someLimits, []Edit{{3, 4, "Y,Z"}, {1, 2, "X"}})
			if err != nil || string(got) != c.want {
				t.Errorf("Rewrite = %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestRecordsComeAndGo(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"the others keep their bytes", "\xef\xbb\xbf\"a\";b\r\n\"c\nd\";e\r\n\r\n f ;\"g\"\r\n\r\n",
			"\xef\xbb\xbf\"a\";b\r\n\r\n f ;\"X\"\r\n\r\nnew;\"1;2\"\r\n"},
		{"an open end is closed", "\"a\";b\n\"c\nd\";e\n\n f ;\"g\"\n h",
			"\"a\";b\n\n f ;\"X\"\n h\nnew;\"1;2\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Changes{Quotes: true, Edits: []Edit{{5, 2, "X"}}, Removed: []int{2},
				Added: [][]string{{"new", "1;2"}}}.Rewrite([]byte(c.content), ';', someLimits)
			if err != nil || string(got) != c.want {
				t.Errorf("Rewrite = %q, %v; want %q", got, err, c.want)
			}
		})
	}
	for _, c := range []Changes{{Removed: []int{3}}, {Edits: []Edit{{1, 1, "X"}}, Removed: []int{1, 9}}} {
		if got, err := c.Rewrite([]byte("a\nb\n"), ';', someLimits); err == nil {
			t.Errorf("%+v gives %q; want a refusal: no row begins there", c, got)
		}
	}
}

func TestRewriteRefusesWhatCannotBeWrittenAsItWas(t *testing.T) {
	for _, c := range []struct {
		name, content string
		edit          Edit
		want          string
	}{
		{"old Mac", "a,b\rc,d\r", Edit{1, 1, "X"}, "cannot be kept"},
		{"no such character", "a,\xe9\n", Edit{1, 1, "→"}, "Windows-1252, which does not have every character"},
		{"inside a row", "a,\"b\nc\"\n", Edit{2, 1, "X"}, "no row begins in 1 of the lines"},
		{"no such column", "a,b\n", Edit{1, 0, "X"}, "is no field"},
		{"a zero byte", "a,b\n", Edit{1, 1, "x\x00"}, "zero byte"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Rewrite([]byte(c.content), ',', someLimits, []Edit{c.edit})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Rewrite = %q, %v; want an error with %q", got, err, c.want)
			}
		})
	}
}

func TestRewrittenFieldsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		field := rapid.StringOf(rapid.SampledFrom([]rune("ab,;\t\"'=\n é0")))
		delimiter := rapid.SampledFrom(Delimiters).Draw(rt, "delimiter")
		var b strings.Builder
		rows := rapid.IntRange(1, 5).Draw(rt, "rows")
		for range rows {
			b.WriteString("x")
			for range rapid.IntRange(0, 3).Draw(rt, "fields") {
				b.WriteString(string(delimiter) + quoted(field.Draw(rt, "field"), delimiter))
			}
			b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end"))
		}
		content := []byte(b.String())
		text, f := Decode(content)
		if f != nil {
			return
		}
		lines, err := text.lines(delimiter, someLimits)
		if err != nil {
			rt.Fatal(err)
		}
		e := Edit{rapid.SampledFrom(slices.Sorted(maps.Keys(lines))).Draw(rt, "line"),
			rapid.IntRange(2, 6).Draw(rt, "column"), field.Draw(rt, "new")}
		got, err := Rewrite(content, delimiter, someLimits, []Edit{e})
		if err != nil {
			rt.Fatalf("Rewrite(%q, %+v) = %v", content, e, err)
		}
		back, err := Rewrite(got, delimiter, someLimits, nil)
		if err != nil || !bytes.Equal(back, got) {
			rt.Fatalf("Rewrite without edits = %q, %v; want %q", back, err, got)
		}
	})
}
