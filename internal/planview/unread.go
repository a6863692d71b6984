package planview

import (
	"slices"

	"adsync/internal/diag"
)

// unreadOf returns which columns and sheets of the files are not read, by name, but
// for adsync's own.
func unreadOf(d *Document) []string {
	return diag.UnreadLines(slices.DeleteFunc(slices.Clone(d.Unread), diag.Unread.IsOurs))
}
