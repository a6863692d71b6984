package daemoncmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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

// followed is a daemon of one folder in a bubble of synctest: the service, the
// clock and the system's news are the test's.
type followed struct {
	*testing.T
	top, dir string
	service  *emulator.Server
	hub      *daemon.Hub

	mu   sync.Mutex
	ears []chan fsnotify.Event
	runs []daemon.Result // since the last call of want
	sent int             // requests that could change something, since then
}

const (
	followedKey    = "sk-followed"
	followedSettle = 2 * time.Second
)

var followedFiles = map[string]string{
	"adsync.yaml": "account: {id: adacct_followed, currency: USD, timezone: UTC}\n",
	"spring.yaml": springAt("50.00") + "ad_groups:\n" +
		"- {key: g, name: Group, status: paused, bid: {max: 0.50}, context_hints: [{file: hints/a.txt}]}\n---\n" +
		strings.NewReplacer("spring", "summer", "Spring", "Summer").Replace(springAt("20.00")),
	"autumn.yaml": strings.NewReplacer("spring", "autumn", "Spring", "Autumn").Replace(springAt("10.00")),
	"hints/a.txt": "people who run\n",
}

// follow runs a test on a daemon once its account is what the files say. A deaf one
// hears nothing of the system. It looks for itself every so often.
func follow(t *testing.T, deaf bool, every time.Duration, test func(f *followed)) {
	t.Helper()
	followAs(t, deaf, config.DaemonAccount{Every: every}, test)
}

// followAs is follow of an account that says something of its own.
func followAs(t *testing.T, deaf bool, own config.DaemonAccount, test func(f *followed)) {
	t.Helper()
	every := own.Every
	synctest.Test(t, func(t *testing.T) {
		f := &followed{T: t, top: t.TempDir()}
		f.dir = filepath.Join(f.top, "shop")
		for name, content := range followedFiles {
			f.save(name, content)
		}
		var err error
		f.service, err = emulator.Open(emulator.Options{Seed: 1, Accounts: []emulator.Account{{
			ID: "adacct_followed", Name: "Followed",
			Currency: "USD", TimeZone: "UTC", Key: followedKey, Features: emulator.AllFeatures(),
		}}})
		noError(t, err)
		defer f.run(deaf, own)()
		for began := time.Now(); f.last().Class != daemon.InSync; f.pass(time.Minute) {
			if time.Since(began) > 3*time.Hour+2*every {
				t.Fatalf("the account is never what the files say: %s %s", f.last().Class, f.last().Message)
			}
		}
		f.pass(3 * every) // what was made is read back
		f.forget()
		test(f)
	})
}

func (f *followed) run(deaf bool, own config.DaemonAccount) (end func()) {
	log := slog.New(slog.DiscardHandler)
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string {
			return ""
		}}}
	env.Flags.Quiet, env.Backing.Transport = true, f
	d := &daemonRun{env: env, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	if d.looks = (looking{listen: f.listen}); deaf {
		d.looks.listen = listenTo(nil)
	}
	f.hub = daemon.New(daemon.Options{Logger: log, Random: newRandom(1).Float64, Redact: d.secrets.redact, Observer: f})
	d.hub = f.hub
	operator := filepath.Join(f.top, "operator.yaml")
	saveFile(f.T, operator, fmt.Sprintf("base_url: http://127.0.0.1/v1\ncredentials: {file: "+
		"%q}\npolicy: {prune: pause, max_daily_exposure: 1000, exposure: {percent: 1000000}, shrink: {percent: 100}}\n",
		filepath.Join(f.top, "key")))
	saveFile(f.T, filepath.Join(f.top, "key"), followedKey)
	own.Name, own.Folder, own.Operator, own.Full, own.Settle = config.Setting{Value: "shop"},
		f.dir, operator, 24*time.Hour, followedSettle
	config := config.Daemon{Listen: config.Setting{Value: listenNowhere}, Accounts: []config.DaemonAccount{own}}
	accounts := d.accounts(config, &page{config: config, log: log})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.hub.Run(ctx, accounts, nil)
	}()
	return func() {
		cancel()
		<-ended
		noError(f.T, f.service.Close())
	}
}

