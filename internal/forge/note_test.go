package forge_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"adsync/internal/forge"
	_ "adsync/internal/testing/drawn"
	"adsync/internal/testing/forgetest"
	"adsync/internal/testing/githubtest"

	"pgregory.net/rapid"
)

// annotated is a forge with pull request 7, on which somebody writes at lines.
type annotated struct {
	forge.Repository
	push   func(head, diff string)
	refuse func(func(http.ResponseWriter, *http.Request) bool)
	write  func(by, path string, line int, body string)
	// stands is what stands at lines that the head shows, sorted, such as "ann a.yaml:2 Hello".
	stands func() []string
}

func (a *annotated) annotate(t testing.TB, head string, notes ...forge.Note) {
	t.Helper()
	if err := a.Annotate(t.Context(), forge.Pull{Number: 7, Head: head}, noteMark, notes); err != nil {
		t.Fatal(err)
	}
}

const noteMark = "<!-- adsync:note:shop -->"

var annotators = []struct {
	name  string
	start func(t testing.TB) *annotated
}{
	{"GitHub", func(t testing.TB) *annotated {
		s := githubtest.Start(t)
		g, err := forge.NewGitHub(forge.Where{Repository: "acme/ads", API: s.URL, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		return &annotated{
			Repository: g,
			push: func(head, diff string) {
				s.Set(githubtest.Pull{Number: 7, Head: head, Base: "main", Author: "ann"})
				s.DiffOf = func(int) string { return diff }
			},
			refuse: func(f func(http.ResponseWriter, *http.Request) bool) { s.Refuse = f },
			write: func(by, path string, line int, body string) {
				s.Note(githubtest.Note{Pull: 7, By: by, Path: path, Line: line, Body: body})
			},
			stands: func() (all []string) {
				for _, n := range s.Notes(7) {
					all = append(all, fmt.Sprintf("%s %s:%d %s", n.By, n.Path, n.Line, n.Body))
				}
				return all
			},
		}
	}},
	{"GitLab", func(t testing.TB) *annotated { return otherAnnotated(t, others[0]) }},
	{"Gitea", func(t testing.TB) *annotated { return otherAnnotated(t, others[1]) }},
}

func otherAnnotated(t testing.TB, o other) *annotated {
	s := o.start(t)
	r, err := o.open(forge.Where{Repository: o.repository, API: s.URL, Token: otherToken})
	if err != nil {
		t.Fatal(err)
	}
	head := ""
	return &annotated{
		Repository: r,
		push: func(to, diff string) {
			head = to
			s.Set(forgetest.Pull{Number: 7, Head: head, Base: "main", Branch: "raise", Author: "ann"})
			s.DiffOf = func(int) string { return diff }
		},
		refuse: func(f func(http.ResponseWriter, *http.Request) bool) { s.Refuse = f },
		write: func(by, path string, line int, body string) {
			review := 0
			for _, n := range s.Notes(7) { // on Gitea, who answers at a line does so in the review there
				if n.Path == path && n.Line == line {
					review = n.Review
				}
			}
			s.Note(forgetest.Note{Pull: 7, By: by, Path: path, Line: line, Body: body, Review: review, Commit: head})
		},
		stands: func() (all []string) {
			for _, n := range s.Notes(7) {
				if n.Commit != head && n.By == forgetest.User {
					n.Line = 0
				}
				all = append(all, fmt.Sprintf("%s %s:%d %s", n.By, n.Path, n.Line, n.Body))
			}
			return all
		},
	}
}

// onAnnotators runs a test on each forge, with a head whose diff shows lines 2 to 5 and 21 to 23 of one file.
func onAnnotators(t *testing.T, test func(*testing.T, *annotated)) {
	for _, f := range annotators {
		t.Run(f.name, func(t *testing.T) {
			a := f.start(t)
			a.push(commitA, diffA)
			test(t, a)
		})
	}
}

const diffA = `diff --git a/shop/spring.yaml b/shop/spring.yaml
index 1111111..2222222 100644
--- a/shop/spring.yaml
+++ b/shop/spring.yaml
@@ -2,3 +2,4 @@ kind: campaign
 two
-three
+drei
+neu
 four
@@ -20 +21,3 @@ ads:
 twenty
+-- a line
+++ another
\ No newline at end of file
`

// diffB shows line 2 as a new one, and line 4 as that which was the third.
const diffB = `diff --git a/shop/spring.yaml b/shop/spring.yaml
index 1111111..3333333 100644
--- a/shop/spring.yaml
+++ b/shop/spring.yaml
@@ -1,3 +1,4 @@
 one
+two
 three
 four
`

func at(line int, text string) forge.Note {
	return forge.Note{Path: "shop/spring.yaml", Line: line, Text: text}
}

// own is a note of adsync as it stands.
func own(line int, text string) string {
	return fmt.Sprintf("adsync shop/spring.yaml:%d %s\n%s", line, noteMark, text)
}

// What stands at lines after some was said, and some else then.
func TestNotesAreReplaced(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(*testing.T, *annotated)
		want []string
	}{
		{"at lines that are new, and that are not", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(2, "two"), at(3, "drei"), at(5, "four"), at(23, "last"))
		}, []string{own(2, "two"), own(3, "drei"), own(5, "four"), own(23, "last")}},
		{"at lines that the diff does not show", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(1, "one"), at(6, "six"), at(20, "x"), at(24, "y"), at(0, "none"),
				forge.Note{Path: "other.yaml", Line: 3, Text: "other"}, at(4, "neu"))
		}, []string{own(4, "neu")}},
		{"said twice", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(3, "drei"))
			a.annotate(t, commitA, at(3, "drei"))
		}, []string{own(3, "drei")}},
		{"one more", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(3, "drei"))
			a.annotate(t, commitA, at(3, "drei"), at(4, "neu"))
		}, []string{own(3, "drei"), own(4, "neu")}},
		{"another text", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(3, "drei"))
			a.annotate(t, commitA, at(3, "vier"))
		}, []string{own(3, "vier")}},
		{"none any more", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(3, "drei"), at(4, "neu"))
			a.annotate(t, commitA)
		}, nil},
		{"a push that moves it", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(4, "four"))
			a.push(commitB, diffB)
			a.annotate(t, commitB, at(2, "four"))
		}, []string{own(2, "four")}},
		{"a push, and the same line", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(4, "four"))
			a.push(commitB, diffB)
			a.annotate(t, commitB, at(4, "four"))
		}, []string{own(4, "four")}},
		{"somebody else's, with the same mark", func(t *testing.T, a *annotated) {
			a.write("ann", "shop/spring.yaml", 3, noteMark+"\nmine")
			a.annotate(t, commitA, at(4, "neu"))
			a.annotate(t, commitA)
		}, []string{"ann shop/spring.yaml:3 " + noteMark + "\nmine"}},
		{"another account's", func(t *testing.T, a *annotated) {
			if err := a.Annotate(t.Context(), forge.Pull{Number: 7, Head: commitA}, "<!-- adsync:note:toys -->",
				[]forge.Note{at(3, "toys")}); err != nil {
				t.Fatal(err)
			}
			a.annotate(t, commitA, at(3, "drei"))
			a.annotate(t, commitA)
		}, []string{"adsync shop/spring.yaml:3 <!-- adsync:note:toys -->\ntoys"}},
		{"somebody answers", func(t *testing.T, a *annotated) {
			a.annotate(t, commitA, at(3, "drei"))
			a.write("ann", "shop/spring.yaml", 3, "Why?")
			a.annotate(t, commitA)
		}, []string{"ann shop/spring.yaml:3 Why?"}},
		{"more than a pull request bears", func(t *testing.T, a *annotated) {
			var diff strings.Builder
			diff.WriteString("diff --git a/x.yaml b/x.yaml\n--- /dev/null\n+++ b/x.yaml\n@@ -0,0 +1,60 @@\n")
			var notes []forge.Note
			for i := range 60 {
				fmt.Fprintf(&diff, "+%d\n", i)
				notes = append(notes, forge.Note{Path: "x.yaml", Line: i + 1, Text: "x"})
			}
			a.push(commitB, diff.String())
			a.annotate(t, commitB, notes...)
			if all := a.stands(); len(all) != 50 {
				t.Errorf("%d notes stand; want 50", len(all))
			}
			a.annotate(t, commitB)
		}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			onAnnotators(t, func(t *testing.T, a *annotated) {
				row.do(t, a)
				got := a.stands()
				slices.Sort(got)
				slices.Sort(row.want)
				if !slices.Equal(got, row.want) {
					t.Errorf("there stands %q; want %q", got, row.want)
				}
			})
		})
	}
}

