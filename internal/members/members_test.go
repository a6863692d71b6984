package members

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

func hashOf(plain string) string {
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:])
}

// The vectors of ruleSet. A change here is another rule set, and every audience
// would be sent again.
func TestA1A4TheRuleSet(t *testing.T) {
	for _, row := range []struct {
		name  string
		as    Identifier
		texts []string // of one person
		want  string   // what is hashed
	}{
		{"case and blanks", Email, []string{"ann@shop.example",
			" Ann@Shop.Example\t", "ANN@SHOP.EXAMPLE\u00a0", "\u3000ann@shop.example"}, "ann@shop.example"},
		{"what cannot be seen", Email, []string{"a\u200bnn@shop.example\ufeff",
			"\u202aann@shop.example\u202c", "ann@shop\u00ad.example"}, "ann@shop.example"},
		{"dots and tags are other mailboxes", Email, []string{"a.n.n+shoes@gmail.com"}, "a.n.n+shoes@gmail.com"},
		{"a domain of another script", Email, []string{"ann@münchen.example", "ann@MÜNCHEN.example",
			"ann@mu\u0308nchen.example", "ann@xn--mnchen-3ya.example", "ann@XN--MNCHEN-3YA.EXAMPLE"},
			"ann@xn--mnchen-3ya.example"},
		{"a wide domain", Email, []string{"ann@ｓｈｏｐ.example", "ann@shop。example"}, "ann@shop.example"},
		{"a mailbox with an accent",
			Email, []string{"José@shop.example", "jose\u0301@shop.example", "JOSÉ@shop.example"}, "josé@shop.example"},
		{"the way numbers are written", Phone, []string{"+4915112345678", "+49 151 1234 5678", "+49-151-1234-5678",
			"+49.151.12345678", "+49 (151) 12345678", "\u200e+49\u00a0151\u202f12345678", "+49 151\u201112345678"},
			"+4915112345678"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, text := range row.texts {
				hash, reason := normalise(row.as, visible(text))
				if got := hash.String(); got != hashOf(row.want) {
					t.Errorf("%+q = %.8s %q, want the hash of %q", text, got, reason, row.want)
				}
			}
		})
	}
	given := hashOf("ann@shop.example")
	for _, text := range []string{given, strings.ToUpper(given), " " + given + "\u200b"} {
		if hash, reason := normalise(EmailHash, visible(text)); hash.String() != given {
			t.Errorf("%q = %s %q, want it in lower case", text, hash, reason)
		}
	}
}

// Whatever would be a guess is left out, and says why.
func TestA1A2A3WhatIsLeftOut(t *testing.T) {
	plain := hashOf("ann@shop.example")
	for _, row := range []struct {
		as   Identifier
		text string
		want Reason
	}{
		{Email, "ann", noEmail},
		{Email, "ann@shop", noEmail},
		{Email, "@shop.example", noEmail},
		{Email, "ann@", noEmail},
		{Email, "ann@shop..example", noEmail},
		{Email, "ann@shop.example.", noEmail},
		{Email, strings.Repeat("a", 65) + "@shop.example", noEmail},
		{Email, "Ann <ann@shop.example>", namedEmail},
		{Email, "mailto:ann@shop.example", namedEmail},
		{Email, "ann@shop.example, bob@shop.example", namedEmail},
		{Email, "ann jones@shop.example", namedEmail},
		{Email, plain, hashGiven},
		{Phone, "0151 12345678", noCountry},
		{Phone, "0049 151 12345678", noCountry},
		{Phone, "15112345678", noCountry},
		{Phone, "+49 (0)151 12345678", trunk},
		{Phone, "+4915112345678 ext. 12", withExtension},
		{Phone, "+4915112345678x12", withExtension},
		{Phone, "+012345678", noPhone},
		{Phone, "+123456", noPhone},
		{Phone, "+1234567890123456", noPhone},
		{Phone, "+49151CALLME", noPhone},
		{Phone, "4.91511E+12", noPhone},
		{Phone, plain, hashGiven},
		{EmailHash, "ann@shop.example", plainGiven},
		{PhoneHash, "+49 151 12345678", plainGiven},
		{EmailHash, plain[:63], noHash},
		{EmailHash, plain[:40], hashOther},
		{EmailHash, plain[:32], hashOther},
		{EmailHash, "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=", hashOther},
		{EmailHash, hashOf(""), hashOfNone},
		{PhoneHash, strings.ToUpper(hashOf("")), hashOfNone},
	} {
		if hash, reason := normalise(row.as, visible(row.text)); reason != row.want || hash != (Hash{}) {
			t.Errorf("%s %q = %s %q, want %q", row.as, row.text, hash, reason, row.want)
		}
	}
}

