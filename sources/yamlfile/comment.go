package yamlfile

import (
	"bytes"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/bounded"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// noteComment warns of a text without quotes whose end is a comment to YAML: of
// name: Spring #1 sale only Spring is read. What is written as style guides have it,
// two spaces before the # and one behind it, is a comment, and so is whatever stands
// behind a value that is no text: a status or an amount is whole without it.
func (y *valueReader) noteComment(node *yaml.Node, what string) {
	if node.Style != 0 || node.LineComment == "" {
		return
	}
	line := strings.TrimRight(y.line(node.Line), " \t\r")
	before, found := strings.CutSuffix(line, node.LineComment)
	text := strings.TrimRight(before, " \t")
	if !found || !strings.HasSuffix(text, node.Value) || looksLikeComment(before[len(text):], node.LineComment) {
		return
	}
	whole := node.Value + before[len(text):] + node.LineComment
	y.notes = append(y.notes, bounded.ProblemAt(y.At(node), resource.Finding{
		Code: diag.BadValue, Severity: diag.Warning,
		Message: fmt.Sprintf("%s is read as %q, because %q behind it is a comment in YAML; want the text in quotes",
			what, node.Value, node.LineComment),
		Hint: fmt.Sprintf("write %s, or put two spaces before # and one behind it where it is a comment",
			yamlfmt.Scalar(whole, true)),
	}))
}

// looksLikeComment reports whether what follows a value looks like a comment.
func looksLikeComment(space, comment string) bool {
	rest := strings.TrimLeft(comment, "#")
	return (len(space) > 1 || space == "\t") && (rest == "" || rest[0] == ' ')
}

// line returns a line of the file by its number.
func (y *valueReader) line(number int) string {
	if y.lines == nil {
		y.lines = bytes.Split(bytes.TrimPrefix(y.text, bounded.UTF8Mark), []byte("\n"))
	}
	if number < 1 || number > len(y.lines) {
		return ""
	}
	return string(y.lines[number-1])
}
