//go:build bug_archived_twin_adopted

package seeded

const built = archivedTwinAdopted
