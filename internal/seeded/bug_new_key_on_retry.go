//go:build bug_new_key_on_retry

package seeded

const built = newKeyOnRetry
