package pulls

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/forge"
	"adsync/plan"
	"adsync/state/kv"
)

// hub is a forge that notes what it is asked.
type hub struct {
	forge.Proposals
	open    []forge.Pull
	asked   []string
	failure error // of what is asked next
	next    int
	found   int // how often somebody asked for a pull request

	comments []string // that were written
	own      map[int]forge.Comment
	clock    int64                // of comments
	cut      bool                 // there is more of it than is read
	notes    map[int][]forge.Note // that stand at lines
	heard    int                  // how often people were
	judged   map[string]string    // the last status by commit

	talk    map[int]forge.Talk
	merged  map[int]string // commits by which the branch has pull requests
	heads   map[int]string // of pull requests that are not open
	deleted int            // number of one of which nothing is known
	authors []string
}

func (h *hub) fails() error {
	err := h.failure
	h.failure = nil
	return err
}

func (h *hub) Open(context.Context, string) ([]forge.Pull, error) { return h.open, h.fails() }

func (h *hub) Say(_ context.Context, pull int, id, text string) (forge.Said, error) {
	if err := h.fails(); err != nil {
		return forge.Said{}, err
	}
	h.asked = append(h.asked, fmt.Sprintf("%d %s: %s", pull, id, text))
	h.comments = append(h.comments, text)
	if id == "" {
		h.next++
		id = fmt.Sprint("c", h.next)
	}
	h.writes(pull, id, strings.TrimRight(text, "\n")) // as some forges do
	return forge.Said{ID: id, Text: h.own[pull].Text}, nil
}

// writes has adsync's comment be another.
func (h *hub) writes(pull int, id, text string) {
	h.clock++
	h.own[pull] = forge.Comment{ID: id, By: "adsync", Text: text, Edited: true, Changed: time.Unix(h.clock, 0)}
}

func (h *hub) Annotate(_ context.Context, p forge.Pull, _ string, notes []forge.Note) error {
	if err := h.fails(); err != nil {
		return err
	}
	h.notes[p.Number] = notes
	return nil
}

func (h *hub) Consents() (reviews, comments bool) { return true, true }

func (h *hub) Judge(_ context.Context, commit string, v forge.Verdict) error {
	if err := h.fails(); err != nil {
		return err
	}
	h.asked = append(h.asked, fmt.Sprintf("%s %s", commit, v.State))
	h.judged[commit] = string(v.State) + " " + v.Text
	return nil
}

func (h *hub) Find(_ context.Context, number int) (forge.Pull, error) {
	h.found++
	for _, p := range h.open {
		if p.Number == number {
			return p, h.fails()
		}
	}
	if number == h.deleted {
		return forge.Pull{Number: number, Closed: true}, h.fails()
	}
	return forge.Pull{
		Number: number, Head: h.heads[number], Branch: "main", Closed: true, Merged: h.merged[number],
	}, h.fails()
}

func (h *hub) Talk(_ context.Context, p forge.Pull) (forge.Talk, error) {
	h.heard++
	if h.cut {
		return forge.Talk{}, forge.ErrMore
	}
	talk := h.talk[p.Number]
	if own := h.own[p.Number]; own.ID != "" {
		talk.Comments = append(slices.Clone(talk.Comments), own)
	}
	return talk, h.fails()
}

func (h *hub) Authors(context.Context, forge.Pull) ([]string, error) { return h.authors, h.fails() }

func (h *hub) Tree(string, string) string { return "" }

func (h *hub) InTeam(_ context.Context, team, login string) (bool, error) {
	return team == "acme/buyers" && login == "may", h.fails()
}

