package reconcile_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"adsync/reconcile/env"

	"github.com/google/go-cmp/cmp"
)

// breaking is a transport that panics at its nth mutation, and counts what is
// sent after that.
type breaking struct {
	mu    sync.Mutex
	at    int
	count int
	late  int // mutations that began after the panic
	broke bool
}

func (b *breaking) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && b.breaks() {
		panic("at a mutation")
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (b *breaking) breaks() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	if b.broke {
		b.late++
	}
	if b.count == b.at {
		b.broke = true
		return true
	}
	return false
}

// S20 in a process that goes on: what breaks off in a goroutine of an apply ends
// that apply in the goroutine that called it, nothing is settled or sent after it
// but what was under way, and the next apply goes on from the journal to the same end.
func TestS20APanicOfAGoroutineEndsTheRunAndNotTheProcess(t *testing.T) {
	s := scenarios()[0]
	whole := s.Start(t)
	whole.clean()
	want := whole.ending()
	beside := 0
	for at := 1; ; at++ {
		w := s.Start(t)
		b := &breaking{at: at}
		broke := w.breaksOff(b)
		if !b.broke {
			break
		}
		if broke == nil {
			t.Fatalf("mutation %d panics, and the run does not", at)
		}
		if strings.Contains(broke.stack, "errgroup.(*Group).Go") {
			beside++
		}
		if most := 8; b.late > most {
			t.Errorf("%d mutations are sent after the panic at the %d.; want at most those under way, %d",
				b.late, at, most)
		}
		w.restarted()
		w.clean()
		if diff := cmp.Diff(want, w.ending()); diff != "" {
			t.Errorf("a panic at mutation %d: the end (-of the run that was whole +of this one):\n%s", at, diff)
		}
	}
	if beside < 3 {
		t.Errorf("%d panics were in a goroutine of an apply; want some", beside)
	}
}

type brokeOff struct{ stack string }

// breaksOff applies through a transport that panics, and gives what the run broke
// off with; nil where it did not.
func (w *world) breaksOff(b *breaking) (broke *brokeOff) {
	survivor := w.agent
	w.agent = w.through(b, w.store)
	w.agent.Breaks = &env.Breaks{}
	defer func() {
		w.agent = survivor
		switch cause := recover().(type) {
		case nil:
		case *env.Broke:
			broke = &brokeOff{string(cause.Stack)}
		default:
			broke = &brokeOff{fmt.Sprint(cause)}
		}
	}()
	if err := w.work(); err != nil {
		w.t.Fatalf("a run that nothing breaks off: %v", err)
	}
	return nil
}
