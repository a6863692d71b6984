//go:build bug_key_from_clock

package seeded

const built = keyFromClock
