package secret

import (
	"bytes"
	"iter"
	"slices"

	"adsync/internal/pattern"
)

// Found is a text of the form of a credential, and whose.
type Found struct {
	At, End int // bytes
	What    string
}

// Find returns what has the form of a credential in a text, in order. A form is one
// its issuer has published, or a rule that seldom fits anything else; a password
// without one is not told from a word.
func Find(text []byte) (found []Found) {
	for begin, end := range words(text) {
		if f := wordAt(text, begin, end); f.What != "" {
			found = append(found, f)
		}
	}
	for at := range places(text, "@") {
		if f := passwordBefore(text, at); f.What != "" {
			found = append(found, f)
		}
	}
	for at := range places(text, pemBegin) {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		if bytes.Contains(line, []byte("PRIVATE KEY")) {
			found = append(found, Found{at, at + len(line), "a private key"})
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return a.At - b.At })
	return apart(found)
}

// apart leaves out what lies in another.
func apart(found []Found) (kept []Found) {
	for _, f := range found {
		if len(kept) == 0 || kept[len(kept)-1].End <= f.At {
			kept = append(kept, f)
		}
	}
	return kept
}

const pemBegin = "-----BEGIN "

// shortest is the length of the shortest word looked at: an access key of AWS.
const shortest = 20

// words returns the words that are not too short: one of them is wherever every
// so many bytes are looked at.
func words(text []byte) iter.Seq2[int, int] {
	return func(yield func(begin, end int) bool) {
		for at := shortest - 1; at < len(text); at += shortest {
			if !inWord[text[at]] {
				continue
			}
			begin, end := at, at
			for begin > 0 && inWord[text[begin-1]] {
				begin--
			}
			for end < len(text) && inWord[text[end]] {
				end++
			}
			if end-begin >= shortest && !yield(begin, end) {
				return
			}
			at = end - 1
		}
	}
}

func places(text []byte, what string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(what))
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + len(what)
		}
	}
}

var inWord = func() (in [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") {
		in[b] = true
	}
	return in
}()

// issued are words by how they begin.
var issued = []struct {
	begins string
	what   string
	rest   func([]byte) bool
}{
	{"sk-", "an API key", mixed(16)},
	{"sk_live_", "an API key", mixed(16)},
	{"rk_live_", "an API key", mixed(16)},
	{"ghp_", "a token of GitHub", mixed(30)}, {"gho_", "a token of GitHub", mixed(30)},
	{"ghu_", "a token of GitHub", mixed(30)},
	{"ghs_", "a token of GitHub", mixed(30)}, {"ghr_", "a token of GitHub", mixed(30)},
	{"github_pat_", "a token of GitHub", mixed(20)},
	{"glpat-", "a token of GitLab", mixed(16)},
	{"xoxb-", "a token of Slack", mixed(10)}, {"xoxp-", "a token of Slack", mixed(10)},
	{"xoxa-", "a token of Slack", mixed(10)},
	{"AKIA", "an access key of AWS", capitals}, {"ASIA", "an access key of AWS", capitals},
	{"AIza", "an API key of Google", func(r []byte) bool { return len(r) == 35 }},
	{"eyJ", "a signed token", mixed(16)},
}

// wordAt judges one word of a text.
func wordAt(text []byte, begin, end int) Found {
	word := text[begin:end]
	for _, form := range issued {
		if word[0] != form.begins[0] || !bytes.HasPrefix(word, []byte(form.begins)) ||
			!form.rest(word[len(form.begins):]) {
			continue
		}
		// a JSON object; a token has two of them
		if form.begins == "eyJ" && !bytes.HasPrefix(text[end:], []byte(".eyJ")) {
			continue
		}
		return Found{begin, end, form.what}
	}
	if address := []byte("hooks.slack.com/"); bytes.Contains(text[max(0, begin-80):begin], address) && mixed(20)(word) {
		return Found{begin, end, "an address of Slack that whoever knows may write to"}
	}
	return Found{}
}

// mixed wants letters and digits, so many side by side without a dash that nobody
// makes a name of them.
func mixed(least int) func([]byte) bool {
	return func(rest []byte) bool {
		if len(rest) < least {
			return false
		}
		for _, part := range bytes.FieldsFunc(rest, func(r rune) bool { return r == '-' }) {
			if len(part) >= min(least, 16) && bytes.ContainsAny(part, "0123456789") &&
				bytes.ContainsAny(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
				return true
			}
		}
		return false
	}
}

// capitals are the sixteen an access key of AWS has behind its first four.
func capitals(rest []byte) bool {
	return len(rest) == 16 && bytes.ContainsAny(rest, "234567") &&
		!bytes.ContainsAny(rest, "abcdefghijklmnopqrstuvwxyz_-")
}

// passwordBefore finds the password of an address, up to its @.
func passwordBefore(text []byte, at int) Found {
	begin := at
	for begin > 0 && at-begin < 200 && !bytes.ContainsRune([]byte("/ \t\r\n\"'<>"), rune(text[begin-1])) {
		begin--
	}
	if begin < 3 || string(text[begin-3:begin]) != "://" {
		return Found{}
	}
	user, password, given := bytes.Cut(text[begin:at], []byte(":"))
	if !given || len(password) == 0 || password[0] == '$' || password[0] == '{' {
		return Found{}
	}
	return Found{begin + len(user) + 1, at, "an address with a password"}
}

// named is a line of YAML that gives a credential by what it is called.
var named = pattern.Of(`(?i)^(\s*(?:- )?["']?[a-z0-9_-]*(?:password|` +
	`passwd|secret|api[_-]?key|access[_-]?key|token|credentials?)["']?\s*[:=]\s*)([^\s{#].*)$`)

// Masked is a line of a file with nothing left of the credentials in it.
func Masked(line string) string {
	if f := named.FindStringSubmatch(line); f != nil {
		return f[1] + Redacted
	}
	found := Find([]byte(line))
	for i := len(found) - 1; i >= 0; i-- {
		line = line[:found[i].At] + Redacted + line[found[i].End:]
	}
	return line
}
