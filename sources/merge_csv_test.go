package sources_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"adsync/internal/kinds"
	"adsync/internal/testing/office"
	"adsync/sources/config"
	"adsync/sources/diff"

	"pgregory.net/rapid"
)

const threeAds = "Campaign,Ad group,Ad,Title,Body,Target URL,Image,My note,Key\n" +
	"Spring,Runners,Hero A,AAA,Light.,https://shop.example/,a.png,mine,hero-a\n" +
	"Spring,Runners,Hero B,BBB,Light.,https://shop.example/,b.png,,hero-b\n" +
	"Spring,Runners,Hero C,\"C, C\",Light.,https://shop.example/,c.png,,\n"

func mergeText(t testing.TB, file, base, ours, theirs string) (diff.Merged, error) {
	t.Helper()
	return diff.MergeSides(context.Background(), config.Project{}, []byte(base), []byte(ours), []byte(theirs),
		kinds.All(), diff.Sides{File: file, Ours: "ours", Theirs: "theirs"})
}

// edited replaces texts, each of which stands there once.
func edited(t testing.TB, text string, changes ...string) string {
	t.Helper()
	for i := 0; i < len(changes); i += 2 {
		if strings.Count(text, changes[i]) != 1 {
			t.Fatalf("%q stands %d times in\n%s", changes[i], strings.Count(text, changes[i]), text)
		}
		text = strings.Replace(text, changes[i], changes[i+1], 1)
	}
	return text
}

func TestRowsOfCSVAreMerged(t *testing.T) {
	for _, c := range []struct {
		name                string
		ours, theirs, wants []string // changes of the base; wants of ours
		clashes             []string
	}{
		{name: "two cells of one row", ours: []string{"AAA", "ours"},
			theirs: []string{"mine", "theirs"}, wants: []string{"mine", "theirs"}},
		{name: "a separator and a quote in what is taken", ours: []string{"AAA", "ours"},
			theirs: []string{"BBB", "\"a \"\"b\"\", c\""}, wants: []string{"BBB", "\"a \"\"b\"\", c\""}},
		{name: "both alike", ours: []string{"AAA", "same"}, theirs: []string{"AAA", "same"}},
		{name: "one cell twice", ours: []string{"AAA", "ours"}, theirs: []string{"AAA", "theirs"},
			clashes: []string{`line 2 [hero-a] Title | "AAA" | "ours" | "theirs" | `}},
		{name: "a row that theirs added, behind a remark of ours",
			ours:   []string{"c.png,,\n", "c.png,,\n# a remark\n"},
			theirs: []string{"c.png,,\n", "c.png,,\nSpring,Runners,Hero D,DDD,L.,https://shop.example/,d.png,,\n"},
			wants: []string{"# a remark\n",
				"# a remark\nSpring,Runners,Hero D,DDD,L.,https://shop.example/,d.png,,\n"}},
		{name: "a row that theirs removed", ours: []string{"AAA", "ours"},
			theirs: []string{"Spring,Runners,Hero B,BBB,Light.,https://shop.example/,b.png,,hero-b\n", ""},
			wants:  []string{"Spring,Runners,Hero B,BBB,Light.,https://shop.example/,b.png,,hero-b\n", ""}},
		{name: "a row that theirs removed and ours changed", ours: []string{"BBB", "ours"},
			theirs: []string{"Spring,Runners,Hero B,BBB,Light.,https://shop.example/,b.png,,hero-b\n", ""},
			clashes: []string{`line 3 [hero-b] |  | "Spring", "Runners", "Hero B", "ours", "Light.", ` +
				`"https://shop.example/", "b.png", "hero-b" |  | ` +
				`theirs removed the row and ours changed it; it stays`}},
		{name: "a row that moved, beneath a value of two lines", ours: []string{"Light.,https://shop.example/,a.png",
			"\"Light\n.\",https://shop.example/,a.png"},
			theirs: []string{"BBB", "theirs"}, wants: []string{"BBB", "theirs"}},
		{name: "a column that theirs added", ours: []string{"AAA", "ours"},
			theirs: []string{",Key\n", ",Key,Theirs\n", ",hero-b\n", ",hero-b,t\n"},
			wants:  []string{",Key\n", ",Key,Theirs\n", ",hero-b\n", ",hero-b,t\n"}},
		{name: "a formula elsewhere", ours: []string{"Spring,Runners,Hero A",
			"# first\nSpring,Runners,Hero A"}, theirs: []string{"mine", "=D2"},
			clashes: []string{`line 3 [hero-a] My note | "mine" | "mine" | =D2 | ` +
				`it is a formula, and its row or its columns stand elsewhere in ours`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours := edited(t, threeAds, c.ours...)
			m, err := mergeText(t, "ads.csv", threeAds, ours, edited(t, threeAds, c.theirs...))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(m.Content), edited(t, ours, c.wants...); got != want ||
				!slices.Equal(clashes(m), c.clashes) {
				t.Errorf("conflicts %q; want %q; it is\n%s\nwant\n%s", clashes(m), c.clashes, got, want)
			}
		})
	}
}