func (f *followed) listen() (watch.News, error) {
	ear := make(chan fsnotify.Event, 16)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ears = append(f.ears, ear)
	return watch.News{Events: ear, Close: func() {}}, nil
}

// emit is an event of the system; no watcher asks what it is about.
func (f *followed) emit() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ear := range f.ears {
		select {
		case ear <- fsnotify.Event{}:
		default:
		}
	}
}

// RoundTrip takes 50 ms, and counts what could change something.
func (f *followed) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(50 * time.Millisecond)
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := httptest.NewRecorder()
	f.service.ServeHTTP(answer, r)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method != http.MethodGet {
		f.sent++
	}
	return answer.Result(), nil
}

func (f *followed) Ran(_ string, r daemon.Result, _ time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs = append(f.runs, r)
}

// Broke is a mistake of the daemon.
func (f *followed) Broke(_, what string) { f.Errorf("%s broke off", what) }

func (f *followed) last() daemon.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.runs) == 0 {
		return daemon.Result{}
	}
	return f.runs[len(f.runs)-1]
}

func (f *followed) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs, f.sent = nil, 0
}

// want holds how the last run since the one before ended, and that nothing was sent.
func (f *followed) want(class daemon.Class, message string) {
	f.Helper()
	if r := f.last(); r.Class != class || !strings.Contains(r.Message, message) {
		f.Errorf("the last of %d runs ended %s: %q; want %s: %q", len(f.runs), r.Class, r.Message, class, message)
	}
	if f.sent > 0 {
		f.Errorf("%d requests could change something; want none", f.sent)
	}
	f.forget()
}

func (f *followed) pass(t time.Duration) { time.Sleep(t); synctest.Wait() }

func (f *followed) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *followed) save(name, content string) { f.Helper(); saveFile(f.T, f.path(name), content) }

func (f *followed) away(name string) {
	f.Helper()
	noError(f.T, os.Rename(f.path(name), filepath.Join(f.top, "away")))
}

func (f *followed) back(name string) {
	f.Helper()
	noError(f.T, os.Rename(filepath.Join(f.top, "away"), f.path(name)))
}

// TestF2F3ARunInTheMiddleOfASaveSendsNothing: a webhook, a poll or a person begins
// a run between two steps of a save. What it read is held against what is there
// once files have had their time to settle.
func TestF2F3ARunInTheMiddleOfASaveSendsNothing(t *testing.T) {
	for _, row := range []struct{ name, file, half string }{
		{"a file is away", "autumn.yaml", "-"},
		{"a file is empty", "autumn.yaml", ""},
		{"a file is cut behind a resource", "spring.yaml", springAt("50.00")},
		{"an amount is taken back", "autumn.yaml", strings.Replace(followedFiles["autumn.yaml"], "10.00", "1.00", 1)},
		{"the project's own file is away", "adsync.yaml", "-"},
	} {
		t.Run(row.name, func(t *testing.T) {
			follow(t, false, time.Minute, func(f *followed) {
				if row.half == "-" {
					f.away(row.file)
				} else {
					f.save(row.file, row.half)
				}
				noError(t, f.hub.Wake("shop", daemon.Push))
				f.pass(followedSettle / 2)
				f.save(row.file, followedFiles[row.file])
				f.pass(followedSettle)
				f.want(daemon.Transient, "the files change while they are read")
				f.pass(time.Minute)
				f.want(daemon.InSync, "")
			})
		})
	}
}

