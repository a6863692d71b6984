package pulls

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"adsync/internal/forge"
	"adsync/plan"
	"adsync/state/kv"

	"pgregory.net/rapid"
)

// sooner is a world where what somebody approved is applied before the merge. What raises an amount is held. It knows
// which pull request the account has before its branch from what the desk keeps of it, and who agreed to it from what
// stood in the comment.
type sooner struct {
	*world
	files  map[string]map[string]int // by head
	shown  map[string][]string       // words of the plan that was made last, by head
	ahead  *Ahead
	went   map[int]bool    // pull requests that the account had before its branch, ever
	merged map[string]bool // commits of the branch as a run read it last
	at     string          // what this process has checked out
	ran    string          // the head that the last run had
	left   []string        // names that it left
	page   bool            // somebody releases at the page whatever is held
	early  int             // changes that were applied before a merge

	heard, found map[int]string // heads as people were heard and the pull request was found, since it was planned
}

func newSooner(t *rapid.T, kept kv.Store) *sooner {
	s := &sooner{
		world: newWorld(t, kept), files: map[string]map[string]int{}, shown: map[string][]string{},
		went: map[int]bool{}, merged: map[string]bool{}, heard: map[int]string{}, found: map[int]string{},
	}
	s.world.keeps, s.world.begins = s.keeps, s.begin
	s.begin()
	return s
}

func (s *sooner) begin() {
	s.world.begin()
	s.desk.Forge, s.desk.Before, s.desk.Mark, s.desk.Plan, s.desk.Result = s, true, mark, s.plan, s.result
	s.at = ""
	s.desk.Has = func(_ context.Context, commit string) (bool, error) { return s.merged[commit], nil }
}

// Find has somebody merge the pull request right before, now and then.
func (s *sooner) Find(ctx context.Context, number int) (forge.Pull, error) {
	of := s.pulls[number]
	if !s.calm && !of.Closed && rapid.IntRange(0, 9).Draw(s.t, "merges") == 0 {
		s.moves++
		s.merge(of)
	}
	p, err := s.world.Find(ctx, number)
	s.found[number] = p.Head
	return p, err
}

func (s *sooner) Talk(ctx context.Context, p forge.Pull) (forge.Talk, error) {
	talk, err := s.world.Talk(ctx, p)
	s.heard[p.Number] = p.Head
	return talk, err
}

func rises(p plan.Part) bool { return p.After > p.Before }

// over are files with others in their place.
func over(files, others map[string]int) map[string]int {
	files = maps.Clone(files)
	maps.Copy(files, others)
	return files
}

func (s *sooner) plan(_ context.Context, p forge.Pull) (*Answer, error) {
	of := s.pulls[p.Number]
	if of.Head != p.Head {
		return nil, errLater
	}
	s.files[p.Head], s.shown[p.Head] = of.files, nil
	s.heard[p.Number], s.found[p.Number] = "", ""
	files := of.files
	if s.ahead != nil && s.ahead.Number == p.Number && s.ahead.Head != p.Head { // and what it had before goes back
		files = over(s.branch, of.files)
	}
	var held []plan.Part
	a := &Answer{Touches: true, Asked: Asked{Serial: s.serial}, Text: mark + "\nhead=" + p.Head}
	parts := s.parts(files)
	for _, part := range parts {
		a.Text += " " + wordOf(part)
		a.Asked.Addresses = append(a.Asked.Addresses, part.Field)
		s.shown[p.Head] = append(s.shown[p.Head], wordOf(part))
		if rises(part) {
			held = append(held, part)
		}
	}
	a.Text += "\n"
	var digests []string
	for _, ask := range []plan.Ask{{Hazard: plan.Exposure, Parts: held}, {Hazard: beforeMerge, Parts: parts}} {
		if len(ask.Parts) > 0 {
			ask.Item = ask.Digest()
			a.Asked.Asks, digests = append(a.Asked.Asks, ask), append(digests, ask.Item)
		}
	}
	if len(parts) > 0 {
		a.Asked.Digest = plan.DigestOfTexts(append(digests, fmt.Sprint(p.Number))...)
	}
	a.Judge = func(agreed func(plan.Hazard, []plan.Part) bool) forge.Verdict {
		for _, part := range held {
			if !agreed(plan.Exposure, []plan.Part{part}) {
				return forge.Verdict{State: forge.Waits}
			}
		}
		return forge.Verdict{State: forge.Passes}
	}
	a.Verdict = a.Judge(func(plan.Hazard, []plan.Part) bool { return false })
	return a, nil
}

