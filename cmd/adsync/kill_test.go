package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
	"adsync/reconcile"
	"adsync/state"

	gocmp "github.com/google/go-cmp/cmp"
)

var (
	kills    = flag.Int("kills", 200, "how many times adsync apply is killed")
	killSeed = flag.Uint64("kill-seed", 1, "seed of the accounts, the edits and the moments")
)

// killsOfAHistory is how often apply is killed on one account.
const killsOfAHistory = 20

// TestKilledApplyLeavesOneOfEverything kills apply with SIGKILL, at a request
// or while it writes its journal, and runs it again, in account after account
// that is edited on the way. In the end the mutation log has one create of
// everything, the account shows what the files say, and nothing is left to do
// (faults.md S1 to S8, S20).
func TestKilledApplyLeavesOneOfEverything(t *testing.T) {
	t.Parallel()
	var sum tally
	start := time.Now()
	t.Run("history", func(t *testing.T) {
		for n := 0; n*killsOfAHistory < *kills; n++ {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				h := newHistory(t, rand.New(rand.NewPCG(*killSeed, uint64(n))), generous)
				h.live(min(killsOfAHistory, *kills-n*killsOfAHistory))
				sum.add(h.tally)
			})
		}
	})
	t.Logf("seed %d: %s; %.2f s a kill", *killSeed, &sum, time.Since(start).Seconds()/float64(max(sum.kills, 1)))
	if sum.kills < *kills || sum.empty < *kills/killsOfAHistory {
		t.Errorf("%d kills and %d empty second plans; want %d and one an account at least",
			sum.kills, sum.empty, *kills)
	}
}

// tally is what kills came to.
type tally struct {
	mu            sync.Mutex
	kills         int
	points        map[string]int // where the journal stood when it hit
	edges         map[edge]int
	doubled, lost int
	empty         int // second plans
}

func (s *tally) add(o *tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kills, s.doubled, s.lost, s.empty = s.kills+o.kills, s.doubled+o.doubled, s.lost+o.lost, s.empty+o.empty
	if s.points == nil {
		s.points, s.edges = map[string]int{}, map[edge]int{}
	}
	for p, n := range o.points {
		s.points[p] += n
	}
	for e, n := range o.edges {
		s.edges[e] += n
	}
}

func (s *tally) String() string {
	return fmt.Sprintf("%d kills, %d doubled, %d lost, "+
		"second plan empty %d times\n  by point of the journal: %s\n  beside a request: %s",
		s.kills, s.doubled, s.lost, s.empty, perKind(s.points), perKind(s.edges))
}

func perKind[K cmp.Ordered](counts map[K]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%v %d", k, counts[k]))
	}
	return strings.Join(parts, ", ")
}

// history is one project, one account, and many applies.
type history struct {
	t       *testing.T
	random  *rand.Rand
	account string
	dir     string
	env     []string
	service *emulator.Server
	line    *httptest.Server
	before  *executioner
	arrived arrivals
	shop    *shop
	tally   *tally
	bare    string // repository whose branch has the state, "" where it lies in the folder
}

// generous lets every edit of a shop pass: what guards hold of a plan that was cut off is
// tested by TestKilledApplyGoesOnUnderTheGuards.
const generous = `policy:
  budget: {hold_above: 1000, refuse_from: 10000}
  bid: {hold_above: 1000, refuse_from: 10000, share: 100}
  exposure: {percent: 1000000}
  updates: {percent: 100}
allow:
  - {allow: activates, until: 2099-01-01, owner: test, reason: a test}
`

const killProject = `account: {id: %s, currency: USD, timezone: America/New_York}
`

func newHistory(t *testing.T, random *rand.Rand, operator string) *history {
	t.Helper()
	return newHistoryOf(t, random, operator, "adacct_kills", []string{"0s", "3s"}[random.IntN(2)])
}

