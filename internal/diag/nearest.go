package diag

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the candidate most like the word, or "" when none is near:
// at most a third of the letters may differ, counted as insertions, deletions,
// changes and swaps of neighbours.
func Nearest(word string, candidates []string) string {
	letters := utf8.RuneCountInString(word)
	best, bestDistance := "", letters/3+1
	for _, c := range candidates {
		if far := utf8.RuneCountInString(c) - letters; max(far, -far) > bestDistance {
			continue
		}
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if d < bestDistance || d == bestDistance && best != "" && c < best {
			best, bestDistance = c, d
		}
	}
	return best
}

// DidYouMean returns the hint for a misspelt word, or "".
func DidYouMean(word string, candidates []string) string {
	return Suggest(Nearest(word, candidates))
}

// Suggest is the hint that names what was meant, "" where that is "".
func Suggest(near string) string {
	if near == "" {
		return ""
	}
	return `did you mean "` + near + `"?`
}

func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// Misspelt returns the one candidate that a word is but for a letter too many, too
// few, another or two swapped, or for capitals; false where there is none or
// more than one, or the word is too short to tell.
func Misspelt(word string, candidates []string) (string, bool) {
	found := ""
	for _, c := range candidates {
		if distance(strings.ToLower(word), strings.ToLower(c)) > 1 ||
			len([]rune(c)) < shortestMisspelt && !strings.EqualFold(word, c) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = c
	}
	return found, found != ""
}

// shortestMisspelt is the shortest word one letter of which may be wrong: end is
// too near to and.
const shortestMisspelt = 4