func (s *sooner) result(_ context.Context, m Merge) (text string, done bool, err error) {
	switch {
	case !m.Before:
		return mark + "\nmerged", false, nil
	case s.ran != m.Commit:
		return "", false, errLater
	}
	left := func(name string) bool { return slices.Contains(m.Addresses, name) }
	return mark + "\nresult", !slices.ContainsFunc(s.left, left), nil
}

// keeps holds what the desk keeps against what people said and did: the account gets what somebody agreed to as it was
// shown, one at a time, and has its branch alone again once that has it, or it is closed.
func (s *sooner) keeps(name string, content []byte) {
	if name != aheadName {
		return
	}
	if content == nil {
		if of := s.pulls[s.ahead.Number]; !of.Closed || of.Merged != "" && !s.merged[of.Merged] {
			s.t.Fatalf("the account forgets pull request %d, which is closed: %v, merged: %q", of.Number, of.Closed,
				of.Merged)
		}
		s.ahead = nil
		return
	}
	var a Ahead
	if err := json.Unmarshal(content, &a); err != nil {
		s.t.Fatal(err)
	}
	if s.ahead != nil && s.ahead.Number != a.Number {
		s.t.Fatalf("the account has %d in the place of %d, which it has before its branch", a.Number, s.ahead.Number)
	}
	if (s.ahead == nil || s.ahead.Head != a.Head) && !s.isAgreed(s.pulls[a.Number], s.shown[a.Head]) {
		s.t.Fatalf("the account gets %s with %q, and nobody agreed to it", a.Head, s.shown[a.Head])
	}
	if s.heard[a.Number] != a.Head || s.found[a.Number] != a.Head {
		s.t.Fatalf("the account gets %s, and the forge was not asked since it was planned: people were heard of %q, "+
			"it has %q", a.Head, s.heard[a.Number], s.found[a.Number])
	}
	s.ahead, s.went[a.Number] = &a, true
}

// isAgreed reports whether one yes, which stood when it was asked for last, saw all of some words.
func (s *sooner) isAgreed(of *request, words []string) bool {
	return len(words) > 0 && slices.ContainsFunc(of.said, func(y *said) bool {
		unseen := func(word string) bool { return !y.sees[word] }
		return (y.until == 0 || y.until > of.heard) && !slices.ContainsFunc(words, unseen)
	})
}

// run is a run of the account: it applies what the files say, and of what is held what somebody agreed to.
func (s *sooner) run() {
	ahead, err := AheadOf(s.kept)
	if err != nil {
		s.t.Fatal(err)
	}
	s.between()
	branch, merged := maps.Clone(s.branch), map[string]bool{}
	for _, of := range s.pulls {
		merged[of.Merged] = of.Merged != ""
	}
	at := fmt.Sprint(branch, merged)
	if ahead != nil && s.at != at+ahead.Head {
		is, err := ahead.IsAhead(context.Background(), s.desk, func(commit string) bool { return merged[commit] })
		if err != nil {
			s.t.Fatal(err)
		}
		if of := s.pulls[ahead.Number]; !is && (!of.Closed || of.Merged != "" && !merged[of.Merged]) {
			s.t.Fatalf("a run takes back pull request %d, which is open, or merged and not read", ahead.Number)
		}
		if !is {
			ahead = nil
		}
	}
	files := branch
	s.ran = ""
	if ahead != nil {
		files, at, s.ran = over(branch, s.files[ahead.Head]), at+ahead.Head, ahead.Head
	}
	s.at, s.merged, s.left = at, merged, nil
	s.desk.Settle(context.Background())
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, p := range s.parts(map[string]int{name: files[name]}) {
			if rises(p) && !s.page && !s.agreed(p) {
				s.left = append(s.left, name)
				continue
			}
			s.judges(p)
			if s.serial++; rises(p) {
				s.used[p.Key(plan.Exposure)] = s.serial
			}
			if s.live[name] = files[name]; files[name] != branch[name] {
				s.early++
			}
		}
	}
}