// Cells of hint lists have no names: they are merged where they stand.
func TestHintListsOfCSVAreMerged(t *testing.T) {
	const base = "Runners,Hikers\npeople who run,people who walk\nshoes,\n"
	ours := edited(t, base, "people who walk", "people who hike", "shoes,", "shoes,x")
	m, err := mergeText(t, "hint-lists.csv", base, ours,
		edited(t, base, "shoes,\n", "boots,y\nsocks,z\n"))
	want := "Runners,Hikers\npeople who run,people who hike\nboots,x\nsocks,z\n"
	if err != nil || string(m.Content) != want ||
		!slices.Equal(clashes(m), []string{`line 3, column B | (blank) | "x" | "y" | `}) {
		t.Errorf("%v, conflicts %q; it is\n%s", err, clashes(m), m.Content)
	}
}

// excelCSV is a file as Excel writes it where a comma is the decimal point: semicolons, CR LF, its encoding's mark.
func excelCSV(text, encoding string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "\"C, C\"", "C, C"), ",", ";"), "\n", "\r\n")
	text = strings.ReplaceAll(text, "C; C", "C, C")
	switch encoding {
	case "UTF-16":
		b := []byte("\xff\xfe")
		for _, unit := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		return string(b)
	case "Windows-1252":
		return strings.ReplaceAll(text, "é", "\xe9")
	}
	return "\xef\xbb\xbf" + text
}

// What nobody changed of today's file stays byte for byte, whatever program wrote it, and whatever wrote theirs.
func TestCSVOfExcelKeepsItsBytes(t *testing.T) {
	for _, encoding := range []string{"UTF-8", "UTF-16", "Windows-1252"} {
		t.Run(encoding, func(t *testing.T) {
			base := edited(t, threeAds, "AAA", "été")
			ours := edited(t, base, "BBB", "ours")
			m, err := mergeText(t, "ads.csv", base, excelCSV(ours, encoding), edited(t, base, "mine", "thé"))
			if err != nil {
				t.Fatal(err)
			}
			want := excelCSV(edited(t, ours, "mine", "thé"), encoding)
			if got := string(m.Content); got != want || len(m.Conflicts) > 0 {
				t.Errorf("conflicts %q; it is\n%q\nwant\n%q", clashes(m), got, want)
			}
		})
	}
	m, err := mergeText(t, "ads.csv", threeAds, excelCSV(edited(t, threeAds, "BBB", "é"), "Windows-1252"),
		edited(t, threeAds, "AAA", "→", "mine", "theirs"))
	if err != nil || m.Cells != 1 || len(m.Conflicts) != 1 ||
		!strings.Contains(clashes(m)[0], "Windows-1252, which does not have every character") {
		t.Errorf("%v, took %d, conflicts %q; want one cell, and the arrow said", err, m.Cells, clashes(m))
	}
}

