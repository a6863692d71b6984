package daemoncmd

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/emulator"
	"adsync/internal/watch"
	"adsync/sources/config"

	"github.com/fsnotify/fsnotify"
)

var fleetOf = flag.Int("fleet", 6, "how many accounts TestADaemonOfAFleet has; performance.md: 300")

const (
	fleetEvery = time.Minute
	fleetLate  = 20 * time.Second // what the slow account's answers take
)

// fleet is a service with many accounts, all asked from one address, and what a
// daemon asks of it; in a bubble of synctest.
type fleet struct {
	t       *testing.T
	service *emulator.Server
	slow    string // the key of an account that is answered late

	mu      sync.Mutex
	random  *rand.Rand
	asked   map[string][]time.Time // by key, since counting began
	changed int                    // requests that could change something
	refused int                    // answers of 429
	synced  map[string]bool        // by account
}

// performance.md: a daemon of 300 accounts in which nothing happens, all of one
// address at a service that enforces its limits. A look is one request, none is
// refused, every account is looked at every minute, and one that is answered late
// costs the others nothing. make floor has all 300.
func TestADaemonOfAFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, *fleetOf)
		defer f.run()()
		began := time.Now()
		for len(f.inSync()) < *fleetOf {
			if time.Since(began) > time.Hour {
				t.Fatalf("after an hour %d of %d accounts are in sync", len(f.inSync()), *fleetOf)
			}
			time.Sleep(fleetEvery)
		}
		t.Logf("%d accounts are as their files say after %s", *fleetOf, time.Since(began))
		time.Sleep(5 * fleetEvery) // what was made is read back
		const hour = 30 * fleetEvery
		f.count("")
		time.Sleep(hour)
		f.judge(hour)
		f.count(keyOfFleet(0))
		time.Sleep(hour)
		f.judge(hour)
	})
}

func keyOfFleet(i int) string { return fmt.Sprintf("sk-fleet-%03d", i) }

func newFleet(t *testing.T, accounts int) *fleet {
	f := &fleet{t: t, random: newRandom(1), synced: map[string]bool{}}
	var seeded []emulator.Account
	for i := range accounts {
		seeded = append(seeded, emulator.Account{
			ID: fmt.Sprintf("adacct_%03d", i), Name: "Fleet",
			Currency: "USD", TimeZone: "UTC", Key: keyOfFleet(i), Features: emulator.AllFeatures(),
		})
	}
	var err error
	f.service, err = emulator.Open(emulator.Options{Seed: 1, Accounts: seeded})
	noError(t, err)
	return f
}

// run starts a daemon of all accounts, each with a folder and a state on disk, and
// gives what ends it.
func (f *fleet) run() (end func()) {
	root := f.t.TempDir()
	log := slog.New(slog.DiscardHandler)
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string {
			return ""
		}}}
	env.Flags.Quiet, env.Backing.Transport = true, f
	d := &daemonRun{env: env, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	d.looks = looking{again: time.Hour, blind: time.Hour, listen: func() (watch.News, error) {
		return watch.News{Events: make(chan fsnotify.Event), Close: func() {}}, nil
	}}
	d.hub = daemon.New(daemon.Options{Logger: log, Random: f.chance, Redact: d.secrets.redact, Observer: f})
	// What is read beside looks has tests of its own: here each look is counted.
	settings := config.Daemon{Listen: config.Setting{Value: listenNowhere}, NoFigures: true}
	for i := range *fleetOf {
		name := fmt.Sprintf("account-%03d", i)
		folder := filepath.Join(root, name)
		saveProject(f.t, folder, i)
		saveFile(f.t, filepath.Join(root, name+".key"), keyOfFleet(i))
		operator := filepath.Join(root, name+".yaml")
		saveFile(f.t, operator, fmt.Sprintf("base_url: http://127.0.0.1/v1\ncredentials: {file: %s.key}\n",
			filepath.Join(root, name)))
		settings.Accounts = append(settings.Accounts, config.DaemonAccount{
			Name: config.Setting{Value: name}, Folder: folder,
			Operator: operator, Every: fleetEvery, Full: 24 * time.Hour, Settle: time.Second,
		})
	}
	accounts := d.accounts(settings, &page{config: settings, log: log})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.hub.Run(ctx, accounts, nil)
	}()
	return func() {
		cancel()
		<-ended
		noError(f.t, f.service.Close())
	}
}

