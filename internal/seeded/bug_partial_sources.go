//go:build bug_partial_sources

package seeded

const built = partialSources
