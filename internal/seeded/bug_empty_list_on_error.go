//go:build bug_empty_list_on_error

package seeded

const built = emptyListOnError
