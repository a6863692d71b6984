// Package codeowners reads the file CODEOWNERS as GitHub and GitLab do, and says who owns a file.
//
// It refuses what it might read otherwise than the forge: a pattern that is misread leaves files without an owner, and
// these need nobody's yes. Its invariant: a file of which one line cannot be read is not read at all.
package codeowners

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"adsync/internal/pattern"

	"github.com/hairyhenderson/go-codeowners"
)

// MostBytes is how large the file is at most: a larger one takes memory that a daemon has for its accounts.
const MostBytes = 256 << 10

// syntax is how a forge reads the file.
type syntax struct {
	places   []string
	owner    *pattern.Pattern
	anchored bool // a pattern with a slash within it is of the top folder; else of every folder
	below    bool // a pattern that names a folder is of all below it, also without a slash at its end
	comments bool // behind owners, too
}

var (
	syntaxes = map[string]syntax{
		"github": {
			places:   []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"},
			owner:    pattern.Of(`^@[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9_-]+)?$`),
			anchored: true, below: true, comments: true,
		},
		"gitlab": {
			places: []string{"CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"},
			owner:  pattern.Of(`^@(@[a-z]+|[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*)$`),
		},
	}
	mailAddress = pattern.Of(`^[^@\\]+@[^@\\]+$`)
)

// Places returns where a forge looks for the file: the first that is there counts. A forge whose file is not read here
// has none.
func Places(forge string) []string { return syntaxes[forge].places }

// Rules say who owns the files of a repository.
type Rules struct{ all codeowners.Codeowners }

// Parse reads the file of a forge.
func Parse(forge string, content []byte) (*Rules, error) {
	s, known := syntaxes[forge]
	switch {
	case !known:
		return nil, fmt.Errorf("CODEOWNERS of %s is not read", forge)
	case len(content) > MostBytes:
		return nil, fmt.Errorf("it has %d bytes; want %d at most", len(content), MostBytes)
	case !utf8.Valid(content):
		return nil, errors.New("it is not UTF-8")
	}
	r := &Rules{}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		rule, is, err := s.rule(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if is {
			r.all.Patterns = append(r.all.Patterns, rule)
		}
	}
	return r, nil
}

// Owners returns the logins, such as @ann, and the teams, such as @acme/buyers, who own a file. owned is false where
// nobody does. Where it is owned by mail addresses alone, it has an owner and none of these.
func (r *Rules) Owners(name string) (owners []string, owned bool) {
	if strings.Contains(name, "\n") { // for which the patterns are not made
		return nil, true
	}
	all := r.all.Owners(name)
	return slices.DeleteFunc(slices.Clone(all), mailAddress.MatchString), len(all) > 0
}

// rule reads a line; is reports whether it has one.
func (s *syntax) rule(line string) (rule codeowners.Codeowner, is bool, err error) {
	if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
		return rule, false, errors.New("it has characters that do not print; want those that do")
	}
	const space = "\x00"
	words := strings.Fields(strings.ReplaceAll(line, `\ `, space))
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return rule, false, nil
	}
	pattern, err := s.pattern(strings.ReplaceAll(words[0], space, " "))
	if err != nil {
		return rule, false, err
	}
	owners := words[1:]
	if at := slices.IndexFunc(owners, isComment); at >= 0 && s.comments {
		owners = owners[:at]
	}
	for _, one := range owners {
		if !s.owner.MatchString(one) && !mailAddress.MatchString(one) {
			return rule, false, fmt.Errorf("an owner is %.60q; want a login such as @ann, a team such as "+
				"@acme/buyers, or a mail address", strings.ReplaceAll(one, space, `\ `))
		}
	}
	rule, err = codeowners.NewCodeowner(pattern, owners)
	return rule, err == nil, err
}

func isComment(word string) bool { return strings.HasPrefix(word, "#") }

// pattern writes a pattern as the library reads it: that takes one for a regular expression but for dots, stars and
// question marks.
func (s *syntax) pattern(word string) (string, error) {
	folders := strings.Split(word, "/")
	last := len(folders) - 1
	switch {
	case strings.HasPrefix(word, "[") || strings.HasPrefix(word, "^"):
		return "", errors.New("it begins a section; adsync does not read sections")
	case strings.HasPrefix(word, "!"):
		return "", fmt.Errorf("the pattern is %.200q; adsync reads none with ! before it", word)
	case strings.ContainsAny(word, `\?[]`):
		return "", fmt.Errorf("the pattern is %.200q; of characters with a meaning adsync reads * and ** alone, "+
			`and \ before a space`, word)
	case word == "/" || strings.Contains(word, "//") || !s.below && folders[last] == "**":
		return "", fmt.Errorf("the pattern is %.200q, which adsync does not read; want one such as /docs/ or *", word)
	}
	for i, one := range folders {
		next := append(folders, "a")[i+1]
		if strings.Contains(one, "**") && (one != "**" || next == "**" || next == "") {
			return "", fmt.Errorf("the pattern is %.200q; adsync reads ** as a whole folder alone, such as "+
				"docs/**/a.csv", word)
		}
	}
	for _, one := range `()+{}|^$` {
		word = strings.ReplaceAll(word, string(one), `\`+string(one))
	}
	switch within := strings.Contains(strings.TrimSuffix(word, "/"), "/"); {
	case word == "*" || word == "**" || word == "/**":
		return "*", nil
	case s.anchored && within && !strings.HasPrefix(word, "/"):
		word = "/" + word
	case !s.anchored && !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "**/"):
		word = "**/" + word
	}
	if !s.below && !strings.HasSuffix(word, "/") {
		word += "$"
	}
	if strings.HasSuffix(word, "/**") { // all that is in it, and not a file of its name
		word = strings.TrimSuffix(word, "**")
	}
	return word, nil
}
