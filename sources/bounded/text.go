package bounded

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

var (
	UTF8Mark   = []byte("\xef\xbb\xbf")
	LFSPointer = []byte("version https://git-lfs")
)

// PullLFS is the hint for a pointer of Git LFS in a folder.
const PullLFS = "run git lfs pull"

// longestMessage is how many bytes of a message are kept.
const longestMessage = 1_000

// Shortened keeps the beginning and the end of a message that repeats a very
// long value: what is there, and what is wanted.
func Shortened(message string) string {
	if len(message) <= longestMessage {
		return message
	}
	const end = longestMessage / 4
	return strings.ToValidUTF8(message[:longestMessage-end], "") +
		" … " + strings.ToValidUTF8(message[len(message)-end:], "")
}

// BrokenText returns why the bytes of a text file cannot be trusted to be the
// whole file as someone meant it, nil where they can.
func BrokenText(content []byte, file string) *diag.Problem {
	body := bytes.TrimPrefix(content, UTF8Mark)
	position := diag.InFile(file)
	finding := BrokenEncoding(body, &position)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		finding = &resource.Finding{
			Code: diag.Damaged, Message: "file is empty; want resources", Hint: "delete the file if that is meant",
		}
	case bytes.HasPrefix(body, LFSPointer):
		finding = &resource.Finding{
			Code: diag.Damaged, Message: "file is a Git LFS pointer; want the file itself", Hint: PullLFS,
		}
	case finding == nil:
		finding = ConflictMark(body, &position)
	}
	if finding == nil {
		return nil
	}
	problem := ProblemAt(position, *finding)
	return &problem
}

// Unended warns of a last line that has no line break and whose value may have gone
// on: a file that was cut short can read well, 100 as 10 (fault Y9).
func Unended(content []byte, file string) (diag.Problem, bool) {
	at := bytes.LastIndexByte(content, '\n') + 1
	last := bytes.TrimSpace(content[at:])
	if len(last) == 0 || last[0] == '#' || bytes.IndexByte([]byte("\"']}"), last[len(last)-1]) >= 0 {
		return diag.Problem{}, false
	}
	return ProblemAt(diag.At(file, 1+bytes.Count(content, []byte("\n")), 0), resource.Finding{
		Code: diag.Damaged, Severity: diag.Warning,
		Message: "last line has no line break, as in a file that was cut short; want one",
		Hint:    "look whether its value is whole, and end the file with a line break",
	}), true
}

// BrokenEncoding returns why the bytes are no UTF-8 text that is whole, nil where they are.
func BrokenEncoding(body []byte, position *diag.Position) *resource.Finding {
	if bytes.HasPrefix(body, []byte("\xff\xfe")) ||
		bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.IndexByte(body, 0) >= 0 {
		return &resource.Finding{
			Code: diag.Damaged, Message: "file is UTF-16 or binary; want UTF-8 text", Hint: "save it as UTF-8",
		}
	}
	if utf8.Valid(body) {
		return nil
	}
	line := 1
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		body = body[size:]
	}
	*position = position.Origin().At(line, 0)
	return &resource.Finding{
		Code: diag.Damaged, Message: fmt.Sprintf("byte 0x%02x is not UTF-8; want UTF-8 text", body[0]),
		Hint: "save it as UTF-8",
	}
}

// ConflictMark finds the marks a merge leaves behind.
func ConflictMark(body []byte, position *diag.Position) *resource.Finding {
	line := 0
	for text := range bytes.Lines(body) {
		line++
		if bytes.HasPrefix(text, []byte("<<<<<<< ")) || bytes.HasPrefix(text, []byte(">>>>>>> ")) {
			*position = position.Origin().At(line, 1)
			return &resource.Finding{
				Code: diag.Damaged, Message: "file has a mark of an unfinished merge; want the merge resolved",
			}
		}
	}
	return nil
}

// ProblemAt puts a finding at the position it was made for.
func ProblemAt(position diag.Position, f resource.Finding) diag.Problem {
	severity := f.Severity
	if severity == "" {
		severity = diag.Error
	}
	return diag.Problem{
		Severity: severity, Code: f.Code, Position: position, Message: Shortened(f.Message), Hint: Shortened(f.Hint),
	}
}
