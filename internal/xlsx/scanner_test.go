package xlsx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scanned walks a document and shows each token on a line.
func scanned(data []byte) ([]string, error) {
	s, err := newScanner(data)
	if err != nil {
		return nil, err
	}
	var lines []string
	text := ""
	flush := func() {
		if text != "" {
			lines = append(lines, "text "+text)
		}
		text = ""
	}
	for {
		kind, err := s.next()
		if err != nil {
			return nil, err
		}
		if kind != xmlText {
			flush()
		}
		switch kind {
		case xmlEnd:
			return lines, nil
		case xmlText:
			chars, err := s.chars()
			if err != nil {
				return nil, err
			}
			text += chars
		case xmlClose:
			lines = append(lines, "close "+string(s.name))
		case xmlOpen:
			line := "open " + string(s.name)
			for _, a := range s.attrs {
				value, err := unescapeXML(a.value)
				if err != nil {
					return nil, err
				}
				line += " " + string(localName(a.name)) + "=" + value
			}
			lines = append(lines, line)
		}
	}
}

// decoded does the same with the standard library.
func decoded(data []byte) ([]string, error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	var lines []string
	text, depth := "", 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		if chars, ok := token.(xml.CharData); ok {
			if depth > 0 {
				text += string(chars)
			}
			continue
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if text != "" {
				lines = append(lines, "text "+text)
			}
			line := "open " + token.Name.Local
			for _, a := range token.Attr {
				line += " " + a.Name.Local + "=" + a.Value
			}
			lines = append(lines, line)
		case xml.EndElement:
			depth--
			if text != "" {
				lines = append(lines, "text "+text)
			}
			lines = append(lines, "close "+token.Name.Local)
		default:
			continue
		}
		text = ""
	}
}

func TestScannerReadsWhatADecoderReads(t *testing.T) {
	for _, document := range []string{
		`<a/>`, `<a></a>`, "<?xml version=\"1.0\" " +
			"encoding=\"UTF-8\"?>\n<a b='1' c=\"x &amp; &#65;&#x42;\"> text <!-- no --> more</a>\n",
		`<x:a xmlns:x="u"><x:b>1</x:b><b/></x:a>`, "<a>one\r\ntwo\rthree&#13;</a>", `<a><![CDATA[<b>&amp;]]></a>`, "\xef\xbb\xbf<a>é鞋</a>", `<a ><b
c="1" /></a >`, `<a>&lt;&gt;&quot;&apos;</a>`, `<a><?pi x?>t</a>`,
	} {
		got, err := scanned([]byte(document))
		if err != nil {
			t.Errorf("scan %q: %v", document, err)
		}
		want, err := decoded([]byte(document))
		if err != nil {
			t.Fatalf("decode %q: %v", document, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-decoder +scanner):\n%s", document, diff)
		}
	}
}

func TestScannerRefusesWhatIsNotWhole(t *testing.T) {
	for document, want := range map[string]string{
		``: "no element", `   `: "no element", `text`: "text outside", `<a>`: "ends inside <a>",
		`<a></b>`: `closes "b"`, `<a/><b/>`: "goes on after its end", `<a/>x`: "text outside",
		`<a`: "ends inside a tag", `<a b>`: "without a value",
		`<a b=1>`: "without quotes", `<a b="1>`: "ends inside an attribute", `<a b="1"c="2"/>`: "without a space",
		`<a b="1" b="2"/>`: "twice", `<a b="<"/>`: "< inside",
		`<a>&b;</a>`: `entity "b"`, `<a>&amp</a>`: "bare &", `<a>&#0;</a>`: "entity", `<a>&#xD800;</a>`: "entity",
		`<!DOCTYPE a><a/>`: "document type", `<a><!-- </a>`: "ends inside <!--",
		`<a><![CDATA[</a>`: "ends inside <![CDATA[", "<a>\x00</a>": "control character", "<a>\xff</a>": "not UTF-8",
		`<?xml version="1.0" encoding="UTF-16"?><a/>`: "not UTF-8",
		`<1/>`: "without a name", `</a>`: `closes "a"`, strings.Repeat("<a>", 300): "nested more than",
		`<a>=b/><c/></a>`: "text among elements", `<a><b/>x</a>`: "text among elements",
		`<a>x<b/></a>`: "text among elements", `<a><b/><![CDATA[x]]></a>`: "text among elements",
	} {
		_, err := scanned([]byte(document))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("scan %.40q = %v, want %q", document, err, want)
		}
	}
}

var harmless = regexp.MustCompile(`unescaped ]]>|invalid XML name|sequence "--"|<\? ` +
	`|illegal character code|expected target name|unsupported version|invalid sequence|expected element name|encoding`)

// Whatever the scanner takes reads the same with the standard library, unless
// that refuses it for something that leaves nothing out: the spelling of a
// name, of a comment or of a namespace.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><a b="1">x<c/>&amp;</a>`))
	f.Add([]byte("<a>one\r\ntwo<![CDATA[x]]><!-- y --></a>"))
	f.Add([]byte(`<worksheet xmlns="u"><sheetData><row r="1"><c r="A1" ` +
		`t="s"><v>0</v></c></row></sheetData></worksheet>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := scanned(data)
		if err != nil {
			return
		}
		want, err := decoded(data)
		if err != nil {
			if harmless.MatchString(err.Error()) {
				return
			}
			t.Fatalf("scanner takes %q, decoder says %v", data, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-decoder +scanner):\n%s", data, diff)
		}
	})
}
