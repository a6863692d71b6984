package console

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
)

// Plural is diag.Plural.
func Plural(n int, noun string) string { return diag.Plural(n, noun) }

// OrList is diag.OrList.
func OrList(words []string) string { return diag.OrList(words) }

// PluralAre is Plural with the verb, such as 2 rows are.
func PluralAre(n int, noun string) string {
	if n == 1 {
		return diag.Plural(n, noun) + " is"
	}
	return diag.Plural(n, noun) + " are"
}

// Counted returns how many errors, warnings and notes there are, in words.
func Counted(problems []diag.Problem) string {
	number := map[diag.Severity]int{}
	for _, p := range problems {
		number[p.Severity]++
	}
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		if n := number[s]; n > 0 {
			parts = append(parts, diag.Plural(n, string(s)))
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

// JoinLines puts a line beneath what is there.
func JoinLines(have, more string) string {
	if have == "" {
		return more
	}
	return have + "\n" + more
}

// OneLine is an error as a status shows it.
func OneLine(err error) string {
	if err == nil {
		return ""
	}
	return diag.Printable(strings.ReplaceAll(Coded(err), "\n", "; "))
}

// Shorter returns a path from the current folder where that is one below it.
func Shorter(name string) string {
	here, err := os.Getwd()
	if err != nil || !filepath.IsAbs(name) {
		return name
	}
	near, err := filepath.Rel(here, name)
	if err != nil || strings.HasPrefix(near, "..") {
		return name
	}
	return near
}

// Quoted keeps a shell from reading a glob as one of its own.
func Quoted(word string) string {
	if !strings.ContainsAny(word, " *?[]\\'\"$&;|<>()#~`") {
		return diag.Printable(word)
	}
	return "'" + strings.ReplaceAll(diag.Printable(word), "'", `'\''`) + "'"
}

// HostOf is an address without what may be a password.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "not an address"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// UTC returns a time as people read it, in UTC.
func UTC(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }

// OrNull returns a time for JSON, where the zero time is null.
func OrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// ProblemCount returns how many problems there are, in words.
func ProblemCount(problems []diag.Problem) string {
	if len(problems) == 0 {
		return "no problems"
	}
	return Counted(problems)
}

// Sorted returns the texts in order, and leaves what it was given.
func Sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }
