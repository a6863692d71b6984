package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	emworld "adsync/internal/emulator/world"
	"adsync/internal/testing/oracle"
	"adsync/plan"
	"adsync/state"
)

// The account of the files, another one, and who may call.
const (
	account      = "adacct_sim"
	otherAccount = "adacct_other"
	firstKey     = "sk-canary-first-agent"
	secondKey    = "sk-canary-second-agent"
	personKey    = "sk-canary-person"
	foreignKey   = "sk-canary-other-account"
)

// world is one history as it runs: a service, two agents with a state each, and
// files.
type world struct {
	ctx      context.Context
	seed     uint64
	random   *random
	service  *emulator.Server
	server   *http.Server // nil where requests have no wire
	pipes    *pipes
	carry    http.RoundTripper
	disks    []*disk
	logger   *slog.Logger
	wrongKey bool
	strict   bool
	policy   plan.Policy
	kinds    bool                     // kinds beyond the tree are drawn
	pixel    string                   // id of a pixel somebody made
	bidsFor  []string                 // ids of those that bids are for, sorted
	doubles  bool                     // requests are delivered twice
	race     bool                     // somebody comes first at the next write that names a revision
	lists    map[string]string        // a members file, by its digest
	turns    bool                     // runs are taken back, and their reports kept
	runs     map[string]*oracle.Apply // by agent and name
	guards   *guarded                 // nil where the history is not about what is measured over a whole plan
	shared   *sharing                 // nil where each agent has a state of its own
	reads    bool                     // files go through the program's own readers
	wrong    error                    // what an action itself found wrong

	mu        sync.Mutex
	history   oracle.History
	output    strings.Builder
	processes int
	jobs      map[string]*oracle.Request // that were taken, by id
	tally     *tally
}

// random is chance that many may ask at once.
type random struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (r *random) Float64() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r.Float64()
}

func (r *random) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range b {
		b[i] = byte(r.r.Uint32())
	}
	return len(b), nil
}

func openWorld(ctx context.Context, s script, t *tally) *world {
	w := &world{
		ctx: ctx, seed: s.Seed, random: &random{r: rand.New(rand.NewPCG(s.Seed, 0x73696d))},
		tally: t, jobs: map[string]*oracle.Request{}, strict: s.Strict,
		reads: s.Read, kinds: s.Kinds, turns: s.Turns, runs: map[string]*oracle.Apply{}, lists: map[string]string{},
	}
	w.logger = newLogger(w)
	if s.Guards {
		w.guards = &guarded{}
	}
	w.service = w.openService(s)
	w.connect(s.Wire)
	w.history.Released = map[string]bool{}
	w.history.Versions = map[int][]oracle.Version{}
	keys := []string{firstKey, secondKey}
	for i, key := range keys {
		w.disks = append(w.disks, w.openDisk(i, s))
		_, known, _ := w.service.World().ByKey(key)
		w.history.Actors = append(w.history.Actors, known.Actor)
		w.history.Credentials = append(w.history.Credentials, keys[i])
	}
	w.history.Account = account
	w.history.Secrets = append(keys, personKey, foreignKey)
	w.history.Commits = []oracle.Files{{}}
	w.history.Prune, w.history.Revert = s.Prune, s.Revert
	w.policy = policyOf(s)
	w.history.NoFiles = s.drawnPoints()[openpoint.AudienceUploads] == "absent"
	w.history.KeysHold, w.history.ListsHold, w.history.KeyLag = s.keysHold(), s.listsHold(), s.keyLag()
	w.history.Alone, w.history.Shared = s.alone(), s.shared()
	w.history.Lists = map[string][]string{}
	w.doubles = slices.ContainsFunc(s.Actions, func(a action) bool { return strings.Contains(a.Fault, "duplicate") })
	if s.Workers > 0 {
		w.shared = w.share(s.Workers)
	}
	if s.Kinds {
		w.openKinds()
	}
	if s.Bids {
		w.openBids()
	}
	return w
}

// openDisk makes the state of an agent, in memory or in a folder.
func (w *world) openDisk(agent int, s script) *disk {
	var in *folder
	options := state.Options{Now: time.Now, Random: w.random}
	open := func() (state.Store, error) { return state.NewMemory(options) }
	if s.Disk {
		in = newFolder(options, rand.New(rand.NewPCG(s.Seed, uint64(agent))))
		open = in.open
	}
	store, err := open()
	if err != nil {
		panic(err)
	}
	d := newDisk(store)
	d.folder, d.lists, d.keeps = in, w.lists, w.kept
	d.wrote = func(h state.Header, certain bool) { w.version(agent, h, certain) }
	d.looked = func(h state.Header, digest string) { w.looked(agent, h, digest) }
	w.version(agent, store.Header(), false)
	return d
}

