//go:build bug_results_before_complete

package seeded

const built = resultsBeforeComplete
