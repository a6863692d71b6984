package bounded

import (
	"bytes"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/secret"
)

// MaxSecrets is how many credentials of a file are named each.
const MaxSecrets = 10

// SecretsIn warns of what has the form of a credential in a file of text.
func SecretsIn(file string, content []byte) (problems []diag.Problem) {
	for _, f := range secret.Find(content) {
		before := content[:f.At]
		line := bytes.LastIndexByte(before, '\n') + 1
		at := diag.At(file, 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[line:]))
		if problems = append(problems, Leaked(at, f)); len(problems) == MaxSecrets {
			break
		}
	}
	return problems
}

// Leaked returns the warning of a credential that stands in a file.
func Leaked(at diag.Position, f secret.Found) diag.Problem {
	return ProblemAt(at, resource.Finding{
		Code: diag.Leaked, Severity: diag.Warning,
		Message: "here stands what looks like " + f.What + "; want no credential in a file that others read",
		Hint:    "take it out, and have it replaced by whoever issued it: the history of the files keeps it",
	})
}
