package files

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/watch"
)

// onDisk runs a watcher on the real file system with the system's own news. It
// looks by itself only every LookAgain: a test that wants to see news gives an hour.
func onDisk(t *testing.T, dir string, lookAgain time.Duration,
	listen func() (watch.News, error)) (until func(words string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	lines := make(chan string, 1000)
	out := &lineWriter{lines: lines}
	env := &session.Env{Console: console.Console{Out: out, Err: out, Getenv: func(string) string { return "" }}}
	w := session.Watcher(env, dir, lookAgain, listen, lookAt(ctx, env, dir, 5*time.Millisecond))
	w.Quiet = 5 * time.Millisecond
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return func(words string) {
		t.Helper()
		tooLate := time.After(time.Minute)
		for {
			select {
			case line := <-lines:
				if strings.Contains(line, words) {
					return
				}
			case <-tooLate:
				t.Fatalf("the watcher did not say %q within a minute", words)
			}
		}
	}
}

// lineWriter gives what is written line by line.
type lineWriter struct {
	lines chan<- string
	rest  []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		w.lines <- string(line)
		w.rest = rest
	}
}

func saveFile(t *testing.T, name, content string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	noError(t, os.WriteFile(name, []byte(content), 0o600))
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestF1EveryAtomicSaveIsSeen(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	saveFile(t, name, oneCampaign)
	until := onDisk(t, dir, time.Hour, session.SystemNews)
	until("1 resource, no problems")
	for range 2 { // a watch of the file itself would be gone after the first
		saveFile(t, name+".tmp", threeCampaigns)
		noError(t, os.Rename(name+".tmp", name))
		until("3 resources, no problems")
		saveFile(t, name+".tmp", oneCampaign)
		noError(t, os.Rename(name+".tmp", name))
		until("1 resource, no problems")
	}
}

func TestF8FilesInNewNestedFoldersAreFound(t *testing.T) {
	dir := t.TempDir()
	saveFile(t, filepath.Join(dir, "a.yaml"), oneCampaign)
	until := onDisk(t, dir, time.Hour, session.SystemNews)
	until("1 resource, no problems")
	saveFile(t, filepath.Join(dir, "q4", "eu", "b.yaml"), anotherCampaign)
	until("2 resources, no problems")
	saveFile(t, filepath.Join(dir, "q4", "eu", "b.yaml"), brokenCampaign) // the new folder is watched by now
	until("ADS1006")
}

func TestF9AFolderThatIsPutInTheOldOnesPlaceIsWatched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	sub := filepath.Join(dir, "q4")
	saveFile(t, filepath.Join(sub, "a.yaml"), oneCampaign)
	t.Run("a folder in it", func(t *testing.T) {
		until := onDisk(t, dir, time.Hour, session.SystemNews)
		until("1 resource, no problems")
		noError(t, os.Rename(sub, filepath.Join(dir, ".away")))
		until("no source is there")
		saveFile(t, filepath.Join(sub, "a.yaml"), threeCampaigns)
		until("3 resources, no problems")
		saveFile(t, filepath.Join(sub, "a.yaml"), oneCampaign)
		until("1 resource, no problems")
	})
	t.Run("the project's own", func(t *testing.T) {
		until := onDisk(t, dir, 50*time.Millisecond, session.SystemNews)
		until("1 resource, no problems")
		noError(t, os.Rename(dir, dir+".away"))
		until("cannot be opened; want a folder with sources")
		saveFile(t, filepath.Join(dir, "a.yaml"), threeCampaigns)
		until("3 resources, no problems")
	})
}
