package slips

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Limits of search and replace.
const (
	replacedFrom    = 5  // rows it changed
	replacedPercent = 30 // and more than this share of the kind
	replacedShown   = 3  // replacements of one attribute that are looked for
)

// replacement is one substring in place of another, wherever it stood. An empty
// from is a text that was added at one end.
type replacement struct {
	from, to string
	atStart  bool
}

// makes reports whether replacing everywhere gives the text.
func (r replacement) makes(was, desired string) bool {
	switch {
	case r.from != "":
		return strings.ReplaceAll(was, r.from, r.to) == desired
	case r.atStart:
		return r.to+was == desired
	}
	return was+r.to == desired
}

// says returns that an attribute of some rows had this done to it.
func (r replacement) says(attribute, share string) string {
	key, text := "slip.replaced", ""
	switch {
	case r.from == "" && r.atStart:
		key, text = "slip.put-before", quoted(r.to)
	case r.from == "":
		key, text = "slip.put-after", quoted(r.to)
	case r.to == "":
		key, text = "slip.taken-out", quoted(r.from)
	default:
		text = diag.Becomes(quoted(r.from), quoted(r.to))
	}
	return catalogue.Fill(key, "text", text, "attribute", attribute, "share", share)
}

// replacements finds a text replaced everywhere.
type replacements struct{ *finder }

// findReplacements finds the same replacement in many rows: search and replace.
// It is how people work, so it is shown, and never held.
func (d *replacements) findReplacements(e *edits) {
	switch e.attribute.Type {
	case resource.TypeText, resource.TypeURL, resource.TypeQuery:
	default:
		return
	}
	own := writtenEach(slices.Clone(e.rows))
	left := where(own, wasEdited)
	for range replacedShown {
		if len(left) < replacedFrom {
			return
		}
		common, n := commonReplacement(left)
		if n < replacedFrom {
			return
		}
		of := d.Given(e)
		if n*100 <= of*replacedPercent {
			return
		}
		left = d.reportReplacement(e, common, left, of)
	}
}

// reportReplacement returns the rows the replacement does not explain.
func (d *replacements) reportReplacement(e *edits, common replacement, rows []*row, of int) (rest []*row) {
	var replaced []row
	for _, r := range rows {
		if common.makes(r.was.Text(), r.desired.Text()) {
			replaced = append(replaced, *r)
			continue
		}
		rest = append(rest, r)
	}
	source := sourceOf(replaced)
	var examples []plan.Example
	for i := range replaced[:min(len(replaced), examplesShown)] {
		examples = append(examples,
			replaced[i].example(catalogue.Fill("slip.became", "cell", replaced[i].within(source),
				"change", became(e.attribute, &replaced[i]))))
	}
	d.report(plan.SuspiciousEdit{
		Hazard: plan.MassEdit, Kind: e.kind.Schema.Kind,
		Attribute: e.attribute.Name, Source: source, Count: len(replaced), Of: of,
		Message: common.says(e.attribute.Name, shareOf(len(replaced), of, e.kind, source)),
	}, examples)
	return rest
}

// Given counts the resources of the files that give the attribute.
func (d *replacements) Given(e *edits) int {
	n := 0
	for i := range d.All {
		if t := &d.All[i]; t.Kind == e.kind && t.Desired != nil && t.Desired.Value(e.attribute.Name).IsSet() {
			n++
		}
	}
	return n
}

// commonReplacement returns the replacement that explains most rows; of equals,
// the one that says most.
func commonReplacement(rows []*row) (replacement, int) {
	explains := map[replacement]int{}
	for _, r := range rows {
		for _, p := range possibleReplacements(r.was.Text(), r.desired.Text()) {
			explains[p]++
		}
	}
	common, most := replacement{}, 0
	for p, n := range explains {
		if n > most || n == most && p.Compare(common) < 0 {
			common, most = p, n
		}
	}
	return common, most
}

func (r replacement) Compare(s replacement) int {
	return cmp.Or(cmp.Compare(len(s.from), len(r.from)),
		cmp.Compare(r.from, s.from), cmp.Compare(r.to, s.to), plan.Order(r.atStart))
}

// possibleReplacements returns what may have been replaced to make one text of
// the other: what differs in whole words, the first word that differs, what
// differs in letters, and what was added at an end.
func possibleReplacements(was, desired string) []replacement {
	old, now := tokens(was), tokens(desired)
	front := equalEnd(old, now, func(s []string, i int) string { return s[i] })
	back := equalEnd(old[front:], now[front:], func(s []string, i int) string { return s[len(s)-1-i] })
	tried := []replacement{{from: strings.Join(old[front:len(old)-back], ""),
		to: strings.Join(now[front:len(now)-back], "")}}
	if front < min(len(old), len(now)) {
		tried = append(tried, replacement{from: old[front], to: now[front]})
	}
	a, b := []rune(was), []rune(desired)
	front = equalEnd(a, b, func(s []rune, i int) rune { return s[i] })
	back = equalEnd(a[front:], b[front:], func(s []rune, i int) rune { return s[len(s)-1-i] })
	tried = append(tried, replacement{from: string(a[front : len(a)-back]), to: string(b[front : len(b)-back])})
	if before, ok := strings.CutSuffix(desired, was); ok {
		tried = append(tried, replacement{to: before, atStart: true})
	}
	if after, ok := strings.CutPrefix(desired, was); ok {
		tried = append(tried, replacement{to: after})
	}
	var possible []replacement
	for _, r := range tried {
		if r.makes(was, desired) && !slices.Contains(possible, r) {
			possible = append(possible, r)
		}
	}
	return possible
}

// equalEnd counts what two sequences have in common, counted from one end.
func equalEnd[T any, E comparable](a, b []T, at func([]T, int) E) int {
	n := 0
	for n < len(a) && n < len(b) && at(a, n) == at(b, n) {
		n++
	}
	return n
}

// tokens cuts a text into words and what stands between them.
func tokens(s string) []string {
	var all []string
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	start, inWord := 0, false
	for i, r := range s {
		if i > start && (!inWord || !word(r)) {
			all = append(all, s[start:i])
			start = i
		}
		inWord = word(r)
	}
	if start < len(s) {
		all = append(all, s[start:])
	}
	return all
}
