//go:build bug_no_fsync

package seeded

const built = noFsync
