//go:build bug_commits_apart

package seeded

const built = commitsApart
