package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/watch"

	"github.com/fsnotify/fsnotify"
)

const (
	oneCampaign     = "kind: campaign\nname: First one\nbidding_type: clicks\n"
	brokenCampaign  = "kind: campaign\nname: First one\n"
	anotherCampaign = "kind: campaign\nname: Second one\nbidding_type: clicks\n"
	threeCampaigns  = oneCampaign + "---\n" + anotherCampaign +
		"---\nkind: campaign\nname: Third one\nbidding_type: clicks\n"
)

// watched is a folder under a watcher, on a clock that only the test moves.
type watched struct {
	t       *testing.T
	dir     string
	events  chan fsnotify.Event
	errors  chan error
	refuses error        // what a folder that is added gets for an answer
	added   atomic.Int64 // how many were
	said    heard
}

// heard are what somebody else says while the test goes on.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *heard) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *heard) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func (w *heard) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Reset()
}

// onAClock runs a test on a watcher of a folder with the files. What was said
// up to the first report is taken off.
func onAClock(t *testing.T, files map[string]string, test func(w *watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &watched{t: t, dir: t.TempDir(), events: make(chan fsnotify.Event), errors: make(chan error)}
		for name, content := range files {
			w.save(name, content)
		}
		w.watch(w.dir, func() (watch.News, error) {
			return watch.News{Events: w.events, Errors: w.errors, Add: w.add, Close: func() {}}, nil
		})
		w.pass(time.Second)
		w.said.Reset()
		test(w)
	})
}

func (w *watched) watch(root string, listen func() (watch.News, error)) {
	ctx, cancel := context.WithCancel(w.t.Context())
	env := &session.Env{Console: console.Console{Out: &w.said, Err: &w.said, Getenv: func(string) string { return "" }}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		session.Watcher(env, root, session.LookAgain, listen, lookAt(ctx, env, root, session.QuietTime)).Run(ctx)
	}()
	w.t.Cleanup(func() { cancel(); <-ended })
}

func (w *watched) add(_ string, names ...string) error {
	if len(names) > 0 {
		return nil // the folder around it
	}
	w.added.Add(1)
	return w.refuses
}

// tell is an event of the system; the watcher never asks what it is about.
func (w *watched) tell() { w.events <- fsnotify.Event{} }

func (w *watched) pass(d time.Duration) {
	time.Sleep(d) // the clock of the bubble
	synctest.Wait()
}

func (w *watched) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *watched) save(name, content string) {
	w.t.Helper()
	w.do(os.MkdirAll(filepath.Dir(w.path(name)), 0o700))
	w.do(os.WriteFile(w.path(name), []byte(content), 0o600))
}

func (w *watched) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// reports returns what was shown since the last call: the last line of each report.
func (w *watched) reports() []string {
	var ends []string
	for line := range strings.Lines(w.said.String()) {
		if strings.Contains(line, "resource") && strings.Contains(line, ", ") && !strings.Contains(line, "ADS") ||
			strings.Contains(line, "nothing was changed") {
			ends = append(ends, strings.TrimSpace(line))
		}
	}
	w.said.Reset()
	return ends
}

func (w *watched) want(reports ...string) {
	w.t.Helper()
	if got := w.reports(); !slices.Equal(got, reports) {
		w.t.Errorf("the watcher shows %q, want %q", got, reports)
	}
}

func TestF2AFileThatIsAwayWhileItIsSavedIsNotMissing(t *testing.T) {
	files := map[string]string{"a.yaml": oneCampaign, "b.yaml": anotherCampaign}
	for _, row := range []struct {
		name string
		wait time.Duration // from the last look to the moment the file goes away
		tell bool
	}{
		{"the system tells", time.Second, true},
		{"a look falls between the two steps", session.LookAgain - 100*time.Millisecond, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			onAClock(t, files, func(w *watched) {
				w.settleLook()
				w.pass(row.wait)
				w.do(os.Rename(w.path("a.yaml"), w.path("a.yaml~")))
				if row.tell {
					w.tell()
				}
				w.pass(200 * time.Millisecond)
				w.save("a.yaml", oneCampaign+"---\n"+strings.Replace(oneCampaign, "First", "Third", 1))
				if row.tell {
					w.tell()
				}
				w.pass(2 * session.LookAgain)
				w.want("3 resources, no problems")
			})
		})
	}
}

