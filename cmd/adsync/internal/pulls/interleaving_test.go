package pulls

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/forge"
	_ "adsync/internal/testing/drawn"
	"adsync/plan"
	"adsync/state/kv"

	"pgregory.net/rapid"
)

// world is an account of a few amounts, a branch, two pull requests, and people and a daemon who do not wait for each
// other: before each request of the daemon somebody may do something, and at each the daemon may die. It knows what
// each yes was given to from the comment that stood at the forge, and from nothing that the desk keeps.
type world struct {
	forge.Repository // nil: nothing else is asked of it

	t     *rapid.T
	kept  kv.Store
	desk  *Desk
	calm  bool // nobody does anything by himself, and nothing dies
	now   time.Time
	moves int

	live, branch map[string]int
	serial       int64
	used         map[string]int64 // serial of the state by part
	pulls        map[int]*request
	given        []daemon.Approval
	heads        int
	applied      int

	judged map[string]forge.Verdict          // the last of each commit
	keeps  func(name string, content []byte) // is told of what was put, nil of what was deleted; nil: nobody is
	begins func()                            // has a new process go on with what is kept
}

type request struct {
	forge.Pull
	files    map[string]int // what its head changes
	comment  string         // at the forge; "" is none
	comments int            // that were made
	changed  time.Time      // when the comment was edited last
	genuine  string         // what it said before somebody forged it
	shownOf  string         // the head that the last plan in the comment is of
	said     []*said
	talk     forge.Talk
	heard    int // when its talk was read last
}

// said is a yes as the world knows it.
type said struct {
	id     string
	sees   map[string]bool // parts in the comment that it was given to
	until  int             // when it was taken back; 0 is never
	review bool
	at     int // index among reviews or comments
}

type killed struct{}

func newWorld(t *rapid.T, kept kv.Store) *world {
	w := &world{
		t: t, kept: kept, now: time.Unix(1e9, 0), live: map[string]int{}, branch: map[string]int{},
		used: map[string]int64{}, pulls: map[int]*request{}, serial: 1, judged: map[string]forge.Verdict{},
	}
	w.begins = w.begin
	for _, name := range []string{"a", "b", "c"} {
		w.live[name], w.branch[name] = 1, 1
	}
	for _, number := range []int{7, 8} {
		w.pulls[number] = &request{Pull: forge.Pull{Number: number, Author: "ann", Branch: "main"}}
		w.push(w.pulls[number])
	}
	w.begin()
	return w
}

// begin has a new process go on with what is kept.
func (w *world) begin() {
	w.desk = &Desk{
		Forge: w, Kept: dying{w.kept, w}, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now },
		Rules:   Rules{Approvers: []Approver{{Name: "bob"}}, Lasts: 14 * 24 * time.Hour},
		At:      func() (string, string, bool) { return "main", fmt.Sprint(w.branch, w.live, w.serial), true },
		Plan:    w.plan,
		Approve: w.approve,
		Result:  func(context.Context, Merge) (string, bool, error) { return mark + "\nmerged", false, nil },
		Wake:    func() {},
	}
}

const mark = "<!-- mark -->"

// between is where somebody may be faster, or the daemon die.
func (w *world) between() {
	if w.calm {
		return
	}
	if rapid.IntRange(0, 5).Draw(w.t, "somebody is faster") == 0 {
		w.somebody()
	}
	if rapid.IntRange(0, 60).Draw(w.t, "dies") == 0 {
		panic(killed{})
	}
}

// parts are what a plan of a pull request holds, as the comment says it.
func (w *world) parts(files map[string]int) (parts []plan.Part) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] != w.live[name] {
			parts = append(parts, plan.Part{
				Field: name, After: fmt.Sprint(files[name]), Before: fmt.Sprint(w.live[name]),
			})
		}
	}
	return parts
}

func wordOf(p plan.Part) string { return p.Field + ":" + p.Before + ">" + p.After }

func (w *world) plan(_ context.Context, p forge.Pull) (*Answer, error) {
	of := w.pulls[p.Number]
	if of.Head != p.Head {
		return nil, errLater
	}
	a := &Answer{Touches: true, Verdict: forge.Verdict{State: forge.Waits}, Asked: Asked{Serial: w.serial}}
	text := mark + "\nhead=" + p.Head
	if parts := w.parts(of.files); len(parts) > 0 {
		ask := plan.Ask{Hazard: plan.Exposure, Parts: parts}
		ask.Item = ask.Digest()
		a.Asked.Asks, a.Asked.Digest = []plan.Ask{ask}, plan.DigestOfTexts(fmt.Sprint(p.Number), ask.Item)
		for _, part := range parts {
			text += " " + wordOf(part)
		}
	}
	a.Text = text + "\n"
	return a, nil
}

func (w *world) approve(a daemon.Approval) error {
	if !slices.ContainsFunc(w.given, func(b daemon.Approval) bool { return a.By == b.By && a.Digest() == b.Digest() }) {
		w.given = append(w.given, a)
	}
	return nil
}

