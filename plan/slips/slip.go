package slips

import (
	"cmp"
	"slices"
	"unicode"
)

// Limits of a slip of the fingers.
const (
	slipLetters     = 8  // letters of a name that may differ in one
	slipWordLetters = 5  // and of the word that differs: in a short one another letter is another word
	slipLongest     = 64 // characters; of longer names only look-alikes are found
)

// form is a name with one letter left out, or none.
type form struct {
	hash uint64
	of   int // which sibling
}

// slips finds names of which one is the other with one letter left out, added,
// replaced, or exchanged with its neighbour. Such two are the same once the
// right letter is left out of one or both, so names that share a form are
// compared, and no others.
func (f *family) slips() (found []twinning) {
	forms := f.forms()
	twins := map[int]int{} // of the first of the others, by create
	for i, a := range forms {
		for _, b := range forms[i+1:] {
			if b.hash != a.hash {
				break
			}
			f.pairUp(twins, a.of, b.of)
		}
	}
	for i := range f.siblings {
		if other, is := twins[i]; is {
			found = append(found, twinning{&f.siblings[i], &f.siblings[other], oneLetter})
		}
	}
	return found
}

// pairUp notes the later of two new siblings, or the new one, as the twin.
func (f *family) pairUp(twins map[int]int, i, j int) {
	i, j = min(i, j), max(i, j)
	create, other := j, i
	if f.siblings[j].change < 0 {
		create, other = i, j
	}
	if i == j || f.siblings[create].change < 0 || !slipped(f.siblings[i].skeleton, f.siblings[j].skeleton) {
		return
	}
	if before, is := twins[create]; !is || other < before {
		twins[create] = other
	}
}

func (f *family) forms() []form {
	var forms []form
	for i := range f.siblings {
		name := f.siblings[i].skeleton
		if len(name) > slipLongest || lettersOf(name) < slipLetters-1 { // the shorter may lack the eighth
			continue
		}
		forms = append(forms, form{hashWithout(name, -1), i})
		for at := range name {
			if maySlip(name, at) {
				forms = append(forms, form{hashWithout(name, at), i})
			}
		}
	}
	slices.SortFunc(forms, func(a, b form) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.of, b.of)) })
	return forms
}

func lettersOf(name []rune) int {
	n := 0
	for _, r := range name {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// hashWithout is FNV-1a over the name, one letter left out.
func hashWithout(name []rune, without int) uint64 {
	hash := uint64(14695981039346656037)
	for i, r := range name {
		if i != without {
			hash = (hash ^ uint64(r)) * 1099511628211
		}
	}
	return hash
}

// maySlip reports whether a letter may be a slip: it is of an alphabet, in a word of
// some length, and not the first of it, which people get right.
func maySlip(name []rune, at int) bool {
	if !unicode.In(name[at], unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return false
	}
	start, end := at, at
	for start > 0 && unicode.IsLetter(name[start-1]) {
		start--
	}
	for end < len(name) && unicode.IsLetter(name[end]) {
		end++
	}
	return at > start && end-start >= slipWordLetters
}

// slipped reports whether two names are one slip apart.
func slipped(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if lettersOf(b) < slipLetters {
		return false
	}
	at := equalEnd(a, b, func(s []rune, i int) rune { return s[i] })
	rest := equalEnd(a[at:], b[at:], func(s []rune, i int) rune { return s[len(s)-1-i] })
	switch was, is := a[at:len(a)-rest], b[at:len(b)-rest]; {
	case len(was) == 0 && len(is) == 1:
		return maySlip(b, at)
	case len(was) == 1 && len(is) == 1:
		return maySlip(a, at) && maySlip(b, at)
	case len(was) == 2 && len(is) == 2 && was[0] == is[1] && was[1] == is[0]:
		return maySlip(a, at) && maySlip(a, at+1)
	}
	return false
}
