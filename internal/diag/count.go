package diag

import (
	"fmt"
	"strings"
)

// Plural returns a count with its noun: 1 row, 2 rows.
func Plural[N int | int64](n N, noun string) string { return Counted(n, noun, noun+"s") }

// Counted returns a count with its noun in either form: 1 entry, 2 entries.
func Counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// OrList joins texts as a choice: a, b or c.
func OrList(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}
