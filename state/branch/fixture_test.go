package branch

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"adsync/internal/gitstore"
	"adsync/internal/resource"
	"adsync/state"
)

// hub is a repository in memory: every commit ever made, and where the branch stands.
type hub struct {
	commits map[string]gitstore.Tip
	at      string
	said    []string // what each commit that arrived says
	away    int      // how many calls from now on find nobody; -1: all of them
	lost    int      // how many pushes from now on arrive and are not answered
	moving  func()   // somebody else, right before a push arrives
}

func newHub() *hub { return &hub{commits: map[string]gitstore.Tip{"": {}}} }

// errAway is the network that carries nothing.
var errAway = fmt.Errorf("ask the repository: %w", &gitstore.Error{Class: gitstore.Transient})

func (h *hub) gone() bool {
	if h.away > 0 {
		h.away--
		return true
	}
	return h.away < 0
}

func (h *hub) Tip(context.Context, string) (gitstore.Tip, error) {
	if h.gone() {
		return gitstore.Tip{}, errAway
	}
	return h.commits[h.at], nil
}

func (h *hub) Swap(_ context.Context, from string, a gitstore.Answer) (string, error) {
	if h.gone() {
		return "", errAway
	}
	if h.moving != nil {
		move := h.moving
		h.moving = nil
		move()
	}
	if h.at != from {
		return "", gitstore.ErrRaced
	}
	h.put(a.Message, a.Files)
	if h.lost > 0 {
		h.lost--
		return h.at, errAway
	}
	return h.at, nil
}

// put commits files, whoever made them.
func (h *hub) put(message string, files map[string][]byte) {
	all := maps.Clone(h.commits[h.at].Files)
	if all == nil {
		all = map[string][]byte{}
	}
	for name, content := range files {
		if all[name] = content; content == nil {
			delete(all, name)
		}
	}
	commit := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "%s %s %d", h.at, message, len(h.commits))))
	h.commits[commit] = gitstore.Tip{Commit: commit, Parent: h.at, Files: all}
	h.at = commit
	h.said = append(h.said, message)
}

func (h *hub) Address() string { return "the hub" }

// pushes is how many commits came whose message begins so.
func (h *hub) pushes(prefix string) (n int) {
	for _, message := range h.said {
		if strings.HasPrefix(message, prefix) {
			n++
		}
	}
	return n
}

// clockwork is a clock that stands until it is moved.
type clockwork struct{ time.Time }

func (c *clockwork) now() time.Time { return c.Time }

var (
	morning = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	testKey = []byte("a key of thirty-two characters ...")
)

// runner is one that has nothing but the branch.
func (h *hub) runner(t *testing.T) *Branch {
	return &Branch{Repository: h, Name: "adsync/state", Account: "act_1", Dir: t.TempDir(), Key: testKey}
}

// begun is a hub whose branch has an empty record.
func begun(t *testing.T) (*hub, *clockwork) {
	t.Helper()
	h, c := newHub(), &clockwork{morning}
	must(t, h.runner(t).Begin(t.Context(), state.Options{Now: c.now}))
	return h, c
}

func (h *hub) open(t *testing.T, c *clockwork) *Store {
	t.Helper()
	s, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now, Command: "adsync apply"})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, call string, got, want error, words ...string) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s = %v; want %v", call, got, want)
	}
	for _, word := range words {
		if got != nil && !strings.Contains(got.Error(), word) {
			t.Errorf("%s = %v; want it to say %q", call, got, word)
		}
	}
}

// step is one request of a run.
func step(id, key, body string) state.Step {
	return state.Step{
		ID: id, Run: "run-1", Route: state.Bulk, Path: "/bulk_mutation_jobs", Key: key, Body: []byte(body),
		Operations: []state.Operation{{ID: "1", Address: address("campaign/" + key), Action: "create", Key: key}},
	}
}

func address(text string) resource.Address {
	a, ok := resource.ParseAddress(text)
	if !ok {
		panic("no address: " + text)
	}
	return a
}

// left is what the next run would find of the steps that are open.
func (h *hub) left(t *testing.T) map[string]state.Step {
	t.Helper()
	s, err := h.runner(t).OpenReadOnly(t.Context())
	must(t, err)
	open, err := s.Open(t.Context())
	must(t, err)
	steps := map[string]state.Step{}
	for _, step := range open {
		steps[step.ID] = step
	}
	return steps
}
