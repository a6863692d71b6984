package adsapi

import "time"

// DefaultLimits are the limits of a Config that gives none.
func DefaultLimits() Limits { return Config{}.withDefaults().Limits }

// Least is the least time in which requests can be sent under the limits:
// submissions of bulk jobs among all of them.
func (l Limits) Least(all, submissions int) time.Duration {
	return max(windows(all, part(l.Overall, l.Share), time.Minute),
		windows(submissions, part(l.Bulk, l.Share), 10*time.Second))
}

// LeastOf is the least time in which requests can be sent to one endpoint.
func (l Limits) LeastOf(requests int) time.Duration {
	return windows(requests, part(l.PerEndpoint, l.Share), time.Minute)
}

// windows is how long requests have to wait for windows before theirs.
func windows(requests, size int, period time.Duration) time.Duration {
	return time.Duration(max(requests-1, 0)/size) * period
}