// run is a run of the account: it applies what the files say and somebody agreed to.
func (w *world) run() {
	w.desk.Settle(context.Background())
	for _, name := range slices.Sorted(maps.Keys(w.branch)) {
		for _, p := range w.parts(map[string]int{name: w.branch[name]}) {
			if w.agreed(p) {
				w.judge(p)
				w.applied++
				w.serial++
				w.used[p.Key(plan.Exposure)], w.live[name] = w.serial, w.branch[name]
			}
		}
	}
}

// agreed reports whether an approval of the account covers a part, and was not used.
func (w *world) agreed(p plan.Part) bool {
	for _, a := range w.given {
		for _, ask := range a.Asks {
			if slices.Contains(ask.Parts, p) && w.used[p.Key(plan.Exposure)] <= a.Serial {
				return true
			}
		}
	}
	return false
}

// judge holds what is applied against what people said: there was a yes to it on a pull request that is merged, and it
// stood when it was asked for last.
func (w *world) judge(p plan.Part) {
	for _, of := range w.pulls {
		for _, s := range of.said {
			if of.Merged != "" && s.sees[wordOf(p)] && (s.until == 0 || s.until > of.heard) {
				return
			}
		}
	}
	w.t.Fatalf("%s is applied, and nobody agreed to it", wordOf(p))
}

// somebody does something at the forge or at the service.
func (w *world) somebody() {
	w.moves++
	w.now = w.now.Add(time.Second)
	of := w.pulls[rapid.IntRange(7, 8).Draw(w.t, "of pull request")]
	switch what := rapid.IntRange(0, 10).Draw(w.t, "does"); {
	case what == 0:
		w.live[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(w.t, "name")] = w.amount()
	case of.Closed:
	case what == 1:
		w.push(of)
	case what == 2:
		w.merge(of)
	case what == 3:
		w.takesBack(of)
	case what == 4:
		w.says(of, "eve", true)
	case what == 10:
		w.forges(of)
	default:
		w.says(of, "bob", what%2 == 0)
	}
	of.Updated = w.now
}

func (w *world) amount() int { return rapid.IntRange(1, 3).Draw(w.t, "amount") }

func (w *world) push(of *request) {
	w.heads++
	of.Head, of.files = fmt.Sprint("h", w.heads), map[string]int{}
	for _, name := range []string{"a", "b", "c"} {
		if rapid.Bool().Draw(w.t, name) {
			of.files[name] = w.amount()
		}
	}
}

// forges has somebody who may edit adsync's comment have it show other amounts, or take it away, or put it right again.
func (w *world) forges(of *request) {
	if of.changed = w.now; of.genuine != "" {
		of.comment, of.genuine = of.genuine, ""
		return
	}
	if of.genuine = of.comment; rapid.IntRange(0, 3).Draw(w.t, "deletes") == 0 {
		of.comment = ""
	}
	of.comment = amount.ReplaceAllString(of.comment, fmt.Sprint(">", w.amount()))
}

var amount = regexp.MustCompile(">[0-9]")

func (w *world) merge(of *request) {
	maps.Copy(w.branch, of.files)
	of.Closed, of.Merged = true, "m-"+of.Head
}

// says has somebody say yes to what the comment shows, by a review of the head or by its digest.
func (w *world) says(of *request, by string, review bool) {
	s := &said{sees: map[string]bool{}, review: review}
	head := ""
	for word := range strings.FieldsSeq(of.comment) {
		if h, is := strings.CutPrefix(word, "head="); is {
			head = h
		} else if strings.Contains(word, ">") && strings.Contains(word, ":") {
			s.sees[word] = true
		}
	}
	if review {
		if head != of.Head { // they look at files whose plan is not shown
			s.sees = nil
		}
		s.at, s.id = len(of.talk.Reviews), fmt.Sprint("r", w.moves)
		of.talk.Reviews = append(slices.Clone(of.talk.Reviews),
			forge.Review{ID: s.id, By: by, Opinion: forge.Approves, Commit: of.Head, At: w.now})
	} else {
		_, after, _ := strings.Cut(of.comment, "adsync approve ")
		digest, _, _ := strings.Cut(after, "`")
		s.at, s.id = len(of.talk.Comments), fmt.Sprint("c", w.moves)
		of.talk.Comments = append(slices.Clone(of.talk.Comments),
			forge.Comment{ID: s.id, By: by, Text: "adsync approve " + digest, At: w.now})
	}
	if by == "bob" {
		of.said = append(of.said, s)
	}
}

// takesBack has a review dismissed, or a comment edited.
func (w *world) takesBack(of *request) {
	if len(of.said) == 0 {
		return
	}
	s := rapid.SampledFrom(of.said).Draw(w.t, "takes back")
	if s.until > 0 {
		return
	}
	if s.until = w.moves; s.review {
		of.talk.Reviews = slices.Clone(of.talk.Reviews)
		of.talk.Reviews[s.at].Opinion = forge.Dismissed
		return
	}
	of.talk.Comments = slices.Clone(of.talk.Comments)
	of.talk.Comments[s.at].Edited = true
}

