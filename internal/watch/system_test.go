package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// looked runs a watcher that only news can wake, and gives a channel that says
// each time that it looked.
func looked(t *testing.T, s *System, root string) <-chan bool {
	t.Helper()
	looks := make(chan bool, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{
		Root: root, Quiet: time.Millisecond, LookAgain: time.Hour,
		Listen: s.Listen, Look: func() time.Duration { looks <- true; return 0 }, Note: t.Errorf,
	}
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	await(t, looks, "the first look")
	return looks
}

func await(t *testing.T, looks <-chan bool, what string) {
	t.Helper()
	select {
	case <-looks:
	case <-time.After(time.Minute):
		t.Fatalf("%s did not come within a minute", what)
	}
}

func system(t *testing.T) *System {
	t.Helper()
	s, err := NewSystem()
	noError(t, err)
	t.Cleanup(func() { noError(t, s.Close()) })
	return s
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestF10LostNewsIsMadeUpForByLooking makes more changes than the system's queue
// holds while nothing takes them out, so that news of the last is lost.
func TestF10LostNewsIsMadeUpForByLooking(t *testing.T) {
	dir := t.TempDir()
	s := system(t)
	looks := looked(t, s, dir)
	n, err := s.Listen()
	noError(t, err)
	defer n.Close()
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	noError(t, err)
	events, err := strconv.Atoi(strings.TrimSpace(string(limit)))
	noError(t, err)
	s.mu.Lock() // nobody hears
	one, other := filepath.Join(dir, "one.txt"), filepath.Join(dir, "other.txt")
	noError(t, os.WriteFile(one, nil, 0o600))
	for range events/2 + 4096 { // two events each; the library takes up to 4096 out of the queue
		noError(t, os.Rename(one, other))
		one, other = other, one
	}
	s.mu.Unlock()
	select {
	case err := <-n.Errors:
		if !strings.Contains(err.Error(), "overflow") {
			t.Errorf("the system says %v; want that its queue was full", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the queue was never full")
	}
	await(t, looks, "a look after news was lost")
}

// TestOneQueueServesAllFolders: each watcher is woken by its own folder, also by
// one that takes its place, and by no other.
func TestOneQueueServesAllFolders(t *testing.T) {
	parent := t.TempDir()
	s := system(t)
	roots := []string{filepath.Join(parent, "a"), filepath.Join(parent, "b")}
	var looks []<-chan bool
	for _, root := range roots {
		noError(t, os.Mkdir(root, 0o700))
		looks = append(looks, looked(t, s, root))
	}
	quiet := func(which int) {
		t.Helper()
		for len(looks[which]) > 0 {
			<-looks[which]
		}
	}
	quiet(0)
	noError(t, os.WriteFile(filepath.Join(roots[1], "x.yaml"), []byte("x"), 0o600))
	await(t, looks[1], "a look at the folder that was changed")
	if len(looks[0]) > 0 {
		t.Error("the other folder was looked at as well")
	}
	noError(t, os.Rename(roots[0], roots[0]+".away")) // F9: the root itself
	await(t, looks[0], "a look at the folder that is gone")
	quiet(0)
	noError(t, os.Mkdir(roots[0], 0o700))
	await(t, looks[0], "a look at the folder that is there again")
	quiet(0)
	noError(t, os.WriteFile(filepath.Join(roots[0], "y.yaml"), []byte("y"), 0o600))
	await(t, looks[0], "a look at a file of the folder that is there again")
}

// TestF6ASwapOfALinkIsNews: the link is in the folder around the root.
func TestF6ASwapOfALinkIsNews(t *testing.T) {
	mount := t.TempDir()
	for _, generation := range []string{"..1", "..2"} {
		noError(t, os.Mkdir(filepath.Join(mount, generation), 0o700))
	}
	data := filepath.Join(mount, "..data")
	noError(t, os.Symlink("..1", data))
	looks := looked(t, system(t), data)
	noError(t, os.Symlink("..2", data+"_tmp"))
	noError(t, os.Rename(data+"_tmp", data))
	await(t, looks, "a look after the swap")
}

// TestNamedFilesAloneAreListenedFor: a watcher of some files is not woken by what
// happens beside them.
func TestNamedFilesAloneAreListenedFor(t *testing.T) {
	dir := t.TempDir()
	s := system(t)
	n, err := s.Listen()
	noError(t, err)
	defer n.Close()
	noError(t, n.Add(dir, "STOP"))
	noError(t, os.WriteFile(filepath.Join(dir, "state.db"), nil, 0o600))
	noError(t, os.WriteFile(filepath.Join(dir, "STOP"), nil, 0o600))
	select {
	case e := <-n.Events:
		if filepath.Base(e.Name) != "STOP" {
			t.Errorf("the first event is of %s; want STOP alone", e.Name)
		}
	case <-time.After(time.Minute):
		t.Fatal("no event of STOP within a minute")
	}
}

// TestNamedFilesOfAFolderThatIsNotThereYet: the folder is made, and then a file in it;
// each is news at once.
func TestNamedFilesOfAFolderThatIsNotThereYet(t *testing.T) {
	root := filepath.Join(t.TempDir(), "shop", ".adsync")
	looks := make(chan bool, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	w := &Watcher{Root: root, Files: []string{"STOP"},
		Quiet: time.Millisecond, LookAgain: time.Hour, Listen: system(t).Listen, Look: func() time.Duration {
			_, err := os.Stat(filepath.Join(root, "STOP"))
			looks <- err == nil
			return 0
		}, Note: t.Errorf}
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	if <-looks {
		t.Fatal("the file is there before it was written")
	}
	noError(t, os.MkdirAll(root, 0o700))
	await(t, looks, "a look after the folder was made")
	noError(t, os.WriteFile(filepath.Join(root, "STOP"), nil, 0o600))
	for late := time.After(time.Minute); ; {
		select {
		case stands := <-looks:
			if stands {
				return
			}
		case <-late:
			t.Fatal("the file in a folder that was made later is no news")
		}
	}
}
