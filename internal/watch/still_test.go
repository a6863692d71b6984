package watch

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// desk is a watcher with a Still on a clock that only the test moves. What the
// files say is what sum holds.
type desk struct {
	mu     sync.Mutex
	sum    string
	looks  int
	told   []string
	still  *Still
	events chan fsnotify.Event
}

func onAClock(t *testing.T, settle time.Duration, test func(d *desk)) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{sum: "first", events: make(chan fsnotify.Event)}
		d.still = &Still{Settle: settle, Sum: d.look, Changed: d.tell}
		w := &Watcher{
			Root: "/nowhere", Quiet: 100 * time.Millisecond,
			LookAgain: 30 * time.Second, Look: d.still.Look, Note: t.Errorf,
			Listen: func() (News, error) { return News{Events: d.events, Close: func() {}}, nil },
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); w.Run(ctx) }()
		d.pass(10 * time.Second)
		d.forget()
		test(d)
		cancel()
		<-ended
	})
}

func (d *desk) tell(sum string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told = append(d.told, sum)
}

func (d *desk) heard() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.told)
}

func (d *desk) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.told = nil
}

func (d *desk) looked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.looks
}

func (d *desk) pass(t time.Duration) { time.Sleep(t); synctest.Wait() }

func (d *desk) look() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.looks++
	return d.sum
}

// put changes what the files say without news of it; save tells.
func (d *desk) put(sum string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sum, d.looks = sum, 0
}

func (d *desk) save(sum string) { d.put(sum); d.events <- fsnotify.Event{} }

func TestAChangeIsToldOnceItHasHeldStill(t *testing.T) {
	onAClock(t, 2*time.Second, func(d *desk) {
		d.save("second")
		d.pass(2 * time.Second)
		if len(d.heard()) > 0 {
			t.Errorf("told %q within the time files have to settle", d.heard())
		}
		d.pass(200 * time.Millisecond) // from a save to the word of it: settle and the quiet after an event
		if want := []string{"second"}; !slices.Equal(d.heard(), want) {
			t.Errorf("told %q; want %q", d.heard(), want)
		}
	})
}

// TestF3AnEmptiedFileInsideTheWindowIsNotTold: what was there for less than
// settle is never told, however it came and went.
func TestF3AnEmptiedFileInsideTheWindowIsNotTold(t *testing.T) {
	onAClock(t, 2*time.Second, func(d *desk) {
		for range 5 {
			d.save("emptied")
			d.pass(1500 * time.Millisecond)
			d.save("half")
			d.pass(1900 * time.Millisecond)
		}
		d.save("whole")
		d.pass(time.Minute)
		if want := []string{"whole"}; !slices.Equal(d.heard(), want) {
			t.Errorf("told %q; want %q", d.heard(), want)
		}
	})
}

func TestAChangeThatIsTakenBackIsNotTold(t *testing.T) {
	onAClock(t, 2*time.Second, func(d *desk) {
		d.save("second")
		d.pass(time.Second)
		d.save("first")
		d.pass(time.Minute)
		if len(d.heard()) > 0 {
			t.Errorf("told %q; want nothing: the files say what they said", d.heard())
		}
	})
}

// TestF12WithoutNewsTheSumIsTakenAllTheSame, and events without a change are no
// change.
func TestF12WithoutNewsTheSumIsTakenAllTheSame(t *testing.T) {
	onAClock(t, 2*time.Second, func(d *desk) {
		d.put("second")
		d.pass(32 * time.Second)
		if want := []string{"second"}; !slices.Equal(d.heard(), want) {
			t.Errorf("told %q; want %q", d.heard(), want)
		}
		for range 100 {
			d.events <- fsnotify.Event{}
		}
		d.pass(time.Minute)
		if len(d.heard()) > 1 {
			t.Errorf("told %q; want nothing more", d.heard())
		}
	})
}

