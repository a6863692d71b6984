package adsapi

import "sync"

const (
	// spareRetries are given at the start, and are the most that are saved up.
	spareRetries = 50
	// earnedRetry is what every request adds: one retry in ten.
	earnedRetry = 0.1
)

// budget bounds all retries of a client together, so that a service in trouble
// is not asked six times for everything: at most 50, and one for every ten
// requests.
type budget struct {
	mu     sync.Mutex
	tokens float64
}

func newBudget() *budget { return &budget{tokens: spareRetries} }

// earn counts a request that is no retry.
func (b *budget) earn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.tokens+earnedRetry, spareRetries)
}

// spend reports whether one more retry may be made, and counts it.
func (b *budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
