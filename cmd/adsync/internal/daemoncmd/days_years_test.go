package daemoncmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/emulator"
	emworld "adsync/internal/emulator/world"
	"adsync/internal/orders"
	"adsync/internal/testing/oracle"
	"adsync/internal/watch"
	"adsync/sources/config"
	"adsync/state"

	"github.com/fsnotify/fsnotify"
)

const (
	yearsAccount = "adacct_days"
	yearsKey     = "sk-canary-of-the-daemon"
	yearsPerson  = "sk-canary-of-a-person"
	yearsZone    = "America/New_York"
)

// years are a service, an account's folder, and the daemon that keeps them equal.
type years struct {
	t       *testing.T
	seed    uint64
	random  *rand.Rand
	chances *rand.Rand // of the daemon
	zone    *time.Location
	dir     string // the account's folder
	service *emulator.Server
	ears    []chan fsnotify.Event // of those who watch
	life    *life
	lives   int
	hub     *daemon.Hub
	known   *journalled
	began   time.Time

	files   oracle.Files // the newest commit
	limits  []limit
	limited time.Time // the last day of the last of them
	made    int       // resources the files ever named
	deaf    bool      // the system tells this daemon nothing any more
	taken   int64
	did     map[string]int
	quiet   bool // nothing happens on purpose
	ages    []age
	others  int // goroutines of other tests

	mu      sync.Mutex
	history oracle.History
	wide    []oracle.Entry // its entries, and those of limits

	wideCommits []oracle.Files // its commits, with the limits
	run         *oracle.Apply  // that goes on
	runs        int
	requests    int // of today
	looks       int // of today
	fulls       int
	read        time.Time // when the whole account was last read
	unread      time.Duration
	result      daemon.Result
	ended       time.Time
	bad         error
	log         bytes.Buffer
}

// age is how large things were, and at which day.
type age struct {
	day        int
	goroutines int
	fds        int
	heap       int64
	state      int64
}

func newYears(t *testing.T, seed uint64) *years {
	y := &years{
		t: t, seed: seed, random: newRandom(seed), chances: newRandom(seed + 1<<32), did: map[string]int{},
		files: oracle.Files{}, others: runtime.NumGoroutine(), began: time.Now(), read: time.Now(),
	}
	y.known = &journalled{sent: map[string]bool{}, begun: map[string]int{}, steps: map[string]state.Step{}}
	var err error
	y.zone, err = time.LoadLocation(yearsZone)
	noError(t, err)
	root := t.TempDir()
	if at, err := os.Stat("/dev/shm"); err == nil && at.IsDir() {
		root, err = os.MkdirTemp("/dev/shm", "adsync-days-")
		noError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(root) })
	}
	y.dir = filepath.Join(root, "shop")
	noError(t, os.MkdirAll(y.dir, 0o700))
	saveFile(t, filepath.Join(y.dir, "adsync.yaml"),
		"account: {id: "+yearsAccount+", currency: USD, timezone: "+yearsZone+"}\n")
	saveFile(t, filepath.Join(root, "key"), yearsKey)
	saveFile(t, filepath.Join(root, "operator.yaml"), operatorOfYears(root))
	account := emulator.Account{
		ID: yearsAccount, Name: "Days", Currency: "USD",
		TimeZone: yearsZone, Key: yearsKey, Features: emulator.AllFeatures(),
	}
	account.Keys = []emulator.APIKey{{Name: "person", Key: yearsPerson}}
	y.service, err = emulator.Open(emulator.Options{Seed: seed | 1, Accounts: []emulator.Account{account}})
	noError(t, err)
	y.wideCommits = []oracle.Files{{}}
	_, known, _ := y.service.World().ByKey(yearsKey)
	y.history = oracle.History{
		Account: yearsAccount, Credentials: []string{yearsKey},
		Actors: []string{known.Actor}, Secrets: []string{yearsKey, yearsPerson},
		Commits: []oracle.Files{{}}, Released: map[string]bool{},
		Versions: map[int][]oracle.Version{}, KeysHold: true, ListsHold: true, Prune: "pause",
	}
	y.history.Spent = y.spent
	return y
}

// operatorOfYears allows wide enough for what the days ask for; its freeze window
// opens on Friday evenings.
func operatorOfYears(root string) string {
	text := `base_url: http://127.0.0.1/v1
credentials: {file: ` + filepath.Join(root, "key") + `}
policy:
  max_daily_exposure: 100000
  prune: pause
  updates: {percent: 100}
  exposure: {percent: 100000}
  budget: {hold_above: 1000, refuse_from: 1001}
  bid: {hold_above: 1000, refuse_from: 1001, share: 100}
  shrink: {percent: 100}
  freeze:
  - {name: weekend, cron: "0 18 * * 5", for: 10h, timezone: ` + yearsZone + `, reason: nobody is there}
allow:
`
	for _, allow := range []string{"activates", "shifted", "series",
		"scale", "mass-edit", "updates=1000", "exposure=1000000/day", "raises-spend=1000000/day", "archives"} {
		text += fmt.Sprintf("- {allow: %q, until: 2098-12-31, owner: Ann, reason: days}\n", allow)
	}
	return text
}

