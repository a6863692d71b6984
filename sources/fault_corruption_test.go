package sources_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/internal/testing/dialect"
	"adsync/sources/draft"
)

var (
	corruptions    = flag.Int("corruptions", 2000, "how many corruptions of workbooks to try")
	corruptionSeed = flag.Uint64("corruption-seed", 1, "seed of the corruptions")
)

// member is a part of a workbook's zip.
type member struct {
	name    string
	content []byte
}

// corruption damages a workbook: its bytes, or its members inside a zip that is
// whole again. What it makes is never another workbook somebody could have
// saved: a changed digit in a whole file is no damage anyone can see.
type corruption struct {
	name  string
	bytes func(*rand.Rand, []byte) []byte
	parts func(*rand.Rand, []member) []member
}

var corruptionsOf = []corruption{
	{name: "a bit flipped", bytes: func(r *rand.Rand, b []byte) []byte {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		return b
	}},
	{name: "a block zeroed", bytes: func(r *rand.Rand, b []byte) []byte {
		at := r.IntN(len(b))
		clear(b[at:min(len(b), at+1+r.IntN(64))])
		return b
	}},
	{name: "cut short", bytes: func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b))] }},
	{name: "bytes taken out", bytes: func(r *rand.Rand, b []byte) []byte {
		at := r.IntN(len(b))
		return slices.Delete(b, at, min(len(b), at+1+r.IntN(64)))
	}},
	{name: "a member gone", parts: func(r *rand.Rand, ms []member) []member {
		i := r.IntN(len(ms))
		return slices.Delete(ms, i, i+1)
	}},
	{name: "two members swapped", parts: func(r *rand.Rand, ms []member) []member {
		i, j := r.IntN(len(ms)), r.IntN(len(ms))
		if isSheet(ms[i].name) == isSheet(ms[j].name) { // two sheets swapped are another workbook
			return nil
		}
		ms[i].content, ms[j].content = ms[j].content, ms[i].content
		return ms
	}},
	{name: "the end of a member gone", parts: inXML(func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b))] })},
	{name: "a member zeroed", parts: inXML(func(r *rand.Rand, b []byte) []byte {
		at := r.IntN(len(b))
		clear(b[at:min(len(b), at+1+r.IntN(64))])
		return b
	})},
	{name: "a member in UTF-16", parts: inXML(func(r *rand.Rand, b []byte) []byte {
		wide := []byte("\xff\xfe")
		for _, c := range b {
			wide = append(wide, c, 0)
		}
		return wide
	})},
	{name: "a document type", parts: inXML(func(r *rand.Rand, b []byte) []byte {
		at := bytes.IndexByte(b, '>') + 1
		return slices.Concat(b[:at], []byte(`<!DOCTYPE x [<!ENTITY e "x">]>`), b[at:])
	})},
	{name: "a mark of a tag flipped", parts: inXML(func(r *rand.Rand, b []byte) []byte {
		marks := tagMarks(b)
		b[marks[r.IntN(len(marks))]] ^= 1 << r.IntN(8)
		return b
	})},
	{name: "a tag gone", parts: inXML(func(r *rand.Rand, b []byte) []byte {
		tags := pairedTag.FindAllIndex(b, -1)
		if len(tags) == 0 {
			return nil
		}
		tag := tags[r.IntN(len(tags))]
		return slices.Delete(b, tag[0], tag[1])
	})},
	{name: "a tag twice", parts: inXML(func(r *rand.Rand, b []byte) []byte {
		tags := pairedTag.FindAllIndex(b, -1)
		if len(tags) == 0 {
			return nil
		}
		tag := tags[r.IntN(len(tags))]
		return slices.Insert(b, tag[1], bytes.Clone(b[tag[0]:tag[1]])...)
	})},
	{name: "rows out of order", parts: inSheetXML(func(r *rand.Rand, b []byte) []byte {
		rows := wholeRow.FindAllIndex(b, -1)
		if len(rows) < 2 {
			return nil
		}
		i := r.IntN(len(rows) - 1)
		first, second := rows[i], rows[i+1]
		return slices.Concat(b[:first[0]], b[second[0]:second[1]],
			b[first[1]:second[0]], b[first[0]:first[1]], b[second[1]:])
	})},
	{name: "a shared text that is not there", parts: inSheetXML(func(r *rand.Rand, b []byte) []byte {
		cells := sharedCell.FindAllSubmatchIndex(b, -1)
		if len(cells) == 0 {
			return nil
		}
		c := cells[r.IntN(len(cells))]
		return slices.Concat(b[:c[2]], fmt.Appendf(nil, "%d", 100_000+r.IntN(1000)), b[c[3]:])
	})},
	{name: "a style that is not there", parts: inSheetXML(func(r *rand.Rand, b []byte) []byte {
		styles := cellStyleAt.FindAllSubmatchIndex(b, -1)
		if len(styles) == 0 {
			return nil
		}
		s := styles[r.IntN(len(styles))]
		return slices.Concat(b[:s[2]], []byte("99999"), b[s[3]:])
	})},
	{name: "a shared text gone", parts: inPart("sharedStrings.xml", func(r *rand.Rand, b []byte) []byte {
		texts := wholeText.FindAllIndex(b, -1)
		if len(texts) == 0 {
			return nil
		}
		t := texts[r.IntN(len(texts))]
		return slices.Delete(b, t[0], t[1])
	})},
	{name: "a sheet nobody lists", parts: inPart("workbook.xml", func(r *rand.Rand, b []byte) []byte {
		sheets := listedSheet.FindAllIndex(b, -1)
		if len(sheets) == 0 {
			return nil
		}
		s := sheets[r.IntN(len(sheets))]
		return slices.Delete(b, s[0], s[1])
	})},
}