func (w *world) openService(s script) *emulator.Server {
	points := openpoint.Defaults()
	if s.Points != 0 {
		drawn := s.drawnPoints()
		if err := points.Apply(drawn); err != nil {
			panic(err)
		}
		w.tally.points(drawn)
	}
	first := emulator.Account{
		ID: account, Name: "Sim", Currency: "USD",
		TimeZone: "America/New_York", Key: firstKey, Features: emulator.AllFeatures(),
	}
	first.Keys = []emulator.APIKey{{Name: "second", Key: secondKey}, {Name: "person", Key: personKey}}
	other := emulator.Account{
		ID: otherAccount, Name: "Other", Currency: "USD",
		TimeZone: "America/New_York", Key: foreignKey, Features: emulator.AllFeatures(),
	}
	service, err := emulator.Open(emulator.Options{
		Seed: s.Seed | 1, Accounts: []emulator.Account{first, other}, OpenPoints: points,
	})
	if err != nil {
		panic(err)
	}
	return service
}

// connect puts requests on pipes, or hands them over where the wire is not what
// a history is about.
func (w *world) connect(wired bool) {
	w.carry = direct{w.service}
	if !wired {
		return
	}
	w.pipes = newPipes()
	w.server = &http.Server{Handler: w.service, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	w.carry = wire(w.pipes)
	go func() { _ = w.server.Serve(w.pipes) }()
}

func (w *world) close() error {
	if w.shared != nil {
		w.shared.close()
	}
	for _, d := range w.disks {
		if d.folder != nil {
			_ = d.Close()
			d.folder.remove()
		}
	}
	if w.server != nil {
		w.carry.(*http.Transport).CloseIdleConnections()
		_ = w.server.Close()
		_ = w.pipes.Close()
	}
	return w.service.Close()
}

// collect takes what W has gained into the history.
func (w *world) collect() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history.Output = w.output.String()
	entries, err := w.service.World().Mutations(int64(len(w.history.W)), 1<<20)
	if err != nil {
		panic(err)
	}
	for _, m := range entries {
		w.history.W = append(w.history.W, entryOf(m, len(w.history.Commits), w.sentBefore(m.At)))
	}
}

// sentBefore counts the requests that had gone out at a moment.
func (w *world) sentBefore(millis int64) int {
	n := len(w.history.Requests)
	for n > 0 && w.history.Requests[n-1].At.UnixMilli() > millis {
		n--
	}
	return n
}

func entryOf(m emworld.Mutation, commits, requests int) oracle.Entry {
	return oracle.Entry{
		Seq: m.Seq, At: time.UnixMilli(m.At), Account: m.AccountID, Actor: m.Actor, Endpoint: m.Endpoint,
		Key: m.IdempotencyKey, Body: m.BodySHA256, JobID: m.JobID, OperationKey: m.OperationKey,
		Action: m.Action, Kind: oracle.KindOf(m.Resource),
		ID: m.ResourceID, Before: record(m.Before), After: record(m.After),
		Commit: commits, Request: requests,
	}
}

func record(text json.RawMessage) oracle.Record {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var r oracle.Record
	if err := d.Decode(&r); err != nil {
		panic(fmt.Sprintf("record %s: %v", text, err))
	}
	return r
}

// version notes how far a state has come.
func (w *world) version(agent int, h state.Header, certain bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history.Versions[agent] = append(w.history.Versions[agent], oracle.Version{
		Serial: h.Serial, Lineage: h.Lineage, Wrote: certain,
	})
}

// looked notes all a state holds. Not every write is one a process can die at.
func (w *world) looked(agent int, h state.Header, digest string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history.Versions[agent] = append(w.history.Versions[agent], oracle.Version{
		Serial: h.Serial, Lineage: h.Lineage, Digest: digest,
	})
}

// said is something an agent shows.
func (w *world) said(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.output.WriteString(text)
	w.output.WriteByte('\n')
}

// person sends what somebody else does at the account, past the faults' reach.
func (w *world) person(path string, body any, headers ...string) int {
	status, _ := w.ask(http.MethodPost, path, body, headers...)
	return status
}

// ask is person with the answer, and not for changes alone.
func (w *world) ask(method, path string, body any, headers ...string) (int, oracle.Record) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	r, err := http.NewRequestWithContext(w.ctx, method, "http://127.0.0.1/v1"+path, bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	if body == nil {
		r.Body = http.NoBody
	}
	r.Header.Set("Authorization", "Bearer "+personKey)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := direct{w.service}.RoundTrip(r)
	if err != nil {
		return 0, nil
	}
	said, _ := io.ReadAll(answer.Body) // it is in memory
	if answer.StatusCode >= 300 {
		return answer.StatusCode, nil
	}
	if method == http.MethodPost {
		w.count("edit by others")
	}
	return answer.StatusCode, record(said)
}

func (w *world) count(what string) { w.tally.add(what, 1) }
