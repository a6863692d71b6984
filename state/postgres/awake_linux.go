package postgres

import (
	"time"

	"golang.org/x/sys/unix"
)

// awake returns how long the machine has run. It counts sleep, which time.Since does not: a lease goes on while a
// laptop is closed.
func awake() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		panic(err) // the clock is part of every Linux since 2.6.39
	}
	return time.Duration(now.Nano())
}
