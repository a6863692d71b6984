//go:build bug_list_decides

package seeded

const built = listDecides