// Programs that open a file and save it write it otherwise, and say the same.
func TestCSVThatProgramsSavedIsMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	base := "Campaign,Ad group,Max bid (USD),My number,Key\n" +
		"Spring,\"Runners, all\",0.80,1,runners\n\"Spring\",Walkers,1.50,\"=\"\"007\"\"\",walkers\n"
	theirs := edited(t, base, "0.80", "0.70")
	for _, p := range []struct {
		name string
		save func(t *testing.T, text string) string
	}{
		{"LibreOffice", throughLibreOffice},
		{"Python", func(t *testing.T, text string) string {
			return throughPython(t, text, `csv.writer(sys.stdout, delimiter=";", quoting=csv.QUOTE_ALL)`)
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			ours := p.save(t, edited(t, base, "1.50", "2.50"))
			m, err := mergeText(t, "ad-groups.csv", base, ours, p.save(t, theirs))
			if err != nil {
				t.Fatal(err)
			}
			want := throughPython(t, edited(t, base, "0.80", "0.7", "1.50", "2.5"), plainCSV)
			got := throughPython(t, string(m.Content), plainCSV)
			if strings.NewReplacer("0.70", "0.7", "2.50", "2.5").Replace(got) != want || len(m.Conflicts) > 0 {
				t.Errorf("conflicts %q; Python reads %q in %q; want %q", clashes(m), got, m.Content, want)
			}
			if m.Cells != 1 {
				t.Errorf("took %+v; want the bid alone", m.Took)
			}
			if same := bytes.Replace(m.Content, []byte("0.70"), []byte("0.80"), 1); !bytes.Equal(same, []byte(ours)) &&
				!bytes.Equal(bytes.Replace(m.Content, []byte("0.7"), []byte("0.8"), 1), []byte(ours)) {
				t.Errorf("of\n%s\nit made\n%s", ours, m.Content)
			}
		})
	}
}

const plainCSV = `csv.writer(sys.stdout)`

// throughPython has Python's csv read a text and write it anew.
func throughPython(t *testing.T, text, writer string) string {
	t.Helper()
	c := exec.Command("/usr/bin/python3", "-c", `
import csv, io, sys
text = sys.stdin.buffer.read().decode("utf-8-sig")
head = text.split("\n")[0]
`+writer+`.writerows([f.replace("=\"007\"", "007").replace("007", "7") for f in row]
  for row in csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in head else ","))`)
	c.Stdin = strings.NewReader(text)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	return string(out)
}

func throughLibreOffice(t *testing.T, text string) string {
	t.Helper()
	at, saved := filepath.Join(t.TempDir(), "file.csv"), t.TempDir()
	must(t, os.WriteFile(at, []byte(text), 0o600))
	must(t, office.ConvertBy(office.CSV, office.AsCSV, saved, at))
	content, err := os.ReadFile(filepath.Join(saved, "file.csv"))
	must(t, err)
	return string(content)
}

// A file of other rows than its base is not merged, nor is one that cannot be read: the reason is true.
func TestCSVThatIsNotMergedSaysWhy(t *testing.T) {
	groups := "Campaign,Ad group,Max bid,Key\nSpring,Runners,1.00,x\n"
	for _, c := range []struct{ name, file, base, ours, theirs, want string }{
		{"rows of another sheet", "of-mine.csv", threeAds, threeAds, groups,
			"theirs holds rows of Ad groups, and ours rows of Ads; want the same in both"},
		{"a quote that is open", "ads.csv", threeAds, threeAds, threeAds + "\"x\n", "theirs: line 5: "},
		{"nothing that is known", "ads.csv", threeAds, "a,b\n1,2\n", threeAds, "ours: file has no header of Ads"},
		{"old Macs", "ads.csv", threeAds, strings.ReplaceAll(threeAds, "\n", "\r"),
			edited(t, threeAds, "AAA", "theirs"), "written in a way that cannot be kept"},
	} {
		m, err := mergeText(t, c.file, c.base, c.ours, c.theirs)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, m.Content, err, c.want)
		}
	}
}

// drawCSV draws a file of some rows of three names, with a column of the user's own.
func drawCSV(t *rapid.T, who string) map[string]map[string]string {
	rows := map[string]map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		if rapid.IntRange(0, 4).Draw(t, who+" has "+name) == 0 {
			continue
		}
		rows[name] = map[string]string{}
		for _, column := range []string{"Max bid", "Mine"} {
			values := []string{"", "1.00", "2.50", "x, \"y\"", "=1+1", "z\nz"}
			rows[name][column] = rapid.SampledFrom(values).Draw(t, who+column)
		}
	}
	return rows
}

