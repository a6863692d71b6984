package merging

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/downloads"
	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/state/kv"

	"github.com/xuri/excelize/v2"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// at is a desk of an account at which somebody has downloaded something.
type at struct {
	*testing.T
	Desk
}

func newDesk(t *testing.T) *at {
	return &at{t, Desk{Kept: &downloads.Kept{Store: kv.Folder{Dir: t.TempDir()}}, Project: config.Project{},
		Schemas: kinds.All(), Now: noon}}
}

func (a *at) has(file string, content []byte) {
	a.Helper()
	a.Now = a.Now.Add(time.Minute)
	if err := a.Kept.Note("ann", file, content, a.Now); err != nil {
		a.Fatal(err)
	}
}

func (a *at) began(content []byte, file, today string) *Base {
	a.Helper()
	sum := ""
	if today != "" {
		sum = sumOf([]byte(today))
	}
	b, err := a.Began(a.Context(), daemon.Dropped{Who: "ann", Content: content}, file, sum)
	if err != nil {
		a.Fatal(err)
	}
	return b
}

func sumOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// Who has no version but older ones is told so: theirs would take back what others changed. What they sent themselves
// is no change of others.
func TestWhatAFileBeganAs(t *testing.T) {
	for _, row := range []struct {
		name  string
		do    func(a *at)
		now   string
		knows bool
		moved bool
	}{
		{"nothing was downloaded", func(*at) {}, "Bob's", false, false},
		{"it is as it was", func(a *at) { a.has("spring.yaml", []byte("today's")) }, "today's", true, false},
		{"somebody changed it", func(a *at) { a.has("spring.yaml", []byte("today's")) }, "Bob's", true, true},
		{"another file was downloaded", func(a *at) { a.has("north/spring.yaml", []byte("today's")) },
			"Bob's", false, false},
		{"theirs is there", func(a *at) {
			a.has("spring.yaml", []byte("today's"))
			if err := a.Kept.Sent(a.began(nil, "spring.yaml", "today's").Version, sumOf([]byte("Ann's"))); err != nil {
				a.Fatal(err)
			}
		}, "Ann's", true, false},
		{"theirs waits to be merged", func(a *at) {
			a.has("spring.yaml", []byte("today's"))
			if err := a.Kept.Sent(a.began(nil, "spring.yaml", "today's").Version, sumOf([]byte("Ann's"))); err != nil {
				a.Fatal(err)
			}
		}, "today's", true, false},
		{"it was downloaded again", func(a *at) {
			a.has("spring.yaml", []byte("today's"))
			a.has("spring.yaml", []byte("Bob's"))
		}, "Bob's", true, false},
		{"somebody removed it", func(a *at) { a.has("spring.yaml", []byte("today's")) }, "", true, true},
		{"it was downloaded long ago", func(a *at) {
			a.has("spring.yaml", []byte("today's"))
			a.Now = a.Now.Add(32 * 24 * time.Hour)
		}, "Bob's", false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := newDesk(t)
			row.do(a)
			b := a.began([]byte("edited"), "spring.yaml", row.now)
			if b != nil != row.knows || b != nil && b.Moved != row.moved {
				t.Errorf("it began as %+v; want it known: %t, moved: %t", b, row.knows, row.moved)
			}
		})
	}
	a := newDesk(t)
	a.has("spring.yaml", []byte("today's"))
	b, err := a.Began(t.Context(), daemon.Dropped{Content: []byte("x")}, "spring.yaml", "x")
	if b != nil || err != nil {
		t.Errorf("of nobody it is %+v, %v; want nothing", b, err)
	}
}