// fixture is a desk whose plans are what the test says, by number.
type fixture struct {
	*Desk
	hub   *hub
	stamp string
	plans map[int]string // "" is nothing of this account
	asks  map[int]string // what is held, such as "a=1 b=2"
	owned map[int]Owned  // who owns its files
	later bool
	now   time.Time
	given []string // what was agreed to and handed on
	woken int
	done  bool // what was merged is
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{
		hub: &hub{talk: map[int]forge.Talk{}, merged: map[int]string{}, judged: map[string]string{},
			heads: map[int]string{}, notes: map[int][]forge.Note{}, own: map[int]forge.Comment{}},
		stamp: "one", plans: map[int]string{}, asks: map[int]string{}, owned: map[int]Owned{},
		now: time.Unix(1e9, 0),
	}
	f.Desk = &Desk{
		Forge: f.hub, Kept: kv.Folder{Dir: t.TempDir()}, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return f.now },
		At:  func() (string, string, bool) { return "main", f.stamp, f.stamp != "" },
		Plan: func(_ context.Context, p forge.Pull) (*Answer, error) {
			if f.later {
				return nil, errLater
			}
			text := f.plans[p.Number]
			asked := askedOf(p.Number, f.asks[p.Number])
			if f.asks[p.Number] == "broken" {
				asked = Asked{Unplanned: true}
			}
			owned := f.owned[p.Number]
			return &Answer{
				Touches: text != "", Text: text, Verdict: forge.Verdict{State: forge.Passes}, Asked: asked,
				Owned:   &owned,
				Explain: func(address string) string { return "of " + address + "\n" },
				Judge: func(agreed func(plan.Hazard, []plan.Part) bool) forge.Verdict {
					for _, a := range ofTheAccount(asked.Asks) {
						if !agreed(a.Hazard, a.Parts) {
							return forge.Verdict{State: forge.Waits}
						}
					}
					return forge.Verdict{State: forge.Passes}
				},
			}, nil
		},
		Approve: func(a daemon.Approval) error {
			for _, ask := range a.Asks {
				for _, p := range ask.Parts {
					if one := a.By + ": " + p.Field + "=" + p.After; !slices.Contains(f.given, one) {
						f.given = append(f.given, one)
					}
				}
			}
			return nil
		},
		Result: func(context.Context, Merge) (string, bool, error) { return "merged", f.done, nil },
		Wake:   func() { f.woken++ },
	}
	return f
}

// askedOf is what a plan asks for: each part in words such as a=1, x:b=2 of a hazard x; … is what the
// comment does not show.
func askedOf(number int, words string) (asked Asked) {
	for word := range strings.FieldsSeq(words) {
		if word == "…" {
			asked.Hidden++
			continue
		}
		hazard, rest, is := strings.Cut(word, ":")
		if !is {
			hazard, rest = "exposure", word
		}
		field, after, _ := strings.Cut(rest, "=")
		ask := plan.Ask{Hazard: plan.Hazard(hazard), Parts: []plan.Part{{Address: field, Field: field, After: after}}}
		ask.Item = ask.Digest()
		asked.Asks, asked.Addresses = append(asked.Asks, ask), append(asked.Addresses, field)
	}
	if len(asked.Asks) > 0 {
		asked.Digest = plan.DigestOfTexts(fmt.Sprint(number), words)
	}
	return asked
}

// look returns what the forge was asked.
func (f *fixture) look(t *testing.T) []string {
	t.Helper()
	f.hub.asked = nil
	func() {
		defer func() { _ = recover() }() // who runs it begins it anew
		_ = f.Look(t.Context())
	}()
	return f.hub.asked
}

