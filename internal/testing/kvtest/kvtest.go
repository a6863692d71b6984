// Package kvtest holds every implementation of kv.Store to the same: tests of a folder and of a database call it.
//
// It refuses to know how contents are kept. Its invariant: each part begins with a store in which nothing is.
package kvtest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/state/kv"
)

// Conforms runs the suite. Each part asks for a store of its own, in which nothing is kept yet.
func Conforms(t *testing.T, empty func(t *testing.T) kv.Store) {
	for _, part := range []struct {
		name  string
		holds func(t *testing.T, s kv.Store)
	}{
		{"nothing is there", nothing},
		{"a content of any bytes", anyBytes},
		{"a content over what is asked for", tooLarge},
		{"a name of any sort", anyName},
		{"no name", noName},
		{"names in order", names},
		{"what is deleted", deleted},
		{"a secret is the first one", secret},
		{"a secret that many make", raced},
		{"lines in order", lines},
		{"lines of many", manyLines},
		{"a content that many replace", replaced},
		{"a content that is rewritten", rewritten},
		{"a line that many put there once", once},
		{"a line beside a rewrite", beside},
	} {
		t.Run(part.name, func(t *testing.T) { part.holds(t, empty(t)) })
	}
}

func nothing(t *testing.T, s kv.Store) {
	if _, err := s.Get("a", kv.Most); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get = %v; want fs.ErrNotExist", err)
	}
	if _, err := s.Get("a/b/c", kv.Most); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get below nothing = %v; want fs.ErrNotExist", err)
	}
	if _, err := s.Secret("a", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Secret = %v; want fs.ErrNotExist", err)
	}
	if some, err := kv.Lines[int](s, "a"); err != nil || len(some) > 0 {
		t.Errorf("Lines = %v, %v; want none", some, err)
	}
	if some, err := s.Names(""); err != nil || len(some) > 0 {
		t.Errorf("Names = %q, %v; want none", some, err)
	}
	ok(t, s.Rewrite("a", func(content []byte) []byte {
		if content != nil {
			t.Errorf("Rewrite gives %q; want nil, as there is nothing", content)
		}
		return nil
	}))
	if _, err := s.Get("a", kv.Most); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get = %v after nothing was put in the place of nothing; want fs.ErrNotExist", err)
	}
	ok(t, s.Delete("a"))
	ok(t, s.Delete("a/"))
	if s.Where("a") == "" || s.Where("a") == s.Where("b") {
		t.Errorf("Where = %q of a, %q of b", s.Where("a"), s.Where("b"))
	}
}

func anyBytes(t *testing.T, s kv.Store) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, content := range map[string][]byte{
		"empty": {}, "zero": {0}, "no end of line": []byte("a\nb"), "no UTF-8": {0xff, 0xfe, 'a', 0xc3},
		"every byte": every, "large": bytes.Repeat(every, 20_000),
	} {
		ok(t, s.Put("content", content))
		if have, err := s.Get("content", kv.Most); err != nil || !bytes.Equal(have, content) {
			t.Errorf("%s: Get = %d bytes, %v; want %d", name, len(have), err, len(content))
		}
	}
}

func tooLarge(t *testing.T, s kv.Store) {
	ok(t, s.Put("a", []byte("1234")))
	if have, err := s.Get("a", 4); err != nil || string(have) != "1234" {
		t.Errorf("Get of 4 at most = %q, %v", have, err)
	}
	have, err := s.Get("a", 3)
	if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), s.Where("a")) {
		t.Errorf("Get of 3 at most = %q, %v; want an error that says where it is", have, err)
	}
}

func anyName(t *testing.T, s kv.Store) {
	odd := []string{
		"STOP", "a.b.json", "with a space", "Größe/日本語/😀", "per%cent", "under_score", "star*", "back\\slash",
		"new\nline", "quote'\"", "-dash", "deep/in/many/folders/of/it", strings.Repeat("long", 50),
	}
	for _, name := range odd {
		ok(t, s.Put(name, []byte(name)))
	}
	for _, name := range odd {
		if have, err := s.Get(name, kv.Most); err != nil || string(have) != name {
			t.Errorf("Get(%q) = %q, %v", name, have, err)
		}
		if some, err := s.Names(name); err != nil || !slices.Equal(some, []string{name}) {
			t.Errorf("Names(%q) = %q, %v; want it alone", name, some, err)
		}
	}
	for _, name := range odd {
		ok(t, s.Delete(name))
	}
	if some, err := s.Names(""); err != nil || len(some) > 0 {
		t.Errorf("Names = %q, %v; want none", some, err)
	}
}