func (y *years) close() {
	y.end()
	noError(y.t, y.service.Close())
}

// begin starts the daemon on the folder as it is.
func (y *years) begin() {
	y.lives++
	l := &life{number: y.lives, years: y, ended: make(chan struct{})}
	y.life = l
	y.ears = nil
	log := slog.New(slog.NewTextHandler(logOf{y}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string {
			return ""
		}}}
	env.Flags.Quiet, env.Flags.Operator = true, filepath.Join(filepath.Dir(y.dir), "operator.yaml")
	env.Backing = session.Backing{Transport: l, WrapStore: func(s state.Store) state.Store {
		return &disk{s, l, y.known}
	}}
	d := &daemonRun{env: env, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	d.looks = looking{again: time.Hour, blind: time.Hour, listen: func() (watch.News, error) {
		ear := make(chan fsnotify.Event, 16)
		y.mu.Lock()
		defer y.mu.Unlock()
		y.ears = append(y.ears, ear)
		return watch.News{Events: ear, Close: func() {}}, nil
	}}
	d.hub = daemon.New(daemon.Options{Logger: log, Random: y.chance, Redact: d.secrets.redact, Observer: breaks{y}})
	config := config.Daemon{Listen: config.Setting{Value: listenNowhere}, Accounts: []config.DaemonAccount{{
		Name: config.Setting{Value: "shop"}, Folder: y.dir,
		Every: time.Hour, Full: 24 * time.Hour, Settle: 2 * time.Second,
	}}}
	accounts := d.accounts(config, &page{config: config, log: log})
	accounts[0].Worker = &judged{accounts[0].Worker, y, l}
	y.hub = d.hub
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	go func() {
		defer close(l.ended)
		d.hub.Run(ctx, accounts, nil)
	}()
	synctest.Wait() // its first run has read the files
}

// end has the daemon end, as SIGTERM does where it was not killed before.
func (y *years) end() {
	if y.life == nil {
		return
	}
	y.life.cancel()
	<-y.life.ended
	y.life = nil
}

// logOf keeps what the daemon says, for invariant 22.
type logOf struct{ y *years }

func (l logOf) Write(b []byte) (int, error) {
	l.y.mu.Lock()
	defer l.y.mu.Unlock()
	return l.y.log.Write(b)
}

// breaks has every panic of the daemon be a mistake.
type breaks struct{ y *years }

func (b breaks) Ran(string, daemon.Result, time.Duration) {}

func (b breaks) Broke(_, what string) { b.y.wrong(fmt.Errorf("%s broke off", what)) }

func (y *years) wrong(err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.bad == nil {
		y.bad = err
	}
}

// judged is the worker, with what the oracle wants to know of each run.
type judged struct {
	daemon.Worker
	years *years
	life  *life
}

func (j *judged) Run(ctx context.Context, request daemon.Request) daemon.Result {
	y := j.years
	y.collect()
	y.mu.Lock()
	y.runs++
	run := &oracle.Apply{Process: j.life.number, Commit: len(y.history.Commits) - 1, From: y.taken, Open: true}
	y.run = run
	y.history.Applies = append(y.history.Applies, run)
	y.mu.Unlock()
	r := j.Worker.Run(ctx, request)
	y.collect()
	y.mu.Lock()
	defer y.mu.Unlock()
	y.run = nil
	run.Open, run.To, run.Crashed, run.Failed = false, y.taken, j.life.isDead(), r.Run == nil
	y.requests += r.Requests
	y.looks++
	if !j.life.isDead() {
		y.result, y.ended = r, time.Now()
		if r.Message != "" {
			y.log.WriteString(r.Message + "\n")
		}
		if r.Skipped && (r.Requests > 1 || r.Plan != nil) && r.Class != daemon.Transient && y.bad == nil && y.quiet {
			y.bad = fmt.Errorf("a look that found nothing sent %d requests; want 1", r.Requests)
		}
	}
	if from, to := run.From, run.To; from == to && r.Run == nil { // nothing happened that a judgement needs
		y.history.Applies = y.history.Applies[:len(y.history.Applies)-1]
	}
	return r
}

// commitOfRun is what the files said when the run that goes on began. known.mu may
// be held.
func (y *years) commitOfRun() int {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.run != nil {
		return y.run.Commit
	}
	return len(y.history.Commits) - 1
}

// chance is the daemon's own, draw that of what happens.
func (y *years) chance() float64 {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.chances.Float64()
}

func (y *years) draw(n int) int { return y.random.IntN(n) }

// direct hands a request to the service without a wire.
func (y *years) direct(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	a := &directAnswer{header: http.Header{}, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		defer func() { a.broken = recover() != nil }()
		y.service.ServeHTTP(a, r)
	}()
	select {
	case <-a.done:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if a.broken && a.status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return a.response(r), nil
}

// directAnswer is what the service writes.
type directAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
	broken bool
	done   chan struct{}
}

func (a *directAnswer) Header() http.Header { return a.header }

func (a *directAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *directAnswer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *directAnswer) Flush() {}

func (a *directAnswer) response(r *http.Request) *http.Response {
	body := &cutBody{Reader: &a.body}
	if length, err := strconv.Atoi(a.header.Get("Content-Length")); a.broken || err == nil && length > a.body.Len() {
		body.err = io.ErrUnexpectedEOF
	}
	return &http.Response{
		Status: strconv.Itoa(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header.Clone(), Body: body, ContentLength: int64(a.body.Len()), Request: r,
	}
}

// note writes a request down as it goes out.
func (y *years) note(l *life, r *http.Request) *oracle.Request {
	var content []byte
	if r.Body != nil {
		content, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(content))
	}
	sum := sha256.Sum256(content)
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	n := &oracle.Request{
		At: time.Now(), Process: l.number, Method: r.Method,
		Path: path, Query: r.URL.RawQuery, Key: r.Header.Get("Idempotency-Key"),
		Body: hex.EncodeToString(sum[:]), Content: content, Commit: y.commitOfRun(),
		DryRun:     path == "/bulk_mutation_jobs" && bytes.Contains(content, []byte(`"validate_only":true`)),
		Credential: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
	}
	n.Journalled, n.Commit = y.known.holds(n)
	y.mu.Lock()
	defer y.mu.Unlock()
	n.N = len(y.history.Requests) + 1
	y.history.Requests = append(y.history.Requests, n)
	return n
}

func (y *years) answered(n *oracle.Request, response *http.Response, body []byte, err error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	n.Answered = time.Now()
	if response == nil {
		return
	}
	n.Status = response.StatusCode
	text := bytes.TrimSpace(body)
	n.Whole = err == nil && (n.Status >= 300 || bytes.HasPrefix(text, []byte("{")) &&
		bytes.HasSuffix(text, []byte("}")))
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil &&
		(n.Status == 429 || n.Status >= 500) {
		n.RetryAfter = time.Duration(seconds) * time.Second
	}
	if n.Method == http.MethodGet && n.Path == "/campaigns" &&
		n.Whole && n.Status == 200 && !strings.Contains(n.Query, "name=") {
		y.unread, y.read = max(y.unread, n.Answered.Sub(y.read)), n.Answered
		y.fulls++
	}
}

// collect takes what the service's log has gained into the history.
func (y *years) collect() {
	y.mu.Lock()
	defer y.mu.Unlock()
	entries, err := y.service.World().Mutations(y.taken, 1<<20)
	noError(y.t, err)
	for _, m := range entries {
		y.taken = m.Seq
		sent := len(y.history.Requests)
		for sent > 0 && y.history.Requests[sent-1].At.UnixMilli() > m.At {
			sent--
		}
		e := entryOfYears(m, len(y.history.Commits), sent)
		y.wide = append(y.wide, e)
		if e.Kind == limitKind && e.Actor == y.history.Actors[0] {
			y.did["limit written"]++
		}
		if e.Kind != limitKind { // of them it judges the money alone
			y.history.W = append(y.history.W, e)
		}
	}
	y.history.Output = y.log.String()
}

func entryOfYears(m emworld.Mutation, commits, requests int) oracle.Entry {
	return oracle.Entry{
		Seq: m.Seq, At: time.UnixMilli(m.At), Account: m.AccountID, Actor: m.Actor, Endpoint: m.Endpoint,
		Key: m.IdempotencyKey, Body: m.BodySHA256, JobID: m.JobID, OperationKey: m.OperationKey,
		Action: m.Action, Kind: m.Resource, ID: m.ResourceID,
		Before: recordOfYears(m.Before), After: recordOfYears(m.After),
		Commit: commits, Request: requests,
	}
}

func recordOfYears(text json.RawMessage) (r oracle.Record) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&r); err != nil && err != io.EOF {
		panic(err)
	}
	return r
}

func (y *years) tail() string {
	y.mu.Lock()
	defer y.mu.Unlock()
	text := y.log.String()
	return text[max(0, len(text)-4000):]
}

// person sends what somebody else does at the account.
func (y *years) person(path string, body any) int {
	text := []byte{}
	if body != nil {
		text, _ = json.Marshal(body)
	}
	r, err := http.NewRequest(http.MethodPost, "http://127.0.0.1/v1"+path, bytes.NewReader(text))
	noError(y.t, err)
	r.Header.Set("Authorization", "Bearer "+yearsPerson)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := y.direct(r)
	if err != nil {
		return 0
	}
	return answer.StatusCode
}

func (y *years) orders() orders.Place { return orders.Folder(filepath.Join(y.dir, ".adsync")) }
