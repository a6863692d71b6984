//go:build bug_foreign_pause_undone

package seeded

const built = foreignPauseUndone
