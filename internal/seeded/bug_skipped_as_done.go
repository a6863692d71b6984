//go:build bug_skipped_as_done

package seeded

const built = skippedAsDone
