package console

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
)

func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func PluralAre(n int, noun string) string {
	if n == 1 {
		return Plural(n, noun) + " is"
	}
	return Plural(n, noun) + " are"
}

func Counted(problems []diag.Problem) string {
	number := map[diag.Severity]int{}
	for _, p := range problems {
		number[p.Severity]++
	}
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		if n := number[s]; n > 0 {
			parts = append(parts, Plural(n, string(s)))
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

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

// Shorter gives a path from the current folder where that is one below it.
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

func Utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }

func OrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func ProblemCount(problems []diag.Problem) string {
	if len(problems) == 0 {
		return "no problems"
	}
	return Counted(problems)
}

func Sorted(texts []string) []string { return slices.Sorted(slices.Values(texts)) }