// book is a workbook of two campaigns with their budgets and a note.
func book(t *testing.T, budgets [2]float64, note string, change func(*excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	err := f.SetSheetName("Sheet1", "Campaigns")
	for i, row := range [][]any{{"Campaign", "Status", "Daily budget (USD)", "Notes", "Key"},
		{"One", "active", budgets[0], note, "one"}, {"Two", "active", budgets[1], "", "two"}} {
		if err == nil {
			err = f.SetSheetRow("Campaigns", fmt.Sprint("A", i+1), &row)
		}
	}
	if change != nil {
		change(f)
	}
	var b bytes.Buffer
	if err == nil {
		err = f.Write(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Who downloaded a workbook twice, and edits that of the first time, began with that: what others changed in between
// is not theirs.
func TestAFileBeganAsTheNearestThatSomebodyHas(t *testing.T) {
	a := newDesk(t)
	first, second := book(t, [2]float64{10, 20}, "", nil), book(t, [2]float64{15, 25}, "Bob's", nil)
	a.has("spring.xlsx", first)
	a.has("spring.xlsx", second)
	if b := a.began(book(t, [2]float64{10, 22}, "", nil), "spring.xlsx", string(second)); b == nil || !b.Moved ||
		b.Sum != sumOf(first) {
		t.Errorf("an edit of the first began as %+v; want the first, which is not today's", b)
	}
	if b := a.began(book(t, [2]float64{15, 26}, "Bob's", nil), "spring.xlsx", string(second)); b == nil || b.Moved {
		t.Errorf("an edit of the second began as %+v; want the second, which is today's", b)
	}
	if b := a.began([]byte("no workbook"), "spring.xlsx", string(second)); b == nil || b.Moved {
		t.Errorf("what is no workbook began as %+v; want the newest", b)
	}
}

// So is it of text.
func TestATextBeganAsTheNearestThatSomebodyHas(t *testing.T) {
	for file, text := range map[string]string{
		"ads.csv":     "Campaign,Ad group,Ad,Title,Body,Key\nSpring,Runners,Hero,%s,%s,hero\n",
		"spring.yaml": "kind: campaign\nkey: spring\nname: %s\ndescription: %s\nad_groups: [{key: a}]\n",
	} {
		a := newDesk(t)
		first, second := fmt.Sprintf(text, "One", "Two"), fmt.Sprintf(text, "Three", "Four")
		a.has(file, []byte(first))
		a.has(file, []byte(second))
		b := a.began(fmt.Appendf(nil, text, "One", "mine"), file, second)
		if b == nil || !b.Moved || b.Sum != sumOf([]byte(first)) {
			t.Errorf("%s: an edit of the first began as %+v; want the first, which is not today's", file, b)
		}
		if b := a.began(fmt.Appendf(nil, text, "Three", "mine"), file, second); b == nil || b.Moved {
			t.Errorf("%s: an edit of the second began as %+v; want the second, which is today's", file, b)
		}
	}
}

// Each conflict is settled by its own digest: of another value there is none yet, and what stays has to be known by
// exactly what it is.
func TestAMergeIsSettled(t *testing.T) {
	a := newDesk(t)
	base := book(t, [2]float64{10, 20}, "", nil)
	a.has("spring.xlsx", base)
	today := book(t, [2]float64{12, 20}, "", nil)
	yours := book(t, [2]float64{13, 30}, "=1+1", func(f *excelize.File) { _, _ = f.NewSheet("Mine") })
	merges := func(f daemon.Dropped, today []byte) *daemon.Merge {
		t.Helper()
		f.Who, f.Content = "ann", yours
		b, err := a.Began(t.Context(), f, "spring.xlsx", sumOf(today))
		if err != nil || b == nil || !b.Moved {
			t.Fatalf("%+v, %v", b, err)
		}
		return a.Merge(t.Context(), f, b, "spring.xlsx", today)
	}
	m := merges(daemon.Dropped{}, today)
	if len(m.Clashes) != 1 || m.Settled || m.Content != nil || len(m.Took) != 2 || m.Clashes[0].Today != "12" {
		t.Fatalf("it comes to %+v", m)
	}
	settled := daemon.Dropped{Choices: map[string]string{m.Clashes[0].Digest: daemon.Todays}, Known: m.Known}
	if m := merges(settled, today); !m.Settled || m.Content == nil || m.Clashes[0].Choice != daemon.Todays {
		t.Errorf("with a choice it is %+v; want it merged", m)
	}
	if m := merges(settled, book(t, [2]float64{11, 20}, "", nil)); m.Settled || m.Content != nil {
		t.Errorf("with a choice of another value it is %+v; want it asked anew", m)
	}
	settled.Choices[m.Clashes[0].Digest] = "whatever"
	if m := merges(settled, today); m.Settled {
		t.Error("a word that is no choice settles it")
	}
	settled.Choices[m.Clashes[0].Digest] = daemon.Yours
	m = merges(settled, today)
	if !m.Settled || len(m.Took) != 3 || m.Clashes[0].Choice != daemon.Yours {
		t.Errorf("with yours it is %+v", m)
	}
	f, err := excelize.OpenReader(bytes.NewReader(m.Content))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if rows, err := f.GetRows("Campaigns"); err != nil || rows[1][2] != "13" || rows[2][2] != "30" {
		t.Errorf("it has %q, %v", rows, err)
	}
	other := settled
	other.Known = "of another"
	if m := merges(other, today); len(m.Left) > 0 && m.Settled {
		t.Error("it is settled though what stays is another than what was said to be known")
	}
}

// What cannot be read, and what began as nothing that is kept, is not merged, and says why.
func TestWhatIsNotMergedSaysWhy(t *testing.T) {
	a := newDesk(t)
	a.has("spring.csv", []byte("Campaign\nOne\n"))
	b := a.began([]byte("x"), "spring.csv", "another")
	refuses := func(what, file, content string, today []byte) {
		t.Helper()
		m := a.Merge(t.Context(), daemon.Dropped{Content: []byte(content)}, b, file, today)
		if m.Refused == "" || m.Settled || m.Content != nil {
			t.Errorf("%s is merged: %+v", what, m)
		}
	}
	refuses("a CSV file", "spring.csv", "x", []byte("y"))
	refuses("what is not there any more", "spring.xlsx", "x", nil)
	b.Bytes = 0
	refuses("what is not kept", "spring.xlsx", "x", []byte("y"))
	a.has("spring.xlsx", book(t, [2]float64{1, 2}, "", nil))
	b = a.began([]byte("x"), "spring.xlsx", "another")
	today := book(t, [2]float64{1, 3}, "", nil)
	refuses("what is damaged", "spring.xlsx", "PK", today)
	if err := a.Kept.Store.Delete("downloads/" + b.Sum); err != nil {
		t.Fatal(err)
	}
	refuses("what began as what cannot be read", "spring.xlsx", string(today), today)
}