// Whatever was said before, and wherever that was cut off, what is said last stands alone.
func TestNotesThatWereCutOff(t *testing.T) {
	for _, f := range annotators {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				a := f.start(t)
				a.push(commitA, diffA)
				a.write("ann", "shop/spring.yaml", 3, "Hello")
				head, lines := commitA, []int{2, 3, 4, 5, 21, 22, 23}
				var notes []forge.Note
				for range rapid.IntRange(1, 6).Draw(rt, "times") {
					if rapid.Bool().Draw(rt, "pushed") {
						if head, lines = commitB, []int{1, 2, 3, 4}; rapid.Bool().Draw(rt, "back") {
							head, lines = commitA, []int{2, 3, 4, 5, 21, 22, 23}
						}
						a.push(head, map[string]string{commitA: diffA, commitB: diffB}[head])
					}
					notes = nil
					for _, line := range rapid.SliceOfDistinct(rapid.SampledFrom(lines), func(l int) int { return l }).
						Draw(rt, "lines") {
						notes = append(notes, at(line, rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "text")))
					}
					left := rapid.IntRange(0, 8).Draw(rt, "requests before it is cut off")
					a.refuse(func(w http.ResponseWriter, _ *http.Request) bool {
						if left--; left >= 0 {
							return false
						}
						w.WriteHeader(http.StatusBadGateway)
						return true
					})
					_ = a.Annotate(t.Context(), forge.Pull{Number: 7, Head: head}, noteMark, notes)
				}
				a.refuse(nil)
				a.annotate(t, head, notes...)
				want := []string{"ann shop/spring.yaml:3 Hello"}
				for _, n := range notes {
					want = append(want, own(n.Line, n.Text))
				}
				got := slices.DeleteFunc(a.stands(), func(s string) bool { return strings.HasPrefix(s, "ann ") })
				got = append(got, want[0])
				slices.Sort(got)
				if slices.Sort(want); !slices.Equal(got, want) {
					rt.Fatalf("there stands %q; want %q", got, want)
				}
			})
		})
	}
}

// A forge that refuses says so once and for all; one that is away is asked again.
func TestNotesThatAreRefused(t *testing.T) {
	for _, row := range []struct {
		code int
		want bool
	}{{http.StatusForbidden, true}, {http.StatusUnprocessableEntity, true}, {http.StatusBadGateway, false}} {
		onAnnotators(t, func(t *testing.T, a *annotated) {
			a.refuse(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet {
					w.WriteHeader(row.code)
				}
				return r.Method != http.MethodGet
			})
			err := a.Annotate(t.Context(), forge.Pull{Number: 7, Head: commitA}, noteMark, []forge.Note{at(3, "drei")})
			if got := errors.Is(err, forge.ErrRefused); err == nil || got != row.want {
				t.Errorf("%d: %v, refused: %t; want %t", row.code, err, got, row.want)
			}
		})
	}
}
