//go:build bug_daily_as_lifetime

package seeded

const built = dailyAsLifetime