var (
	pairedTag   = regexp.MustCompile(`</[^<>]*>|<[a-zA-Z][^<>]*[^<>/]>`)
	wholeRow    = regexp.MustCompile(`(?s)<row [^>]*[^/]>.*?</row>`)
	sharedCell  = regexp.MustCompile(`<c [^>]*t="s"[^>]*><v>([0-9]+)</v>`)
	cellStyleAt = regexp.MustCompile(`<c [^>]*s="([0-9]+)"[^>]*><`)
	wholeText   = regexp.MustCompile(`(?s)<si>.*?</si>`)
	listedSheet = regexp.MustCompile(`<sheet [^>]*(/>|></sheet>)`)
)

func isSheet(name string) bool { return strings.HasPrefix(name, "xl/worksheets/sheet") }

// inXML damages one XML member.
func inXML(damage func(*rand.Rand, []byte) []byte) func(*rand.Rand, []member) []member {
	return inWhere(func(name string) bool {
		return strings.HasSuffix(name, ".xml") || strings.HasSuffix(name, ".rels")
	}, damage)
}

func inSheetXML(damage func(*rand.Rand, []byte) []byte) func(*rand.Rand, []member) []member {
	return inWhere(isSheet, damage)
}

func inPart(name string, damage func(*rand.Rand, []byte) []byte) func(*rand.Rand, []member) []member {
	return inWhere(func(have string) bool { return have == "xl/"+name }, damage)
}

func inWhere(fits func(string) bool, damage func(*rand.Rand, []byte) []byte) func(*rand.Rand, []member) []member {
	return func(r *rand.Rand, ms []member) []member {
		var at []int
		for i, m := range ms {
			if fits(m.name) && len(m.content) > 0 {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return nil
		}
		m := &ms[at[r.IntN(len(at))]]
		m.content = damage(r, bytes.Clone(m.content))
		if m.content == nil {
			return nil
		}
		return ms
	}
}

// tagMarks are the places of the characters that make tags, outside of values:
// in a text or a value, / and = may be anybody's.
func tagMarks(b []byte) []int {
	var at []int
	inTag, quote := false, byte(0)
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
				at = append(at, i)
			}
		case !inTag && c != '<':
		case c == '<':
			inTag = true
			at = append(at, i)
		case c == '>':
			inTag = false
			at = append(at, i)
		case c == '"' || c == '\'':
			quote = c
			at = append(at, i)
		case c == '/' || c == '=':
			at = append(at, i)
		}
	}
	return at
}