// projectOfFleet are the files of each account.
const projectOfFleet = `kind: campaign
key: c
name: Campaign
status: paused
bidding_type: clicks
budget: {lifetime: 10.00}
ad_groups:
- {key: g, name: Group, status: paused, bid: {max: 0.50}}
`

func saveProject(t *testing.T, folder string, account int) {
	t.Helper()
	noError(t, os.MkdirAll(folder, 0o700))
	saveFile(t, filepath.Join(folder, "adsync.yaml"),
		fmt.Sprintf("account: {id: adacct_%03d, currency: USD, timezone: UTC}\n", account))
	saveFile(t, filepath.Join(folder, "ads.yaml"), projectOfFleet)
}

// RoundTrip takes 50 ms, and notes what is asked.
func (f *fleet) RoundTrip(r *http.Request) (*http.Response, error) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	asked := time.Now()
	time.Sleep(50 * time.Millisecond)
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := httptest.NewRecorder()
	f.service.ServeHTTP(answer, r)
	f.mu.Lock()
	if f.asked != nil {
		f.asked[key] = append(f.asked[key], asked)
	}
	if r.Method != http.MethodGet {
		f.changed++
	}
	if answer.Code == http.StatusTooManyRequests {
		f.refused++
	}
	late := key == f.slow
	f.mu.Unlock()
	if late {
		time.Sleep(fleetLate)
	}
	return answer.Result(), nil
}

// Ran notes an account that has nothing to do.
func (f *fleet) Ran(account string, r daemon.Result, _ time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.synced[account] = r.Class == daemon.InSync
	if !f.synced[account] {
		delete(f.synced, account)
	}
}

// chance is asked by every account's loop.
func (f *fleet) chance() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.Float64()
}

// Broke is a mistake of the daemon.
func (f *fleet) Broke(account, what string) { f.t.Errorf("%s: %s broke off", account, what) }

func (f *fleet) inSync() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for name := range f.synced {
		names = append(names, name)
	}
	return names
}

// count begins to count; from now on the account of a key is answered late.
func (f *fleet) count(slow string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.changed, f.slow = map[string][]time.Time{}, 0, slow
}

// judge holds what was asked in the time that was counted: one request a look, and
// a look every minute of every account that is answered in time. A tenth of the
// minute is drawn, so that not all ask at once.
func (f *fleet) judge(during time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	sent, longest := 0, time.Duration(0)
	for i := range *fleetOf {
		key := keyOfFleet(i)
		at := f.asked[key]
		sent += len(at)
		if key == f.slow {
			continue
		}
		if least, most := int(during/fleetEvery)-1, int(during*10/(9*fleetEvery))+1; len(at) < least || len(at) > most {
			f.t.Errorf("account %d was asked about %d times in %s; want %d to %d: one request a look, a look a minute",
				i, len(at), during, least, most)
		}
		for n := 1; n < len(at); n++ {
			longest = max(longest, at[n].Sub(at[n-1]))
		}
	}
	if longest > fleetEvery*11/10 {
		f.t.Errorf("an account was not looked at for %s; want every %s, and a tenth more", longest, fleetEvery)
	}
	if f.refused > 0 || f.changed > 0 {
		f.t.Errorf("%d requests were refused, %d could change something; want none", f.refused, f.changed)
	}
	f.t.Logf("%d accounts, %s: %d requests, the longest time between two looks %s", *fleetOf, during, sent, longest)
}
