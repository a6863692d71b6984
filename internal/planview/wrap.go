package planview

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Columns is how many columns of a terminal a printable text takes.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch kind := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Wrap cuts a text into lines of at most so many columns, between words. A word
// that is longer stays whole: an address or a flag has to be copied.
func Wrap(text string, most int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	for _, word := range splitWords(text) {
		takes := Columns(word)
		if used > 0 && used+1+takes > most {
			lines = append(lines, line.String())
			line.Reset()
			used = 0
		}
		if used > 0 {
			line.WriteByte(' ')
			used++
		}
		line.WriteString(word)
		used += takes
	}
	return append(lines, line.String())
}

// words keeps a flag and its value together.
func splitWords(text string) []string {
	words := strings.Split(text, " ")
	for i := 0; i+1 < len(words); i++ {
		if words[i] == "--allow" {
			words[i] += " " + words[i+1]
			words = append(words[:i+1], words[i+2:]...)
		}
	}
	return words
}

func Pad(s string, to int) string { return s + strings.Repeat(" ", max(to-Columns(s), 0)) }
