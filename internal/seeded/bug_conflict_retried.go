//go:build bug_conflict_retried

package seeded

const built = conflictRetried