// judges holds what is applied of what is held against what people said.
func (s *sooner) judges(p plan.Part) {
	if !rises(p) || s.page {
		return
	}
	for _, of := range s.pulls {
		if (of.Merged != "" || s.went[of.Number]) && s.isAgreed(of, []string{wordOf(p)}) {
			return
		}
	}
	s.t.Fatalf("%s is applied, and nobody agreed to it", wordOf(p))
}

// TestWhateverTheOrderTheAccountAgreesFirst: pushes, yeses, what is taken back, merges, what is closed, edits of the
// account, time and deaths of the daemon in any order, also within a look and a run.
func TestWhateverTheOrderTheAccountAgreesFirst(t *testing.T) {
	early := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newSooner(rt, kv.Folder{Dir: t.TempDir()})
		defer func() { early += s.early }()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			switch rapid.IntRange(0, 7).Draw(rt, "next") {
			case 0, 1:
				s.lives(s.run)
			case 2:
				s.somebody()
			case 3:
				s.now = s.now.Add(renewEvery)
			case 4:
				s.closes(s.pulls[rapid.IntRange(7, 8).Draw(rt, "closes")])
			default:
				s.lives(s.look)
			}
		}
		s.ends()
	})
	t.Logf("%d changes were applied before a merge", early)
	if early == 0 {
		t.Error("nothing was ever applied before a merge")
	}
}

// closes closes a pull request without a merge, now and then.
func (s *sooner) closes(of *request) {
	if s.moves++; rapid.Bool().Draw(s.t, "for good") {
		of.Closed, of.Updated = true, s.now
	}
}

// ends lets everybody else rest: what is open is approved, and the account has it before it is merged or closed. Then
// the account has what the branch says, and nothing more is done.
func (s *sooner) ends() {
	s.calm, s.now = true, s.now.Add(time.Minute)
	for _, of := range s.pulls { // all at once: one has to wait
		of.Updated = s.now
	}
	s.look()
	for _, number := range []int{7, 8} {
		if of := s.pulls[number]; !of.Closed {
			s.moves++
			s.says(of, "bob", true)
			of.Updated = s.now.Add(time.Second)
		}
	}
	s.look()
	order := []int{7, 8}
	if s.ahead != nil {
		order = []int{s.ahead.Number, 15 - s.ahead.Number}
	}
	for _, number := range order {
		of := s.pulls[number]
		s.settles(of)
		if of.Closed {
			continue
		}
		s.moves++
		s.says(of, "bob", true)
		s.settles(of)
		if v := s.judged[of.Head]; v.State != forge.Passes || len(s.parts(of.files)) > 0 {
			s.t.Fatalf("pull request %d is approved, and its status is %v; %v is left; said %q", number, v,
				s.parts(of.files), of.comment)
		}
		if rapid.Bool().Draw(s.t, "is merged") {
			s.merge(of)
		} else {
			of.Closed = true
		}
		s.settles(of)
		if s.ahead != nil && s.ahead.Number == number {
			s.t.Fatalf("pull request %d is closed, and the account has %+v", number, s.ahead)
		}
	}
	s.page = true
	s.run()
	serial := s.serial
	if s.run(); len(s.parts(s.branch)) > 0 || s.serial != serial {
		s.t.Fatalf("all is merged or closed, and %v is left, %d done again", s.parts(s.branch), s.serial-serial)
	}
	for number, of := range s.pulls {
		if of.comments > 1 {
			s.t.Fatalf("pull request %d has %d comments", number, of.comments)
		}
	}
}

// settles lets the daemon look and run until it has seen what happened to a pull request.
func (s *sooner) settles(of *request) {
	for range 3 {
		s.now = s.now.Add(2 * time.Second)
		of.Updated = s.now
		s.look()
		s.run()
	}
	s.look()
}
