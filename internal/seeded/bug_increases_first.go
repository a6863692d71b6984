//go:build bug_increases_first

package seeded

const built = increasesFirst
