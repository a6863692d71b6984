package slips

import (
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// nouns is a kind's name for one or more.
func nouns(n int, k *drafting.Kind) string {
	if n == 1 {
		return strings.ToLower(k.Schema.Title)
	}
	return strings.ToLower(k.Schema.Title) + "s"
}

// several names a number of a kind: "1 ad", "52 ads".
func several(n int, k *drafting.Kind) string { return thousands(int64(n)) + " " + nouns(n, k) }

// shareOf names a part of a kind: "40 of 52 ads".
func shareOf(n, of int, k *drafting.Kind) string {
	return thousands(int64(n)) + " of " + several(of, k)
}

// thousands writes a number with a comma before each three digits.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// in writes where a source is, after what is there: " in q4.xlsx:Ads!E".
func in(source diag.Position) string {
	switch {
	case source.IsZero():
		return ""
	case source.Sheet() != "" && source.Column() > 0:
		return " in " + source.String() + "!" + diag.ColumnName(source.Column())
	}
	return " in " + source.String()
}

// near writes a position beside another: the cell or row alone within one sheet,
// the line within one file.
func near(p, beside diag.Position, address resource.Address) string {
	switch {
	case p.IsZero():
		return address.String()
	case p.File() != beside.File() || p.Sheet() != beside.Sheet():
		return p.String()
	case p.Sheet() != "" && p.Column() == 0:
		return "row " + strconv.Itoa(p.Line())
	case p.Sheet() != "":
		return p.Cell()
	}
	return "line " + strconv.Itoa(p.Line())
}

// within names where a row stands in a source, else its resource.
func (r *row) within(source diag.Position) string { return near(r.position, source, *r.address) }

// became writes what a row said, and what it says.
func became(a *resource.Attribute, r *row) string {
	return diag.Becomes(brief(a, *r.was), brief(a, *r.desired))
}

// example makes an example of a row.
func (r *row) example(message string) plan.Example {
	return plan.Example{Address: *r.address, Position: r.position, Desired: *r.desired, Was: *r.was, Message: message}
}

// briefLength is how many characters of a value a suspicious edit's sentence quotes.
const briefLength = 60

// brief writes a value, cut aloud where it is long.
func brief(a *resource.Attribute, v resource.Value) string {
	if a.Type == resource.TypeImage {
		return cut(v.Written())
	}
	return cut(a.Show(v))
}

func cut(s string) string {
	letters := []rune(s)
	if len(letters) <= briefLength {
		return s
	}
	return strings.TrimSpace(string(letters[:briefLength])) + "…"
}