// The forge.

func (w *world) Open(context.Context, string) (open []forge.Pull, err error) {
	w.between()
	for _, number := range []int{7, 8} {
		if of := w.pulls[number]; !of.Closed {
			open = append(open, of.Pull)
		}
	}
	return open, nil
}

func (w *world) Find(_ context.Context, number int) (forge.Pull, error) {
	w.between()
	return w.pulls[number].Pull, nil
}

func (w *world) Annotate(context.Context, forge.Pull, string, []forge.Note) error {
	w.between()
	return nil
}

func (w *world) Consents() (reviews, comments bool) { return true, true }

func (w *world) Talk(_ context.Context, p forge.Pull) (forge.Talk, error) {
	w.between()
	of := w.pulls[p.Number]
	of.heard = w.moves
	talk := of.talk
	if of.comment != "" {
		talk.Comments = append(slices.Clone(talk.Comments),
			forge.Comment{ID: "own", Text: of.comment, Changed: of.changed})
	}
	return talk, nil
}

func (w *world) Authors(context.Context, forge.Pull) ([]string, error) {
	w.between()
	return []string{"ann"}, nil
}

func (w *world) Tree(string, string) string { return "" }

func (w *world) InTeam(context.Context, string, string) (bool, error) {
	return false, errors.New("there is no team")
}

// Say replaces the one comment. Of what people agreed to by then stays what a plan of a later head holds, too.
func (w *world) Say(_ context.Context, number int, id, text string) (forge.Said, error) {
	w.between()
	of := w.pulls[number]
	if of.comment == "" && of.genuine == "" {
		of.comments++
	}
	of.comment, of.genuine = text, ""
	of.Updated, of.changed = w.now, w.now
	_, after, is := strings.Cut(text, "head=")
	if words := strings.Fields(after); is && words[0] != of.shownOf {
		of.shownOf = words[0]
		for _, s := range of.said {
			maps.DeleteFunc(s.sees, func(word string, _ bool) bool {
				return !strings.Contains(text, " "+word+"\n") && !strings.Contains(text, " "+word+" ")
			})
		}
	}
	w.between() // it is said, and the answer may be lost
	return forge.Said{ID: "own", Text: text}, nil
}

func (w *world) Judge(_ context.Context, commit string, v forge.Verdict) error {
	w.between()
	w.judged[commit] = v
	return nil
}

// dying is what is kept; the daemon may die before it is, and after.
type dying struct {
	kv.Store
	w *world
}

func (d dying) Put(name string, content []byte) error {
	return d.do(name, content, func() error { return d.Store.Put(name, content) })
}

func (d dying) Delete(name string) error {
	return d.do(name, nil, func() error { return d.Store.Delete(name) })
}

func (d dying) do(name string, content []byte, change func() error) error {
	d.w.between()
	err := change()
	if err == nil && d.w.keeps != nil {
		d.w.keeps(name, content)
	}
	d.w.between()
	return err
}

// lives has the daemon do something, and begins another where it dies.
func (w *world) lives(do func()) {
	defer func() {
		if cause := recover(); cause != nil {
			if _, is := cause.(killed); !is {
				panic(cause)
			}
			w.begins()
		}
	}()
	do()
}

// look is a look of the desk.
func (w *world) look() {
	if err := w.desk.Look(context.Background()); err != nil {
		w.t.Fatalf("a look ends with %v", err)
	}
}

// TestWhateverTheOrderOnlyWhatWasApprovedIsApplied: pushes, yeses, what is taken back, merges, edits of the account and
// deaths of the daemon in any order, also within a look and a run.
func TestWhateverTheOrderOnlyWhatWasApprovedIsApplied(t *testing.T) {
	applied := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt, kv.Folder{Dir: t.TempDir()})
		defer func() { applied += w.applied }()
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "next") {
			case 0:
				w.lives(w.run)
			case 1:
				w.somebody()
			default:
				w.lives(w.look)
			}
		}
		w.ends()
	})
	t.Logf("%d changes were applied", applied)
	if applied == 0 {
		t.Error("nothing was ever applied")
	}
}

// ends lets everybody else rest: what is open is approved, merged and applied, and the plan after that is empty.
func (w *world) ends() {
	w.calm = true
	w.now = w.now.Add(time.Minute)
	for _, number := range []int{7, 8} {
		of := w.pulls[number]
		for range 2 {
			of.Updated = w.now
			w.look()
		}
		if !of.Closed {
			w.moves++
			w.says(of, "bob", true)
			of.Updated = w.now
			w.merge(of)
			w.run()
			w.look()
			w.run()
			if parts := w.parts(of.files); len(parts) > 0 {
				w.t.Fatalf("pull request %d is approved and merged, and %v is left; said %q", number, parts, of.comment)
			}
		}
		if of.comments > 1 {
			w.t.Fatalf("pull request %d has %d comments", number, of.comments)
		}
	}
}