// newHistoryOf is one of an account whose bulk jobs take so long; "" for an account without them.
func newHistoryOf(t *testing.T, random *rand.Rand, operator, account, bulk string) *history {
	t.Helper()
	h := &history{
		t: t, random: random, account: account, dir: filepath.Join(memoryFolder(t), "shop"),
		shop: &shop{random: random}, tally: &tally{points: map[string]int{}, edges: map[edge]int{}},
	}
	features := emulator.AllFeatures()
	features.Bulk = bulk != ""
	points, err := emulator.ParseOpenPoints("bulk_duration=" + cmp.Or(bulk, "0s"))
	noError(t, err)
	service, err := emulator.Open(emulator.Options{
		OpenPoints: points, Seed: random.Uint64(), Limits: emulator.RateLimits{
			EndpointPerMinute: -1, OverallPerMinute: -1, BulkPer10Seconds: -1,
		},
		Accounts: []emulator.Account{{ID: account, Name: "Test",
			Currency: "USD", TimeZone: "America/New_York", Key: session.EmulatorKey, Features: features}},
	})
	noError(t, err)
	h.service, h.before = service, &executioner{emulator: service}
	h.line = httptest.NewServer(h.before)
	t.Cleanup(func() { h.line.Close(); service.Close() })
	noError(t, os.CopyFS(filepath.Join(h.dir, "images"), os.DirFS("../../examples/quickstart/images")))
	operators := filepath.Join(filepath.Dir(h.dir), "operator.yaml")
	noError(t, os.WriteFile(operators, []byte(operator), 0o600))
	noError(t, os.WriteFile(filepath.Join(h.dir, "adsync.yaml"), fmt.Appendf(nil, killProject, account), 0o600))
	h.env = append(os.Environ(), asCommand+"=1", atClock+"="+h.line.URL+clockPath, session.EnvOperator+"="+operators,
		session.EnvBaseURL+"="+h.line.URL+"/v1", session.EnvKey+"="+session.EmulatorKey, keysAtOnce)
	return h
}

// memoryFolder is a folder in memory where the machine has one: a process that
// is killed leaves behind all it has written, wherever that is.
func memoryFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "adsync-kills-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { noError(t, os.RemoveAll(dir)) })
	return dir
}

// live edits, applies, is killed and applies again, until the kills are done.
func (h *history) live(kills int) {
	h.t.Helper()
	for h.tally.kills < kills {
		h.edit()
		for h.tally.kills < kills && h.killed() {
			switch h.random.IntN(12) {
			case 0, 1:
				h.edit() // somebody does not wait for the apply to be run again
			case 2:
				// no key is trusted any more
				noError(h.t, emulatorClock(h.line.URL+clockPath).Sleep(h.t.Context(), reconcile.TrustWindow))
			}
		}
		h.finish()
		h.check()
	}
}

func (h *history) edit() {
	h.shop.edit()
	h.shop.write(h.t, h.dir)
}

func (h *history) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	if h.bare != "" {
		h.newRunner()
	}
	c := exec.Command(os.Args[0], append(args, h.dir)...)
	c.Env = slices.Clip(h.env) // what another process is told beside it is not told to this one
	var said bytes.Buffer
	c.Stderr = &said
	return c, &said
}

// killed runs apply up to a moment; false when it ended before.
func (h *history) killed() bool {
	h.t.Helper()
	c, said := h.command("apply", "--yes")
	at := drawMoment(h.random)
	if h.bare != "" { // a push takes longer than a write
		at.afterward *= 75
	}
	noError(h.t, h.before.start(c, at))
	err := c.Wait()
	changed := h.before.spare()
	if c.ProcessState.ExitCode() != -1 {
		if err != nil {
			again, _ := h.command("plan", "--quiet")
			planned, _ := again.Output()
			h.t.Fatalf("apply ended by itself: %v\n%s%s", err, said, planned)
		}
		return false
	}
	h.tally.kills++
	h.tally.edges[at.edge]++
	h.tally.points[h.point(changed)]++
	return true
}