// What a desk asks of a forge, look by look.
func TestWhatIsSaidOfPullRequests(t *testing.T) {
	f := newFixture(t)
	pull := func(number int, head string) forge.Pull { return forge.Pull{Number: number, Head: head} }
	for _, row := range []struct {
		name string
		do   func()
		want []string
	}{
		{"one is opened", func() { f.hub.open, f.plans[7] = []forge.Pull{pull(7, "a")}, "up" },
			[]string{"7 : up", "a success"}},
		{"nothing since", func() {}, nil},
		{"pushed, and the plan is the same", func() { f.hub.open[0].Head = "b" }, []string{"b success"}},
		{"pushed, and the plan is another", func() { f.hub.open[0].Head, f.plans[7] = "c", "down" },
			[]string{"7 c1: down", "c success"}},
		{"the branch moves, and the plan with it", func() { f.stamp, f.plans[7] = "two", "flat" },
			[]string{"7 c1: flat"}},
		{"the branch moves alone", func() { f.stamp = "three" }, nil},
		{"one that is not of this account", func() { f.hub.open = append(f.hub.open, pull(8, "d")) }, nil},
		{"it becomes one", func() { f.hub.open[1].Head, f.plans[8] = "e", "new" }, []string{"8 : new", "e success"}},
		{"the account cannot be planned", func() { f.later, f.hub.open[0].Head = true, "f" }, nil},
		{"it can again", func() { f.later = false }, []string{"f success"}},
		{"no run has read the branch", func() { f.stamp = "" }, nil},
		{"it has", func() { f.stamp = "three" }, nil},
		{"the forge does not answer", func() { f.hub.open[0].Head, f.hub.failure = "g", errors.New("away") }, nil},
		{"it answers", func() {}, []string{"g success"}},
		{"one is closed", func() { f.hub.open = f.hub.open[:1] }, nil},
		{"and opened again", func() { f.hub.open = append(f.hub.open, pull(8, "e")) },
			[]string{"8 : new", "e success"}},
		{"the forge has had enough", func() {
			f.hub.open[0].Head, f.hub.failure = "h", &forge.LimitError{Until: f.now.Add(time.Minute)}
		}, nil},
		{"it is not asked", func() {}, nil},
		{"until then", func() { f.now = f.now.Add(time.Minute) }, []string{"h success"}},
	} {
		row.do()
		if got := f.look(t); !slices.Equal(got, row.want) {
			t.Errorf("%s: the forge is asked %q; want %q", row.name, got, row.want)
		}
	}
}

// A desk that is begun anew knows what was said before.
func TestAnotherDeskGoesOn(t *testing.T) {
	f := newFixture(t)
	f.hub.open, f.plans[7] = []forge.Pull{{Number: 7, Head: "a"}}, "up"
	f.look(t)
	again := newFixture(t)
	again.Kept, again.hub.open, again.plans[7] = f.Kept, []forge.Pull{{Number: 7, Head: "a"}}, "up"
	if got := again.look(t); got != nil {
		t.Errorf("the forge is asked %q; want nothing", got)
	}
	again.hub.open[0].Head, again.plans[7] = "b", "down"
	if got, want := again.look(t), []string{"7 c1: down", "b success"}; !slices.Equal(got, want) {
		t.Errorf("the forge is asked %q; want %q", got, want)
	}
}

// A status that failed is set with the next look, beside the comment that is there.
func TestAStatusThatFailedIsSetAgain(t *testing.T) {
	f := newFixture(t)
	f.hub.open, f.plans[7] = []forge.Pull{{Number: 7, Head: "a"}}, "up"
	judge := f.Plan
	f.Plan = func(ctx context.Context, p forge.Pull) (*Answer, error) {
		f.Forge = failsToJudge{f.hub}
		return judge(ctx, p)
	}
	if got, want := f.look(t), []string{"7 : up"}; !slices.Equal(got, want) {
		t.Fatalf("the forge is asked %q; want %q", got, want)
	}
	f.Forge, f.Plan = f.hub, judge
	if got, want := f.look(t), []string{"a success"}; !slices.Equal(got, want) {
		t.Errorf("then it is asked %q; want %q", got, want)
	}
}

type failsToJudge struct{ forge.Repository }

func (failsToJudge) Judge(context.Context, string, forge.Verdict) error { return errors.New("away") }

// A thousand are answered one look after the other, and each of them once.
func TestManyAreAnsweredInTurn(t *testing.T) {
	f := newFixture(t)
	for n := range 1000 {
		f.hub.open = append(f.hub.open, forge.Pull{Number: n, Head: fmt.Sprint(n)})
		f.plans[n] = "up"
	}
	said, looks := 0, 0
	for asked := f.look(t); len(asked) > 0; asked = f.look(t) {
		if said, looks = said+len(asked), looks+1; len(asked) > 2*mostPlans {
			t.Fatalf("%d requests in a look; want %d at most", len(asked), 2*mostPlans)
		}
	}
	if said != 2000 || looks != 1000/mostPlans {
		t.Errorf("%d requests in %d looks; want a comment and a status each", said, looks)
	}
}

