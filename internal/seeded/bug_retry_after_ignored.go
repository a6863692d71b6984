//go:build bug_retry_after_ignored

package seeded

const built = retryAfterIgnored