func read(t *testing.T, as Identifier, text string) *List {
	t.Helper()
	list, err := ReadText(strings.NewReader(text), as)
	if err != nil {
		t.Fatalf("ReadText = %v, want a list", err)
	}
	return list
}

func hashesOf(list *List) []string {
	var all []string
	for hash := range list.Hashes() {
		all = append(all, hash.String())
	}
	return all
}

func sorted(plain ...string) []string {
	var all []string
	for _, p := range plain {
		all = append(all, hashOf(p))
	}
	slices.Sort(all)
	return all
}

const ann, bob = "ann@shop.example", "bob@shop.example"

func TestHowAFileIsWritten(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"one a line", ann + "\n" + bob + "\n"},
		{"no line break at the end", ann + "\n" + bob},
		{"line breaks of Windows", ann + "\r\n" + bob + "\r\n"},
		{"a header", "E-mail address\n" + ann + "\n" + bob + "\n"},
		{"a mark of UTF-8", "\ufeffemail\n" + ann + "\n" + bob + "\n"},
		{"a mark and no header", "\ufeff" + ann + "\n" + bob + "\n"},
		{"a column among others", "Name,Email,Phone\nAnn," + ann + ",1\n\"Jones, Bob\"," + bob + ",\n"},
		{"semicolons", "Name;E-Mail\nAnn, A.;" + ann + "\nBob;" + bob + "\n"},
		{"tabs", "Name\tmail\nAnn\t" + ann + "\nBob\t" + bob + "\n"},
		{"a line sep=", "sep=;\nName;Email\nAnn;" + ann + "\nBob;" + bob + "\n"},
		{"quotes", "\"email\"\n\"" + ann + "\"\n\"" + bob + "\"\n"},
		{"a breaking value beside", "email,note\n" + ann + ",\"a\nb\"\n" + bob + ",\n"},
		{"kept as text by a spreadsheet", "email\n=\"" + ann + "\"\n" + bob + "\n"},
		{"in another order, twice and in capitals", strings.ToUpper(bob) + "\n" + ann + "\n" + bob + "\n"},
		{"UTF-16", string(utf16Of("email\n"+ann+"\n"+bob+"\n", false))},
		{"UTF-16, big end first", string(utf16Of("email\n"+ann+"\n"+bob+"\n", true))},
		{"hashed already", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			as, text := Email, row.text
			if text == "" {
				as, text = EmailHash, strings.ToUpper(hashOf(ann))+"\n"+hashOf(bob)+"\n"
			}
			list := read(t, as, text)
			if diff := cmp.Diff(sorted(ann, bob), hashesOf(list)); diff != "" {
				t.Errorf("hashes (-want +got):\n%s", diff)
			}
			if want := read(t, Email, ann+"\n"+bob+"\n").Digest(); list.Digest() != want {
				t.Errorf("Digest = %s, want that of the same people %s", list.Digest(), want)
			}
			var out bytes.Buffer
			if n, err := list.WriteTo(&out); err != nil ||
				int(n) != out.Len() || out.String() != strings.Join(sorted(ann, bob), "\n")+"\n" {
				t.Errorf("WriteTo = %d, %v, %q; want one hash a line", n, err, out.String())
			}
		})
	}
}

