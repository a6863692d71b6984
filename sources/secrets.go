package sources

import (
	"bytes"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/secret"
	"adsync/sources/bounded"
)

// maxSecrets is how many credentials of a file are named each.
const maxSecrets = 10

// secretsIn warns of what has the form of a credential in a file of text.
func secretsIn(file string, content []byte) (problems []diag.Problem) {
	for _, f := range secret.Find(content) {
		before := content[:f.At]
		line := bytes.LastIndexByte(before, '\n') + 1
		at := diag.At(file, 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[line:]))
		if problems = append(problems, leaked(at, f)); len(problems) == maxSecrets {
			break
		}
	}
	return problems
}

func leaked(at diag.Position, f secret.Found) diag.Problem {
	return bounded.ProblemAt(at, resource.Finding{
		Code: diag.Leaked, Severity: diag.Warning,
		Message: "here stands what looks like " + f.What + "; want no credential in a file that others read",
		Hint:    "take it out, and have it replaced by whoever issued it: the history of the files keeps it",
	})
}
