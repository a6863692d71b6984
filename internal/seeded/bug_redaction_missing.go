//go:build bug_redaction_missing

package seeded

const built = redactionMissing