func noName(t *testing.T, s kv.Store) {
	for _, name := range []string{"", ".", "..", "/", "/a", "a//b", "a/../b", "../a", "a/", ".a", "a/.b", "\xff"} {
		_, got := s.Get(name, kv.Most)
		_, secret := s.Secret(name, []byte("a"))
		for call, err := range map[string]error{
			"Get": got, "Put": s.Put(name, []byte("a")), "Secret": secret, "Append": s.Append(name, []byte("a")),
			"Rewrite": s.Rewrite(name, func(b []byte) []byte { return b }),
		} {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s(%q) = %v; want it refused", call, name, err)
			}
		}
		if err := s.Delete(name); err == nil && name != "a/" {
			t.Errorf("Delete(%q) is done; want it refused", name)
		}
	}
}

func names(t *testing.T, s kv.Store) {
	for _, name := range []string{"ask-2.json", "b/z", "a-b", "b/ä", "ask-1.json", "b/a", "ab", "Ä"} {
		ok(t, s.Put(name, nil))
	}
	for prefix, want := range map[string][]string{
		"":     {"a-b", "ab", "ask-1.json", "ask-2.json", "b/a", "b/z", "b/ä", "Ä"},
		"a":    {"a-b", "ab", "ask-1.json", "ask-2.json"},
		"ask-": {"ask-1.json", "ask-2.json"},
		"b":    {"b/a", "b/z", "b/ä"},
		"b/":   {"b/a", "b/z", "b/ä"},
		"b/z":  {"b/z"},
		"b/zz": nil,
		"c/":   nil,
		"a%":   nil,
		"a_":   nil,
	} {
		if have, err := s.Names(prefix); err != nil || !slices.Equal(have, want) {
			t.Errorf("Names(%q) = %q, %v; want %q", prefix, have, err, want)
		}
	}
}

func deleted(t *testing.T, s kv.Store) {
	for _, name := range []string{"runs/1/a", "runs/1/b/c", "runs/10/a", "runs/2/a", "runs_1"} {
		ok(t, s.Put(name, []byte("a")))
	}
	for _, tc := range []struct {
		name string
		want []string
	}{
		{"runs/1/a", []string{"runs/1/b/c", "runs/10/a", "runs/2/a", "runs_1"}},
		{"runs/1/a", []string{"runs/1/b/c", "runs/10/a", "runs/2/a", "runs_1"}},
		{"runs/1/", []string{"runs/10/a", "runs/2/a", "runs_1"}},
		{"runs/", []string{"runs_1"}},
	} {
		ok(t, s.Delete(tc.name))
		if have, err := s.Names(""); err != nil || !slices.Equal(have, tc.want) {
			t.Errorf("after Delete(%q) there is %q, %v; want %q", tc.name, have, err, tc.want)
		}
	}
	if _, err := s.Get("runs/2/a", kv.Most); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of what was deleted = %v; want fs.ErrNotExist", err)
	}
}

func secret(t *testing.T, s kv.Store) {
	for range 2 {
		if have, err := s.Secret("key", []byte("first")); err != nil || string(have) != "first" {
			t.Errorf("Secret = %q, %v; want the first", have, err)
		}
	}
	for _, fresh := range [][]byte{[]byte("second"), nil} {
		if have, err := s.Secret("key", fresh); err != nil || string(have) != "first" {
			t.Errorf("Secret(%q) = %q, %v; want the first", fresh, have, err)
		}
	}
}

func raced(t *testing.T, s kv.Store) {
	var all [16][]byte
	at(len(all), func(i int) { all[i], _ = s.Secret("key", fmt.Appendf(nil, "key %d", i)) })
	for _, one := range all {
		if len(one) == 0 || !bytes.Equal(one, all[0]) {
			t.Errorf("two that make it have %q and %q", one, all[0])
		}
	}
	if some, err := s.Names(""); err != nil || len(some) != 1 {
		t.Errorf("Names = %q, %v; want the secret alone", some, err)
	}
}