// TestAFolderThatIsBusyIsLookedAtInTime: events without an end neither keep
// a watcher from looking nor have it look all the time.
func TestAFolderThatIsBusyIsLookedAtInTime(t *testing.T) {
	onAClock(t, 2*time.Second, func(d *desk) {
		d.put("second")
		for range 1000 {
			d.events <- fsnotify.Event{}
			d.pass(10 * time.Millisecond)
		}
		if want := []string{"second"}; !slices.Equal(d.heard(), want) || d.looked() > 110 {
			t.Errorf("told %q in %d looks of ten busy seconds; want %q in about 100", d.heard(), d.looked(), want)
		}
	})
}

// TestWhatAnotherHasSeenIsNotTold: a run that has read the files itself is not
// woken for them.
func TestWhatAnotherHasSeenIsNotTold(t *testing.T) {
	onAClock(t, 2*time.Second, func(d *desk) {
		d.still.Took("second")
		d.save("second")
		d.pass(time.Minute)
		if len(d.heard()) > 0 {
			t.Errorf("told %q; want nothing: it was taken already", d.heard())
		}
		if !d.still.Holds("second") || d.still.Holds("first") {
			t.Error("the sum that is there does not hold, or another one does")
		}
	})
}

// counted runs a watcher of nothing for ten minutes, and gives how often it looked.
func counted(t *testing.T, listen func(ctx context.Context) (News, error)) (looks int) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		w := &Watcher{
			Root: t.TempDir(), Quiet: 100 * time.Millisecond,
			LookAgain: 30 * time.Second, Blind: 10 * time.Second, Note: func(string, ...any) {},
			Listen: func() (News, error) { return listen(ctx) }, Look: func() time.Duration { looks++; return 0 },
		}
		w.Run(ctx)
		time.Sleep(time.Second) // whoever sends events ends
	})
	return looks
}

// TestF11F12WithoutNewsAFolderIsLookedAtMoreOften, for whatever reason there is none.
func TestF11F12WithoutNewsAFolderIsLookedAtMoreOften(t *testing.T) {
	end := func() {}
	for _, row := range []struct {
		name   string
		listen func(context.Context) (News, error)
		looks  int
	}{
		{"the system tells", func(context.Context) (News, error) {
			return News{Events: make(chan fsnotify.Event), Close: end}, nil
		}, 20},
		{"nobody asked it to", func(context.Context) (News, error) { return News{Close: end}, nil }, 60},
		{"it has no queue left", func(context.Context) (News, error) { return News{}, syscall.EMFILE }, 60},
		{"it has no room for a folder", func(context.Context) (News, error) {
			return News{
				Events: make(chan fsnotify.Event),
				Add:    func(string, ...string) error { return syscall.ENOSPC }, Close: end,
			}, nil
		}, 60},
		{"its news ends", func(context.Context) (News, error) {
			ended := make(chan fsnotify.Event)
			close(ended)
			return News{Events: ended, Close: end}, nil
		}, 60},
	} {
		t.Run(row.name, func(t *testing.T) {
			looks := counted(t, row.listen)
			if looks < row.looks-1 || looks > row.looks+2 {
				t.Errorf("%d looks in ten minutes; want %d", looks, row.looks)
			}
		})
	}
}

// TestALargeFolderThatIsBusyCostsLittle: also the time it takes to ask for news of
// its folders counts for how soon it is looked at again.
func TestALargeFolderThatIsBusyCostsLittle(t *testing.T) {
	looks := counted(t, func(ctx context.Context) (News, error) {
		busy := make(chan fsnotify.Event)
		go func() {
			for {
				select {
				case busy <- fsnotify.Event{}:
				case <-ctx.Done():
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		return News{
			Events: busy, Add: func(string, ...string) error { time.Sleep(250 * time.Millisecond); return nil },
			Close: func() {},
		}, nil
	})
	if looks > 120 {
		t.Errorf("%d looks of half a second in ten minutes; want one every 5 s", looks)
	}
}