// settleLook brings the clock to just behind a look.
func (w *watched) settleLook() {
	w.tell()
	w.pass(session.QuietTime)
}

func TestF3AHalfWrittenFileIsNeverTaken(t *testing.T) {
	for _, row := range []struct {
		name, half string
		tell       bool
	}{
		{"emptied, and news of it", "", true},
		{"emptied when it is looked at", "", false},
		{"cut at a line, and news of it", oneCampaign, true},
		{"cut at a line when it is looked at", oneCampaign, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			onAClock(t, map[string]string{"a.yaml": oneCampaign + "---\n" + anotherCampaign}, func(w *watched) {
				w.settleLook()
				w.pass(session.LookAgain - 100*time.Millisecond)
				w.save("a.yaml", row.half) // truncates and writes in place, as LibreOffice does
				if row.tell {
					w.tell()
				}
				w.pass(250 * time.Millisecond)
				w.save("a.yaml", threeCampaigns)
				if row.tell {
					w.tell()
				}
				w.pass(2 * session.LookAgain)
				w.want("3 resources, no problems")
			})
		})
	}
}

// TestF3WhatChangesAllTheTimeIsShownOnceItHoldsStill: events without an end do
// not keep the watcher from looking, and what it finds in motion is not shown.
func TestF3WhatChangesAllTheTimeIsShownOnceItHoldsStill(t *testing.T) {
	onAClock(t, map[string]string{"a.yaml": oneCampaign}, func(w *watched) {
		for i := range 100 {
			w.save("a.yaml", oneCampaign+strings.Repeat("#", i)+"\n")
			w.tell()
			w.pass(200 * time.Millisecond)
		}
		w.want()
		w.save("a.yaml", threeCampaigns)
		for range 100 { // a file beside it is written without an end
			w.tell()
			w.pass(200 * time.Millisecond)
		}
		w.want("3 resources, no problems")
	})
}

func TestF4TheDanceOfASaveIsOneReload(t *testing.T) {
	onAClock(t, map[string]string{"q4.yaml": oneCampaign}, func(w *watched) {
		step := func(err error) {
			w.do(err)
			w.tell()
			w.pass(40 * time.Millisecond)
		}
		write := func(name, content string) { step(os.WriteFile(w.path(name), []byte(content), 0o600)) }
		write("~$q4.yaml", "Ann") // Excel: its lock, the new file under a name of chance, the old one out of the way
		write("A1B2C3D4", threeCampaigns)
		step(os.Rename(w.path("q4.yaml"), w.path("5E6F7A8B.tmp")))
		step(os.Rename(w.path("A1B2C3D4"), w.path("q4.yaml")))
		step(os.Remove(w.path("5E6F7A8B.tmp")))
		step(os.Remove(w.path("~$q4.yaml")))
		w.pass(2 * session.LookAgain)
		w.want("3 resources, no problems")
	})
}

func TestF5AnOpenFileIsSaidAndWhatIsSavedCounts(t *testing.T) {
	onAClock(t, map[string]string{"a.yaml": oneCampaign}, func(w *watched) {
		w.save(".~lock.a.yaml#", ",ann,desk,01.12.2026 10:00,file:///home/ann;")
		w.tell()
		w.pass(2 * session.QuietTime)
		if said := w.said.String(); !strings.Contains(said,
			"a.yaml: warning: file is open in an editor; what is read is what was last saved") {
			t.Errorf("the watcher says %q, want that the file is open", said)
		}
		w.want("1 resource, 1 warning")
		w.save("a.yaml", threeCampaigns)
		w.tell()
		w.pass(2 * session.QuietTime)
		w.want("3 resources, 1 warning")
	})
}

func TestF6AFolderThatIsSwappedIsReadAsOneGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{t: t, dir: t.TempDir()}
		w.save("..1/a.yaml", oneCampaign)
		w.save("..2/a.yaml", brokenCampaign)
		w.do(os.Symlink("..1", w.path("..data")))
		w.watch(w.path("..data"), func() (watch.News, error) { return watch.News{}, errors.New("not here") })
		w.pass(time.Second)
		w.want("1 resource, no problems")
		w.do(os.Symlink("..2", w.path("..data_tmp")))
		w.do(os.Rename(w.path("..data_tmp"), w.path("..data")))
		w.do(os.RemoveAll(w.path("..1")))
		w.pass(session.LookAgain + 2*session.QuietTime)
		w.want("adsync: 1 error; nothing was changed")
	})
}