// point is where the journal stands: at its most open step.
func (h *history) point(changed bool) string {
	h.t.Helper()
	folder := filepath.Join(h.dir, ".adsync")
	if h.bare != "" {
		folder = filepath.Join(folder, "branch", "work")
	}
	left, err := state.OpenReadOnly(h.t.Context(), folder)
	noError(h.t, err)
	defer left.Close()
	steps, err := left.Open(h.t.Context())
	noError(h.t, err)
	for _, p := range []state.Point{state.Sent, state.Unknown,
		state.Accepted, state.Terminal, state.ResultsRead, state.Intent, state.Bound, state.Verified} {
		if slices.ContainsFunc(steps, func(s state.Step) bool { return s.Point == p }) {
			return string(p)
		}
	}
	if changed {
		return "closed"
	}
	return "planned"
}

// finish lets apply come to its end.
func (h *history) finish() {
	h.t.Helper()
	c, said := h.command("apply", "--yes")
	if out, err := c.Output(); err != nil {
		h.t.Fatalf("apply after the kills: %v\n%s%s", err, out, said)
	}
}

// check holds that nothing is left to do, that everything was created once, and
// that the account shows what the files say.
func (h *history) check() {
	h.t.Helper()
	c, said := h.command("plan", "-o", "json", "--quiet")
	out, err := c.Output()
	var planned struct{ Changes []json.RawMessage }
	if err != nil || json.Unmarshal(out, &planned) != nil || len(planned.Changes) != 0 {
		h.t.Fatalf("plan after apply: %v, %d changes; want none\n%s%s", err, len(planned.Changes), out, said)
	}
	h.tally.empty++
	want := h.shop.wanted()
	for ward, n := range h.created() {
		if n > 1 {
			h.tally.doubled += n - 1
			h.t.Errorf("%s was created %d times; want once", ward, n)
		}
	}
	have := h.shown()
	for ward := range want {
		if have[ward] != want[ward] {
			h.tally.lost++
		}
	}
	if diff := gocmp.Diff(want, have); diff != "" {
		h.t.Errorf("the account (-files +account):\n%s", diff)
	}
}

func (h *history) read(path string, into any) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.line.URL+path, nil)
	noError(h.t, err)
	r.Header.Set("Authorization", "Bearer "+session.EmulatorKey)
	answer, err := h.line.Client().Do(r)
	noError(h.t, err)
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil || answer.StatusCode != http.StatusOK {
		h.t.Fatalf("GET %s: %s %v", path, answer.Status, err)
	}
}

// created counts the creates of the mutation log by ward, and holds that every budget in it was one of a file.
func (h *history) created() map[string]int {
	h.t.Helper()
	born := map[string]int{}
	var page struct {
		Data []struct {
			Action, Resource string
			After            struct {
				Name   string
				Budget struct {
					Daily    int `json:"daily_spend_limit_micros"`
					Lifetime int `json:"lifetime_spend_limit_micros"`
				}
			}
		}
		HasMore bool `json:"has_more"`
	}
	h.read("/_emulator/mutations?limit=10000", &page)
	if page.HasMore {
		h.t.Fatal("the mutation log has over 10,000 entries; want a history that is read whole")
	}
	for _, m := range page.Data {
		ward, _, _ := strings.Cut(m.After.Name, " ")
		budget := (m.After.Budget.Daily + m.After.Budget.Lifetime) / 1e6
		if budget > 0 && !h.shop.asked[ward][budget] {
			h.t.Errorf("%s had a budget of %d; no file ever asked for that", ward, budget)
		}
		if m.Action == "create" && m.Resource != "file" {
			born[ward]++
		}
	}
	return born
}

// shown is what the account lists, by ward; a ward twice stands beside itself.
func (h *history) shown() map[string]string {
	h.t.Helper()
	have := map[string]string{}
	for _, collection := range []string{"campaigns", "ad_groups", "ads"} {
		var list struct {
			Data    []struct{ Name, Status string }
			HasMore bool `json:"has_more"`
		}
		h.read("/v1/"+collection+"?limit=500", &list)
		if list.HasMore {
			h.t.Fatalf("%s are more than a page; want a history that is read whole", collection)
		}
		for _, r := range list.Data {
			ward, _, _ := strings.Cut(r.Name, " ")
			have[ward] += r.Name + " " + r.Status
		}
	}
	return have
}