func lines(t *testing.T, s kv.Store) {
	for i := range 3 {
		ok(t, kv.AppendJSON(s, "log/lines", i))
	}
	if have, err := s.Get("log/lines", kv.Most); err != nil || string(have) != "0\n1\n2\n" {
		t.Errorf("Get = %q, %v; want three lines", have, err)
	}
	if err := s.Append("log/lines", []byte("3\n4")); err == nil {
		t.Error("Append takes two lines as one")
	}
	ok(t, s.Put("log/lines", []byte("5\nno JSON\n{\"a\":")))
	ok(t, kv.AppendJSON(s, "log/lines", 6))
	if have, err := kv.Lines[int](s, "log/lines"); err != nil || !slices.Equal(have, []int{5, 6}) {
		t.Errorf("Lines after one that was cut off = %v, %v; want 5 and 6", have, err)
	}
}

func manyLines(t *testing.T, s kv.Store) {
	const writers, each = 8, 10
	at(writers, func(w int) {
		for i := range each {
			ok(t, kv.AppendJSON(s, "lines", w*each+i))
		}
	})
	all, err := kv.Lines[int](s, "lines")
	ok(t, err)
	next := [writers]int{}
	for _, one := range all {
		if w := one / each; one%each != next[w] {
			t.Fatalf("line %d of writer %d comes where line %d is due", one%each, w, next[w])
		}
		next[one/each]++
	}
	if len(all) != writers*each {
		t.Errorf("%d lines; want %d", len(all), writers*each)
	}
}

func replaced(t *testing.T, s kv.Store) {
	whole := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 1000+i) }
	at(8, func(i int) {
		for range 5 {
			ok(t, s.Put("a", whole(i)))
			have, err := s.Get("a", kv.Most)
			if err != nil || len(have) == 0 || !bytes.Equal(have, whole(int(have[0]-'a'))) {
				t.Errorf("Get = %d bytes, %v; want a content as somebody put it", len(have), err)
			}
		}
	})
}

func rewritten(t *testing.T, s kv.Store) {
	ok(t, s.Rewrite("a", func([]byte) []byte { return []byte("1\n2\n") }))
	for _, tc := range []struct {
		name          string
		becomes, want []byte
	}{
		{"as it is", nil, []byte("1\n2\n")},
		{"without a line", []byte("2\n"), []byte("2\n")},
		{"without all", []byte{}, []byte{}},
	} {
		ok(t, s.Rewrite("a", func([]byte) []byte { return tc.becomes }))
		if have, err := s.Get("a", kv.Most); err != nil || !bytes.Equal(have, tc.want) {
			t.Errorf("%s: Get = %q, %v; want %q", tc.name, have, err, tc.want)
		}
	}
}

// once has many put the same line where it is not: it is there once.
func once(t *testing.T, s kv.Store) {
	at(8, func(int) {
		ok(t, s.Rewrite("once", func(content []byte) []byte {
			if bytes.Contains(content, []byte("the line\n")) {
				return nil
			}
			return append(bytes.Clone(content), "the line\n"...)
		}))
	})
	if content, err := s.Get("once", kv.Most); err != nil || string(content) != "the line\n" {
		t.Errorf("Get = %q, %v; want the line once", content, err)
	}
}

// beside appends lines while what is there is rewritten: each line is marked once, and none is lost.
func beside(t *testing.T, s kv.Store) {
	const writers, each = 4, 15
	ok(t, s.Append("lines", []byte("-")))
	mark := func(content []byte) []byte { return bytes.ReplaceAll(content, []byte("-"), []byte("+")) }
	at(writers+2, func(w int) {
		for i := range each {
			if w < writers {
				ok(t, s.Append("lines", fmt.Appendf(nil, "-%d", w*each+i)))
			} else {
				ok(t, s.Rewrite("lines", mark))
			}
		}
	})
	ok(t, s.Rewrite("lines", mark))
	content, err := s.Get("lines", kv.Most)
	ok(t, err)
	have := strings.Fields(string(content))
	for i := range writers * each {
		if line := fmt.Sprintf("+%d", i); !slices.Contains(have, line) {
			t.Errorf("line %s is lost", line)
		}
	}
	if len(have) != writers*each+1 {
		t.Errorf("%d lines; want %d", len(have), writers*each+1)
	}
}

// at does something so often at once.
func at(times int, do func(i int)) {
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