func (c corruption) apply(r *rand.Rand, whole []byte) []byte {
	if c.bytes != nil {
		return c.bytes(r, bytes.Clone(whole))
	}
	ms := c.parts(r, membersOf(whole))
	if ms == nil {
		return nil
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range ms {
		f, err := w.Create(m.name)
		if err == nil {
			_, err = f.Write(m.content)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func membersOf(whole []byte) []member {
	archive, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		panic(err)
	}
	var ms []member
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			panic(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			panic(err)
		}
		ms = append(ms, member{name: f.Name, content: content})
	}
	return ms
}

// everything is what a workbook says, wherever it says it.
func everything(r draft.Result) string {
	lines := drafted(r.Drafts)
	for _, e := range r.Items {
		lines = append(lines, fmt.Sprintf("entry %v %s %s", e.Owner, e.Attribute.Name, e.Text.Text))
	}
	for _, l := range r.Lists {
		lines = append(lines, fmt.Sprintf("list %v %v", l.Name, l.Items))
	}
	return strings.Join(lines, "\n")
}

// corruptedBooks are workbooks of several writers and of every sort of part.
func corruptedBooks(t testing.TB) map[string][]byte {
	t.Helper()
	hero := pngOf(t, 640, 640)
	_, hinted := hintedBook(t, 30, 3)
	books := map[string][]byte{
		"three sheets": bookOf(t, campaignsSheet, adGroupsSheet, adsSheet), "many rows": bookOf(t, manyRows(300)),
		"an export with hints": hinted, "a picture over its cell": pasted(t, hero, adRows(nil, "a.png"), "F2"),
		"a picture in its cell": placed(t, placedParts(hero, pngOf(t, 700, 700)), shoePlaced),
	}
	for _, program := range dialect.Programs() {
		content, err := dialect.Write(program, t.TempDir())
		must(t, err)
		books[program] = content
	}
	return books
}

// A corrupted workbook is a problem, or it says exactly what it said: never
// something else, and never less (faults W1 to W5).
func TestCorruptionIsNeverSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	books := corruptedBooks(t)
	names := slices.Sorted(maps.Keys(books))
	want := map[string]string{}
	for _, name := range names {
		intact := readBytes(books[name])
		wantProblems(t, intact.Problems)
		want[name] = everything(intact)
	}
	wanted := *corruptions
	if testing.Short() {
		wanted = min(wanted, 300)
	}
	counts := make([]map[string][2]int, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for w := range counts {
		counts[w] = map[string][2]int{}
		workers.Go(func() {
			for i := w; i < wanted && !t.Failed(); i += len(counts) {
				random := rand.New(rand.NewPCG(*corruptionSeed, uint64(i)))
				name, c := names[random.IntN(len(names))], corruptionsOf[random.IntN(len(corruptionsOf))]
				broken := c.apply(random, books[name])
				if broken == nil {
					continue
				}
				count := counts[w][c.name]
				count[0]++
				got := readBytes(broken)
				if len(got.Problems) > 0 {
					count[1]++
				} else if everything(got) != want[name] {
					t.Errorf("%s: %s is read differently without a problem (seed %d, number "+
						"%d); it said\n%s\nand says\n%s", name, c.name, *corruptionSeed, i, want[name], everything(got))
				}
				counts[w][c.name] = count
			}
		})
	}
	workers.Wait()
	reportCorruptions(t, counts)
}

func reportCorruptions(t *testing.T, counts []map[string][2]int) {
	total := 0
	for _, c := range corruptionsOf {
		tried, noticed := 0, 0
		for _, count := range counts {
			tried += count[c.name][0]
			noticed += count[c.name][1]
		}
		total += tried
		t.Logf("%-32s %6d tried, %6d refused, the rest read as before", c.name, tried, noticed)
		if tried > 20 && noticed == 0 {
			t.Errorf("%s was tried %d times and never noticed", c.name, tried)
		}
	}
	t.Logf("%d corruptions", total)
}
