package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
)

// lines compares two texts line by line, where their meaning cannot be told.
func (c *comparer) lines(a, b *sideFile) {
	from, to := sideLines(a), sideLines(b)
	name := cmp.Or(b, a).name
	start := 0
	for start < len(from) && start < len(to) && from[start] == to[start] {
		start++
	}
	end := 0
	for end < len(from)-start && end < len(to)-start && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	gone, come := unpaired(from[start:len(from)-end], to[start:len(to)-end])
	for _, i := range gone {
		c.add(Difference{
			Action: Removed, What: fmt.Sprintf("%s:%d", name, start+i+1),
			From: shownLine(from[start+i]), Was: diag.At(name, start+i+1, 0),
		})
	}
	for _, i := range come {
		c.add(Difference{
			Action: Added, What: fmt.Sprintf("%s:%d", name, start+i+1),
			To: shownLine(to[start+i]), Is: diag.At(name, start+i+1, 0),
		})
	}
}

func sideLines(f *sideFile) []string {
	if f == nil || len(f.content) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(f.content), "\n"), "\n")
}

func shownLine(line string) string {
	return `"` + diag.Printable(strings.ToValidUTF8(line, "\ufffd")) + `"`
}

// mostCompared bounds the work for lines that differ; beyond it every line of
// both stretches counts as changed.
const mostCompared = 4_000_000

// unpaired returns the indexes of the lines that are in no longest common
// subsequence of the two.
func unpaired(from, to []string) (gone, come []int) {
	if len(from)*len(to) > mostCompared {
		return indexes(len(from)), indexes(len(to))
	}
	width := len(to) + 1
	longest := make([]int32, (len(from)+1)*width)
	for i := len(from) - 1; i >= 0; i-- {
		for j := len(to) - 1; j >= 0; j-- {
			longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			if from[i] == to[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(from) && j < len(to) {
		switch {
		case from[i] == to[j]:
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			gone, i = append(gone, i), i+1
		default:
			come, j = append(come, j), j+1
		}
	}
	return slices.Concat(gone, indexes(len(from))[i:]), slices.Concat(come, indexes(len(to))[j:])
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