// TestF9AFolderThatIsAwayIsWaitedFor: nothing is sent and nothing is made in its
// place, so that it can come back by its name.
func TestF9AFolderThatIsAwayIsWaitedFor(t *testing.T) {
	t.Run("renamed", func(t *testing.T) {
		follow(t, false, time.Minute, func(f *followed) {
			f.away("")
			f.emit()
			f.pass(5 * time.Minute)
			f.want(daemon.Input, "cannot be opened; want a folder with sources")
			if _, err := os.Lstat(f.dir); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("the folder is there again (%v); want nothing in its place", err)
			}
			f.back("")
			f.emit()
			f.pass(10 * time.Second)
			f.want(daemon.InSync, "")
		})
	})
	t.Run("empty, as where a mount was", func(t *testing.T) {
		follow(t, false, time.Minute, func(f *followed) {
			f.away("")
			noError(t, os.Mkdir(f.dir, 0o700))
			f.emit()
			f.pass(5 * time.Minute)
			f.want(daemon.Misplaced, "the state of the account is gone")
			noError(t, os.Remove(f.dir)) // nothing was made in it
			f.back("")
			f.emit()
			f.pass(10 * time.Second)
			f.want(daemon.InSync, "")
		})
	})
	t.Run("another in its place, without the state", func(t *testing.T) {
		follow(t, false, time.Minute, func(f *followed) {
			f.away("")
			for name, content := range followedFiles {
				f.save(name, strings.Replace(content, "10.00", "9.00", 1))
			}
			f.emit()
			f.pass(5 * time.Minute)
			f.want(daemon.Misplaced, "the state of the account is gone")
			noError(t, os.Rename(filepath.Join(f.top, "away", ".adsync"), f.path(".adsync")))
			f.pass(15 * time.Minute)
			if r := f.last(); r.Class != daemon.InSync || f.sent == 0 {
				t.Errorf("with its state the account is %s (%s) "+
					"after %d requests that could change something; want in_sync", r.Class, r.Message, f.sent)
			}
		})
	})
}

// TestF11ADaemonWithoutAQueueSeesASave sooner than one that is told of changes has to.
func TestF11ADaemonWithoutAQueueSeesASave(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	follow(t, true, time.Hour, func(f *followed) {
		for _, budget := range []string{"9.00", "8.00", "7.00"} { // at any moment between two looks
			f.forget()
			f.save("autumn.yaml", strings.Replace(followedFiles["autumn.yaml"], "10.00", budget, 1))
			f.pass(rescanBlind + 2*followedSettle + 5*time.Second)
			if r := f.last(); r.Class != daemon.Applied {
				t.Errorf("the last run ended %q: %s; want the save applied within %s and the time to settle",
					r.Class, r.Message, rescanBlind)
			}
		}
	})
}

// TestF13F15F16WhatIsMendedIsReadAgain: what is wrong with the files is no source, a row
// whose file is missing waits, and once it is mended nobody has to say so.
func TestF13F15F16WhatIsMendedIsReadAgain(t *testing.T) {
	link := func(f *followed) error { return os.Symlink("spring.yaml", f.path("link.yaml")) }
	pipe := func(f *followed) error { return syscall.Mkfifo(f.path("pipe.yaml"), 0o600) }
	for _, row := range []struct {
		name, file, want string
		class            daemon.Class
		wrong            func(f *followed) error // nil: the file goes away
	}{
		{"a link", "link.yaml", "a symbolic link stands among the sources", daemon.Input, link},
		{"a pipe", "pipe.yaml", "is not a regular file", daemon.Input, pipe},
		{"a file that a row names", "hints/a.txt", `file is "hints/a.txt", which is not there`, daemon.Partial, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			follow(t, false, time.Minute, func(f *followed) {
				if row.wrong == nil {
					f.away(row.file)
				} else {
					noError(t, row.wrong(f))
				}
				f.emit()
				f.pass(10 * time.Second)
				f.want(row.class, row.want)
				f.pass(3 * time.Minute)
				f.want(row.class, row.want)
				if row.wrong == nil {
					f.back(row.file)
				} else {
					noError(t, os.Remove(f.path(row.file)))
				}
				f.emit()
				f.pass(10 * time.Second)
				f.want(daemon.InSync, "")
			})
		})
	}
}
