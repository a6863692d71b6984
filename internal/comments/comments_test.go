package comments

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/state/kv"
)

func kept(t *testing.T) Kept { return Kept{kv.Folder{Dir: t.TempDir()}} }

func TestOnlyWhoWroteACommentTakesItAway(t *testing.T) {
	k := kept(t)
	anna, err := k.Add(Comment{By: "anna", Address: "campaign/x", Text: "why so much?"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Add(Comment{By: "ben", Run: "run-000007", Text: "the sale"}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		id, by string
		want   error
	}{{anna.ID, "ben", ErrTheir}, {anna.ID, "", ErrTheir}, {"none", "anna", ErrNone}, {"", "anna", ErrNone},
		{anna.ID, "anna", nil}, {anna.ID, "anna", ErrNone}} {
		if err := k.Delete(row.id, row.by); !errors.Is(err, row.want) {
			t.Errorf("%q by %q: %v; want %v", row.id, row.by, err, row.want)
		}
	}
	if all, err := k.All(); err != nil || len(all) != 1 || all[0].By != "ben" {
		t.Errorf("%+v, %v; want ben's", all, err)
	}
}

func TestATextIsPlainAndBounded(t *testing.T) {
	for _, row := range []struct{ written, want, wrong string }{
		{"  why?\r\n\r\nreally  \n", "why?\n\nreally", ""},
		{"a\x1b[2Jb\u202ec", `a\x1b[2Jb\u202ec`, ""},
		{"<b>&amp;\tx", "<b>&amp;    x", ""},
		{" \n \t ", "", "the comment is empty"},
		{strings.Repeat("ß", 2000), strings.Repeat("ß", 2000), ""},
		{strings.Repeat("x", 2001), "", "2001 characters; want at most 2000"},
	} {
		text, err := Text(row.written)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if text != row.want || (said == "") != (row.wrong == "") || !strings.Contains(said, row.wrong) {
			t.Errorf("%.20q is %q, %q; want %.20q, %q", row.written, text, said, row.want, row.wrong)
		}
	}
}

func TestCommentsAreBoundedAndForgotten(t *testing.T) {
	k := kept(t)
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	var lines strings.Builder
	for i := range most - 1 {
		fmt.Fprintf(&lines, `{"id":"x","time":"2026-11-01T00:00:00Z","by":"p%d","text":"t"}`+"\n", i/ofOne)
	}
	if err := k.Put(name, []byte(lines.String())); err != nil {
		t.Fatal(err)
	}
	last, err := k.Add(Comment{By: "ben", Time: noon, Text: "the last"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Add(Comment{By: "ben", Time: noon, Text: "too many"}); !errors.Is(err, ErrFull) {
		t.Errorf("%v; want %v", err, ErrFull)
	}
	if err := k.Delete(last.ID, "ben"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Add(Comment{By: "p0", Time: noon, Text: "too many of one"}); !errors.Is(err, ErrFull) {
		t.Errorf("%v; want %v", err, ErrFull)
	}
	if _, err := k.Add(Comment{By: "ben", Time: noon, Text: "the last"}); err != nil {
		t.Fatal(err)
	}
	if gone, err := k.Forget(noon.Add(-time.Hour)); gone != most-1 || err != nil {
		t.Errorf("%d are gone, %v; want all but one", gone, err)
	}
	if all, _ := k.All(); len(all) != 1 || all[0].Text != "the last" {
		t.Errorf("left are %+v", all)
	}
}

// Who comments at the same time as others loses none of theirs.
func TestManyCommentAtOnce(t *testing.T) {
	k := kept(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := k.Add(Comment{By: "anna", Text: "t"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := k.All(); err != nil || len(got) != 20 {
		t.Errorf("%d comments, %v; want 20", len(got), err)
	}
}
