//go:build bug_stale_plan

package seeded

const built = stalePlan
