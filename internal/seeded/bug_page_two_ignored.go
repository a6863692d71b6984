//go:build bug_page_two_ignored

package seeded

const built = pageTwoIgnored