func utf16Of(text string, big bool) []byte {
	b := []byte{0xff, 0xfe}
	if big {
		b = []byte{0xfe, 0xff}
	}
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestPhonesKeptAsTextByASpreadsheet(t *testing.T) {
	list := read(t, Phone, "phone\n=\"+4915112345678\"\n'+4915112345679\n")
	if diff := cmp.Diff(sorted("+4915112345678", "+4915112345679"), hashesOf(list)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
}

func TestEveryLineIsCounted(t *testing.T) {
	list := read(t, Email, "email,name\n"+ann+",x\n\n"+
		strings.ToUpper(ann)+",x\n\u00a0,x\n,x\nnobody,x\nAnn <"+bob+">,x\n"+bob+"\n\nnothing,\n")
	want := Counts{Read: 10, Used: 2, Blank: 4, Duplicate: 1, Rejected: 3}
	if list.Counts != want {
		t.Errorf("Counts = %+v, want %+v", list.Counts, want)
	}
	if diff := cmp.Diff([]Rejection{{noEmail, 2, []int{7, 11}}, {namedEmail, 1, []int{8}}},
		list.Rejections); diff != "" {
		t.Errorf("Rejections (-want +got):\n%s", diff)
	}
	many := read(t, Phone, strings.Repeat("+123\n", 30)+strings.Repeat("0151 1234567\n", 30))
	if len(many.Rejections) != 2 || len(many.Rejections[0].Lines) != maxNamed ||
		many.Rejections[1].Count != 30 || len(many.Rejections[1].Lines) != 0 {
		t.Errorf("Rejections = %+v, want all counted and %d lines named", many.Rejections, maxNamed)
	}
}

// The digest is of the people and of the rules: never of one person alone.
func TestTheDigestIsNoHashOfAPerson(t *testing.T) {
	one := read(t, Email, ann+"\n")
	if got := one.Digest(); got == "sha256:"+hashOf(ann) ||
		got == "sha256:"+hashOf(ann+"\n") || got == "sha256:"+hashOf(hashOf(ann)) {
		t.Errorf("Digest of one person = %s, want none that their address gives", got)
	}
	others := map[string]string{
		"another person":     read(t, Email, bob+"\n").Digest(),
		"one more":           read(t, Email, ann+"\n"+bob+"\n").Digest(),
		"the same as phones": read(t, PhoneHash, hashOf(ann)+"\n").Digest(),
	}
	for what, other := range others {
		if other == one.Digest() {
			t.Errorf("%s gives the same digest", what)
		}
	}
}

const canary = "canary.person@secret.example"

// A5: nothing of a file that is cut or is not what it is said to be is used,
// and no message repeats what stands in it.
func TestA5FilesThatCannotBeRead(t *testing.T) {
	for _, row := range []struct {
		name, text string
		as         Identifier
		want       string
		line       int
	}{
		{"nothing", "", Email, "file is empty", 0},
		{"a header alone", "email\n", Email, "file holds no line beside its header", 0},
		{"a zero byte", ann + "\n" + canary + "\x00\n", Email, "line holds a zero byte", 2},
		{"a character that is cut", ann + "\n" + canary[:10] + "\xc3", Email, "line holds bytes that are not UTF-8", 2},
		{"what another program could not read", "jos\ufffd" + canary + "\n",
			Email, "line holds bytes that are not UTF-8", 1},
		{"UTF-16 without its mark", string(utf16Of(canary+"\n", false)[2:]), Email, "line holds a zero byte", 1},
		{"UTF-16 that is cut", string(utf16Of(ann+"\n"+canary, false)[:len(ann)*2+9]),
			Email, "line holds bytes that are not UTF-8", 2},
		{"a quote that is not closed", "email,name\n" + ann + ",\"" + canary + "\n" + ann + ",x\n",
			Email, "a quote is not closed", 2},
		{"a quote that goes on", canary + "\n" + `"x"y` + "\n",
			Email, "a quote is not closed, or a value goes on after it", 2},
		{"a line without an end", ann + "\n" + strings.Repeat(canary, 100_000), Email, "has over 1048576 bytes", 2},
		{"a quote without an end", ann + "\n\"" + strings.Repeat(canary+"\n", 100_000),
			Email, "has over 1048576 bytes", 2},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\n", Email, "file is a Git LFS pointer", 0},
		{"a merge gone wrong", ann + "\n<<<<<<< HEAD\n" + canary + "\n",
			Email, "line is a mark of an unfinished merge", 2},
		{"a workbook under another name", "PK\x03\x04" + canary, Email, "file is a workbook or an archive", 0},
		{"columns without names", canary + ",Ann,Jones\n",
			Email, "file has 3 columns and none of them is named email", 1},
		{"a column of something else", "phone\n" + canary + "\n",
			Email, "column 1 is named for phone, and the identifier is said to be email", 1},
		{"the column twice", "email,e-mail\n" + canary + "\n", Email, "columns 1 and 2 are both named for email", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			list, err := ReadText(strings.NewReader(row.text), row.as)
			var f *Fault
			if list != nil || !errors.As(err, &f) || !strings.Contains(f.Message, row.want) || f.Line != row.line {
				t.Fatalf("ReadText = %+v; want %q at line %d", err, row.want, row.line)
			}
			if strings.Contains(f.Message+f.Hint, "canary") {
				t.Errorf("the fault repeats what the file says: %s", f.Message)
			}
		})
	}
}

func TestAFileOfOneColumnWithAFurtherValue(t *testing.T) {
	list := read(t, Email, ann+"\n"+bob+",Bob\n"+bob+",\n")
	if want := (Counts{Read: 3, Used: 2, Rejected: 1}); list.Counts != want {
		t.Errorf("Counts = %+v, want %+v", list.Counts, want)
	}
}

// Memory follows the number of different people, not the length of the file.
func TestMemoryFollowsThePeople(t *testing.T) {
	const people, times = 50_000, 12
	repeated := &repeating{people: people, left: people * times}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	list, err := ReadText(repeated, Email)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if want := (Counts{Read: people * times, Used: people, Duplicate: people * (times - 1)}); list.Counts != want {
		t.Errorf("Counts = %+v, want %+v", list.Counts, want)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 80*people+256*smallestPart*32 {
		t.Errorf("%d people take %d bytes; want at most 80 each and a little", people, grown)
	}
	runtime.KeepAlive(list)
}

// repeating is a file that names the same people over and over.
type repeating struct {
	people, left int
	rest         []byte
}

func (r *repeating) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.left > 0 {
		r.left--
		r.rest = fmt.Appendf(nil, "person-%d@shop.example\n", r.left%r.people)
	}
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for i := range 5_000 {
		lines = append(lines, fmt.Sprintf("person-%d@shop.example", i))
	}
	want := read(t, Email, strings.Join(lines, "\n")).Digest()
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	lines = append(lines, lines[:1000]...)
	if got := read(t, Email, strings.Join(lines, "\r\n")).Digest(); got != want {
		t.Errorf("Digest in another order = %s, want %s", got, want)
	}
}

// FuzzReadText holds that no bytes make the reader panic or lose count, and
// that no fault repeats a line.
func FuzzReadText(f *testing.F) {
	for _, seed := range []string{ann + "\n" + bob, "email;x\n" + ann + ";\"a\nb\"\n",
		"sep=,\nphone\n+4915112345678\n", "\xff\xfea\x00", "=\"x\"\n\n\n'+1\n", hashOf(ann), "\"", "\xef\xbb\xbf"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, as := range []Identifier{Email, Phone, EmailHash, PhoneHash} {
			list, err := ReadText(bytes.NewReader(content), as)
			if err != nil {
				continue
			}
			c := list.Counts
			if c.Read != c.Used+c.Blank+c.Duplicate+c.Rejected ||
				c.Duplicate < 0 || c.Blank < 0 || c.Used != len(hashesOf(list)) {
				t.Fatalf("%s: counts do not add up: %+v", as, c)
			}
		}
	})
}

// The short way through a domain is the long one's, where it is taken.
func TestHostNamesAreWhatIDNALeaves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const letters = "ab9-.xn"
	taken := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteByte(letters[random.IntN(len(letters))])
		}
		name := b.String()
		if !isHostName(name) {
			continue
		}
		taken++
		if ascii, err := domains.ToASCII(name); err != nil || ascii != name {
			t.Fatalf("IDNA makes %q, %v of %q; want it left as it is", ascii, err, name)
		}
	}
	if taken < 1000 {
		t.Errorf("%d names took the short way; want many", taken)
	}
}

func BenchmarkReadText(b *testing.B) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "Person-%d@shop.example\n", i)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if list, err := ReadText(strings.NewReader(text.String()), Email); err != nil || list.Counts.Used != 100_000 {
			b.Fatal(list, err)
		}
	}
}
