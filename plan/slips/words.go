package slips

import (
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// title is what people call a kind, in small letters.
func title(k *drafting.Kind) string { return strings.ToLower(k.Schema.Title) }

// several names a number of a kind, and where they are: "1 ad", "52 ads in q4.xlsx:Ads!E".
func several(n int, k *drafting.Kind, source diag.Position) string {
	key := "slip.rows"
	if !source.IsZero() {
		key = "slip.rows-in"
	}
	return catalogue.Fill(key, "n", thousands(int64(n)), "kind", title(k), "source", place(source))
}

// severalNew names a number of new ones of a kind, and where they are.
func severalNew(n int, k *drafting.Kind, source diag.Position) string {
	key := "slip.new-rows"
	if !source.IsZero() {
		key = "slip.new-rows-in"
	}
	return catalogue.Fill(key, "n", strconv.Itoa(n), "kind", title(k), "source", place(source))
}

// shareOf names a part of a kind, and where it is: "40 of 52 ads".
func shareOf(n, of int, k *drafting.Kind, source diag.Position) string {
	key := "slip.share"
	if !source.IsZero() {
		key = "slip.share-in"
	}
	return catalogue.Fill(key, "some", thousands(int64(n)), "n", thousands(int64(of)), "kind", title(k),
		"source", place(source))
}

// thousands writes a number with a comma before each three digits.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// place writes where a source is: "q4.xlsx:Ads!E".
func place(source diag.Position) string {
	if source.Sheet() != "" && source.Column() > 0 {
		return source.String() + "!" + diag.ColumnName(source.Column())
	}
	return source.String()
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
		return catalogue.Fill("slip.row", "n", strconv.Itoa(p.Line()))
	case p.Sheet() != "":
		return p.Cell()
	}
	return catalogue.Fill("slip.line", "n", strconv.Itoa(p.Line()))
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

// quoted is a name as a suspicious edit quotes it.
func quoted(name string) string { return strconv.Quote(cut(name)) }
