//go:build !linux

package postgres

import (
	"time"

	"golang.org/x/sys/unix"
)

// awake returns how long the machine has run. On macOS this clock goes on while the machine sleeps.
func awake() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err) // POSIX has the clock
	}
	return time.Duration(now.Nano())
}