// writtenCSV writes rows in one of several ways.
func writtenCSV(rows map[string]map[string]string, order []string, delimiter, end string) string {
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	text := strings.Join([]string{"Campaign", "Ad group", "Max bid", "Mine", "Key"}, delimiter) + end
	for _, name := range order {
		if row := rows[name]; row != nil {
			text += strings.Join([]string{"Spring", "of " + name, quoted(row["Max bid"]), quoted(row["Mine"]), name},
				delimiter) + end
		}
	}
	return text
}

// Of any three versions: what only one side changed is in the result, what both changed alike is no conflict, and what
// each changed otherwise is in the list, with theirs where it is taken.
func TestAnyCSVIsMergedAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base, ours, theirs := drawCSV(rt, "base"), drawCSV(rt, "ours"), drawCSV(rt, "theirs")
		orders := [][]string{{"a", "b", "c"}, {"c", "a", "b"}}
		order := rapid.SampledFrom(orders).Draw(rt, "order")
		b := writtenCSV(base, orders[0], ",", "\n")
		o := writtenCSV(ours, order, ";", "\r\n")
		x := writtenCSV(theirs, rapid.SampledFrom(orders).Draw(rt, "their order"), "\t", "\n")
		merge := func(base, ours, theirs string, take bool) diff.Merged {
			m, err := diff.MergeSides(context.Background(), config.Project{}, []byte(base), []byte(ours),
				[]byte(theirs), kinds.All(), diff.Sides{File: "ad-groups.csv", Ours: "ours", Theirs: "theirs",
					Take: func(diff.Conflict) bool { return take }})
			if err != nil {
				rt.Fatalf("%q, %q, %q: %v", base, ours, theirs, err)
			}
			return m
		}
		if m := merge(b, o, b, false); string(m.Content) != o || len(m.Conflicts) > 0 {
			rt.Fatalf("where theirs is the base it is %q, %q; want %q", m.Content, clashes(m), o)
		}
		if m := merge(x, o, x, true); string(m.Content) != o || len(m.Took) > 0 {
			rt.Fatalf("theirs is its base, and it is %q, %q", m.Content, clashes(m))
		}
		for _, take := range []bool{false, true} {
			m := merge(b, o, x, take)
			holdsAll(rt, base, ours, theirs, m, take)
		}
	})
}

// holdsAll holds a merged file of ad groups against its versions.
func holdsAll(t *rapid.T, base, ours, theirs map[string]map[string]string, m diff.Merged, take bool) {
	said := strings.Join(clashes(m), "\n")
	again, err := diff.MergeSides(context.Background(), config.Project{}, m.Content, m.Content, m.Content, kinds.All(),
		diff.Sides{File: "ad-groups.csv"})
	if err != nil || !bytes.Equal(again.Content, m.Content) {
		t.Fatalf("the merged file is not read: %v", err)
	}
	for _, c := range m.Took {
		if c.Open {
			said += "\n" + c.What
		}
	}
	is := readAdGroups(t, string(m.Content))
	holds := func(what, b, o, x, got string) {
		wants := o
		if o == b {
			wants = x
		}
		isSaid := strings.Contains(said, "["+what[:1]+"]")
		if got != wants && (x == b || o == b || o == x || !isSaid || !take) && !(isSaid && got == o) {
			t.Fatalf("%s: base %q, ours %q, theirs %q, merged %q; conflicts %s", what, b, o, x, got, said)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		if base[name] == nil || ours[name] == nil || theirs[name] == nil {
			row := func(of map[string]map[string]string) string { return fmt.Sprint(of[name]) }
			if base[name] == nil && ours[name] != nil && theirs[name] != nil {
				continue // two rows of one key are one, cell by cell
			}
			holds(name, row(base), row(ours), row(theirs), row(is))
			continue
		}
		for _, column := range []string{"Max bid", "Mine"} {
			holds(name+" "+column, base[name][column], ours[name][column], theirs[name][column], is[name][column])
		}
	}
}

// readAdGroups reads a merged file with another reader.
func readAdGroups(t *rapid.T, text string) map[string]map[string]string {
	rows := map[string]map[string]string{}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = ';', -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatalf("encoding/csv: %v in %q", err, text)
	}
	for _, fields := range records[1:] {
		if len(fields) != 5 {
			t.Fatalf("row %q has no five fields", fields)
		}
		rows[fields[4]] = map[string]string{"Max bid": fields[2], "Mine": fields[3]}
	}
	return rows
}
