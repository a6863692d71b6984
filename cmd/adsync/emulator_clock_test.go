package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// clockPath is where an emulator shows and moves its clock.
const clockPath = "/_emulator/clock"

// emulatorClock is the clock of the emulator at an address: a process that
// sleeps moves it instead, so that nobody waits, and the next process goes on
// from there. Without an address it is the system's.
func emulatorClock(address string) session.Clock {
	if address == "" {
		return session.Clock{}
	}
	var ahead atomic.Int64 // of the system's clock, nanoseconds
	follow := func(answer *http.Response, err error) error {
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		var at struct {
			Advanced float64 `json:"advanced_seconds"`
		}
		if err := json.NewDecoder(answer.Body).Decode(&at); err != nil {
			return err
		}
		ahead.Store(int64(at.Advanced * float64(time.Second)))
		return nil
	}
	if err := follow(http.Get(address)); err != nil {
		fmt.Fprintf(os.Stderr, "read the emulator's clock: %v\n", err)
		os.Exit(console.ExitInternal)
	}
	return session.Clock{
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			body := fmt.Sprintf(`{"advance_seconds": %.9f}`, d.Seconds())
			if err := follow(http.Post(address, "application/json", strings.NewReader(body))); err != nil {
				return err
			}
			return ctx.Err()
		},
	}
}