// However many can never be planned, the others are answered.
func TestThoseInVainKeepNoneFromAnAnswer(t *testing.T) {
	for _, row := range []struct {
		name string
		plan func() (*Answer, error)
	}{
		{"it fails", func() (*Answer, error) { return nil, errors.New("no") }},
		{"it breaks off", func() (*Answer, error) { panic("no") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFixture(t)
			for n := range 2 * mostPlans {
				f.hub.open = append(f.hub.open, forge.Pull{Number: n, Head: fmt.Sprint(n)})
			}
			f.hub.open = append(f.hub.open, forge.Pull{Number: 1000, Head: "h"})
			f.plans[1000] = "up"
			plan := f.Plan
			f.Plan = func(ctx context.Context, p forge.Pull) (*Answer, error) {
				if p.Number < 1000 {
					return row.plan()
				}
				return plan(ctx, p)
			}
			var asked []string
			for range 2*mostPlans + 1 {
				asked = append(asked, f.look(t)...)
			}
			if want := []string{"1000 : up", "h success"}; !slices.Equal(asked, want) {
				t.Errorf("the forge is asked %q; want %q", asked, want)
			}
		})
	}
}

// A forge that wants to be left alone for a year is asked again after an hour.
func TestNoForgeIsLeftAloneForLong(t *testing.T) {
	f := newFixture(t)
	f.hub.open, f.plans[7] = []forge.Pull{{Number: 7, Head: "a"}}, "up"
	f.hub.failure = &forge.LimitError{Until: f.now.AddDate(1, 0, 0)}
	f.look(t)
	f.now = f.now.Add(mostRest)
	if got, want := f.look(t), []string{"7 : up", "a success"}; !slices.Equal(got, want) {
		t.Errorf("the forge is asked %q; want %q", got, want)
	}
}

// One that is stale is planned a few times more, as the forge may merge it only now that it was asked.
func TestAStalePullRequestIsMergedYet(t *testing.T) {
	f := newFixture(t)
	f.hub.open = []forge.Pull{{Number: 7, Head: "a"}}
	stale, planned := true, 0
	f.Plan = func(context.Context, forge.Pull) (*Answer, error) {
		planned++
		if stale {
			return &Answer{Touches: true, Stale: true, Text: "stale", Verdict: forge.Verdict{State: forge.Fails}}, nil
		}
		return &Answer{Touches: true, Text: "up", Verdict: forge.Verdict{State: forge.Passes}}, nil
	}
	for _, row := range []struct {
		name    string
		do      func()
		want    []string
		planned int // looks, of ten
		found   int // how often the forge is asked for it
	}{
		{"the forge has no merge", func() {}, []string{"7 : stale", "a failure"}, 1 + mostStale, 1},
		{"nothing since", func() {}, nil, 0, 0},
		{"the branch moves", func() { f.stamp = "two" }, nil, 1 + mostStale, 1},
		{"it is pushed to", func() { f.hub.open[0].Head = "b" }, []string{"b failure"}, 1 + mostStale, 1},
		{"and the forge merges it", func() { f.stamp, stale = "three", false },
			[]string{"7 c1: up", "b success"}, 1, 0},
	} {
		row.do()
		planned, f.hub.found = 0, 0
		var got []string
		for range 10 {
			got = append(got, f.look(t)...)
		}
		if !slices.Equal(got, row.want) || planned != row.planned || f.hub.found != row.found {
			t.Errorf("%s: the forge is asked %q, and %d times for it, and it is planned %d times; want %q, %d, %d",
				row.name, got, f.hub.found, planned, row.want, row.found, row.planned)
		}
	}
}
