//go:build bug_share_only

package seeded

const built = shareOnly