func TestF11WithoutRoomForWatchesFilesAreLookedAt(t *testing.T) {
	for _, row := range []struct {
		name   string
		listen func(w *watched) (watch.News, error)
		warns  string
	}{
		{"too many open files", func(*watched) (watch.News, error) { return watch.News{}, syscall.EMFILE },
			"(too many open files); looking every 5s"},
		{"no space left for another watch", func(w *watched) (watch.News, error) {
			w.refuses = syscall.ENOSPC
			return watch.News{Events: w.events, Errors: w.errors, Add: w.add, Close: func() {}}, nil
		}, "(no space left on device); looking every 5s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &watched{t: t, dir: t.TempDir()}
				w.save("a/a.yaml", oneCampaign)
				w.watch(w.dir, func() (watch.News, error) { return row.listen(w) })
				w.pass(3 * session.LookAgain)
				if said := w.said.String(); strings.Count(said, row.warns) != 1 {
					t.Errorf("the watcher says %q, want %q once", said, row.warns)
				}
				w.want("1 resource, no problems")
				w.save("a/a.yaml", threeCampaigns)
				w.pass(session.LookAgain + 2*session.QuietTime)
				w.want("3 resources, no problems")
			})
		})
	}
}

func TestF12WithoutAnyNewsFilesAreLookedAt(t *testing.T) {
	onAClock(t, map[string]string{"a.yaml": oneCampaign}, func(w *watched) {
		w.save("new/deep/b.yaml", anotherCampaign)
		w.pass(session.LookAgain + 2*session.QuietTime)
		w.want("2 resources, no problems")
		w.do(os.RemoveAll(w.path("new")))
		w.pass(session.LookAgain + 2*session.QuietTime)
		w.want("1 resource, no problems")
	})
}

func TestF12NewsThatEndsIsNoLoop(t *testing.T) {
	onAClock(t, map[string]string{"a.yaml": oneCampaign}, func(w *watched) {
		close(w.events)
		close(w.errors)
		w.save("a.yaml", threeCampaigns)
		w.pass(session.LookAgain + 2*session.QuietTime)
		w.want("3 resources, no problems")
		before := w.added.Load()
		w.pass(10 * session.LookAgain)
		if looks := w.added.Load() - before; looks > 11 {
			t.Errorf("the watcher looked %d times in 10 rounds, want about 10", looks)
		}
	})
}

func TestF18AChangeThatKeepsItsTimeIsSeen(t *testing.T) {
	onAClock(t, map[string]string{"a.yaml": oneCampaign}, func(w *watched) {
		for i, at := range []time.Time{time.Unix(0, 0), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)} {
			content := strings.Replace(oneCampaign, "First", []string{"Third", "Fifth"}[i], 1) // of the same length
			w.save("a.yaml", content)
			w.do(os.Chtimes(w.path("a.yaml"), at, at))
			w.pass(session.LookAgain + 2*session.QuietTime)
			w.want("1 resource, no problems")
		}
		w.do(os.Chtimes(w.path("a.yaml"), time.Now(), time.Now()))
		w.pass(session.LookAgain + 2*session.QuietTime)
		w.want() // another time and the same bytes are no change
	})
}

// TestF9AMissingFolderIsAnErrorNotAnEmptyAccount holds the reading; that the
// watch itself comes back is shown on the real file system.
func TestF9AMissingFolderIsAnErrorNotAnEmptyAccount(t *testing.T) {
	onAClock(t, map[string]string{"a.yaml": oneCampaign}, func(w *watched) {
		w.do(os.Rename(w.dir, w.dir+".away"))
		w.pass(session.LookAgain + 2*session.QuietTime)
		if said := w.said.String(); !strings.Contains(said, "cannot be opened; want a folder with sources") {
			t.Errorf("the watcher says %q, want that the folder cannot be opened", said)
		}
		w.want("adsync: 1 error; nothing was changed")
		w.do(os.Rename(w.dir+".away", w.dir))
		w.pass(session.LookAgain + 2*session.QuietTime)
		w.want("1 resource, no problems")
		if _, err := os.Stat(w.dir + ".away"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	})
}
