package notify

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/secret"
)

// quietOrders are orders of nobody, and an archive of nothing.
type quietOrders struct {
	daemon.Orders
	daemon.Archive
}

func (quietOrders) Suspension(time.Time) *daemon.Suspension { return nil }
func (quietOrders) Pauses() ([]daemon.StandingPause, error) { return nil, nil }
func (quietOrders) Take() daemon.Wishes                     { return daemon.Wishes{} }

type workerFunc func(context.Context, daemon.Request) daemon.Result

func (f workerFunc) Run(ctx context.Context, r daemon.Request) daemon.Result { return f(ctx, r) }

// The address is asked for while the loop of every account turns: not before, and no
// more once a run hangs, though the others go on.
func TestTheAddressOfAliveIsAskedForWhileLoopsTurn(t *testing.T) {
	const every, hour = time.Minute, time.Hour
	hangs := func(ctx context.Context, _ daemon.Request) { <-ctx.Done() }
	for _, tc := range []struct {
		name        string
		poll        time.Duration // how often the account looks
		work        func(ctx context.Context, r daemon.Request)
		least, most int           // times it is asked for within an hour
		last        time.Duration // not later than that
	}{
		{"an account with nothing to do", time.Minute, func(context.Context, daemon.Request) {}, 35, 61, hour},
		{"one that looks once a day", 24 * time.Hour, func(context.Context, daemon.Request) {}, 35, 61, hour},
		{"one whose first run hangs", time.Minute, hangs, 0, 1, 2 * every},
		{"one whose run hangs in a request", time.Minute, func(ctx context.Context,
			r daemon.Request) {
			daemon.Away(ctx, 0, func() { hangs(ctx, r) })
		}, 0, 1, 2 * every},
		{"one whose run hangs after half an hour of work", time.Minute, func(ctx context.Context, r daemon.Request) {
			for range 60 {
				time.Sleep(30 * time.Second)
				r.Tell("outcome", nil)
			}
			hangs(ctx, r)
		}, 20, 31, hour/2 + 2*every},
		{"one that works for an hour", time.Minute, func(_ context.Context, r daemon.Request) {
			for range 120 {
				time.Sleep(30 * time.Second)
				r.Tell("outcome", nil)
			}
		}, 35, 61, hour},
		{"one that the service has wait", time.Minute, func(ctx context.Context, _ daemon.Request) {
			daemon.Away(ctx, 15*time.Minute, func() { time.Sleep(15 * time.Minute) })
		}, 35, 61, hour},
		{"one whose runs break off", time.Minute, func(context.Context, daemon.Request) { panic("a mistake") },
			35, 61, hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, times, last := time.Now(), 0, time.Duration(0)
				var hub *daemon.Hub
				alive, err := NewAlive(secret.New("https://monitor.example/secret-path"), every, AliveOptions{
					Moved: func(since time.Time) bool { return hub.Moved(since) },
					Send:  func(context.Context) error { times, last = times+1, time.Since(began); return nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				hub = daemon.New(daemon.Options{
					Random: func() float64 { return 0.5 }, Moves: alive.Ring, Doze: every / 2,
				})
				ctx, stop := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() { alive.Run(ctx) })
				account := func(name string, poll time.Duration,
					work func(context.Context, daemon.Request)) daemon.Account {
					worker := workerFunc(func(ctx context.Context, r daemon.Request) daemon.Result {
						work(ctx, r)
						return daemon.Result{Class: daemon.InSync}
					})
					return daemon.Account{
						Name: name, Every: poll, Full: 24 * time.Hour,
						Worker: worker, Orders: quietOrders{}, Archive: quietOrders{},
					}
				}
				accounts := []daemon.Account{account("shop", tc.poll, tc.work),
					account("books", time.Minute, func(context.Context, daemon.Request) {})}
				running.Go(func() { hub.Run(ctx, accounts, nil) })
				time.Sleep(hour)
				synctest.Wait()
				stop()
				running.Wait()
				if times < tc.least || times > tc.most || last > tc.last || tc.last == hour && last < hour-2*every {
					t.Errorf("asked for %d times, last after %s; want %d to %d times, and until %s",
						times, last, tc.least, tc.most, tc.last)
				}
			})
		})
	}
}

// A daemon that nothing rings asks for nothing: its loops have all stopped.
func TestAliveHasNoClockOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := false
		alive, err := NewAlive(secret.New("https://monitor.example/x"), time.Minute, AliveOptions{
			Moved: func(time.Time) bool { return true }, Send: func(context.Context) error { asked = true; return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go alive.Run(ctx)
		time.Sleep(time.Hour)
		synctest.Wait()
		if stop(); asked {
			t.Error("it was asked for although no loop turned")
		}
	})
}

// An address that does not answer is tried on, said once, and stands in no log.
func TestAnAddressOfAliveThatDoesNotAnswer(t *testing.T) {
	var log bytes.Buffer
	tries := 0
	synctest.Test(t, func(t *testing.T) {
		alive, err := NewAlive(secret.New("https://monitor.example/secret-path"), time.Minute, AliveOptions{
			Moved: func(time.Time) bool { return true }, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Send: func(context.Context) error { tries++; return errors.New("no route") },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go alive.Run(ctx)
		for range 60 {
			time.Sleep(5 * time.Second)
			alive.Ring()
		}
		synctest.Wait()
		stop()
	})
	if tries < 10 || strings.Count(log.String(), "does not answer") != 1 ||
		strings.Contains(log.String(), "secret-path") {
		t.Errorf("%d tries in five minutes, and the log says:\n%s", tries, &log)
	}
}

// What is asked for is a plain GET, which says nothing of accounts; other answers than
// 2xx are failures, and no redirect is followed.
func TestHowTheAddressOfAliveIsAskedFor(t *testing.T) {
	var seen atomic.Value
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Method + " " + r.URL.String())
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer server.Close()
	alive, err := NewAlive(secret.New(server.URL+"/ping/1"), time.Minute, AliveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, status = range []int{http.StatusOK, http.StatusNotFound, http.StatusFound} {
		if err := alive.Ask(t.Context()); (err == nil) != (status == http.StatusOK) || seen.Load() != "GET /ping/1" {
			t.Errorf("Ask = %v with %d, after %q; want GET /ping/1, and an error but for 200", err, status, seen.Load())
		}
	}
	if _, err := NewAlive(secret.New("http://monitor.example/secret-path"), time.Minute, AliveOptions{}); err == nil ||
		strings.Contains(err.Error(), "secret-path") {
		t.Errorf("NewAlive = %v; want that it is no https, without the address", err)
	}
}
