//go:build bug_lock_by_text

package seeded

const built = lockByText
