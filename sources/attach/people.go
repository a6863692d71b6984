package attach

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/members"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/draft"
)

// Members is what a members file holds, in numbers. Nothing of a person is in
// it, nor in any problem: a line that is left out is named by its number.
type Members struct {
	Address    string              `json:"address"`
	File       string              `json:"file"` // slash-separated, relative to the project's folder
	Identifier members.Identifier  `json:"identifier"`
	Rows       members.Counts      `json:"rows"`
	Rejected   []members.Rejection `json:"rejected"`
}

// MembersFile is a members file read under one identifier.
type MembersFile struct {
	Digest     string
	Counts     members.Counts
	Rejections []members.Rejection
	Findings   []resource.Finding
	Failed     bool
}

// MembersKey is what a file means: the same lines under another identifier are
// other people.
type MembersKey struct {
	Path string
	As   members.Identifier
}

// RefusedMembers returns what is read of a members file that cannot be used.
func RefusedMembers(f *resource.Finding) MembersFile {
	return MembersFile{Findings: []resource.Finding{*f}, Failed: true}
}

// FaultyMembers returns why a members file cannot be read, with the line.
func FaultyMembers(name string, f *members.Fault) *resource.Finding {
	where := fmt.Sprintf("members file %q", name)
	if f.Line > 0 {
		where += fmt.Sprintf(", line %d", f.Line)
	}
	return &resource.Finding{Code: diag.BadFile, Message: where + ": " + f.Message, Hint: f.Hint}
}

// What is sent of a person, a hash and the end of its line, and the largest file of people the
// service takes (service facts, 6).
const (
	bytesSent = 65
	mostSent  = 500_000_000
)

// JudgeMembers returns what is wrong with what a file holds. Lines are left out
// with a warning, unless the file is not what it is said to be: sent in the
// place of the people before, it would take most of them out.
func JudgeMembers(name string, list *members.List) []resource.Finding {
	var findings []resource.Finding
	for _, r := range list.Rejections {
		said := fmt.Sprintf("%s of members file %q %s (%s)",
			diag.Counted(r.Count, "line", "lines"), name, saidOf(r), namedLines(r))
		want := "; want " + wantedIdentifier(list.Identifier)
		f := resource.Finding{
			Code: diag.LeftOut, Severity: diag.Warning, Message: said + ", and will be left out" + want,
		}
		if r.Reason.Misread() {
			f = resource.Finding{
				Code: diag.BadFile, Message: said + want, Hint: "give the identifier that the file holds",
			}
		}
		findings = append(findings, f)
	}
	switch c := list.Counts; {
	case c.Used == 0:
		findings = append(findings,
			*draft.BadFile(fmt.Sprintf("members file "+
				"%q holds no identifier that can be used; want at least one", name)))
	case c.Rejected > c.Used+c.Duplicate:
		findings = append(findings, *draft.BadFile(fmt.Sprintf("members file %q has %s to leave out and %d to use; "+
			"want a file most of which can be used",
			name, diag.Counted(c.Rejected, "line", "lines"), c.Used+c.Duplicate)))
	}
	if used := int64(list.Counts.Used); used*bytesSent > mostSent {
		findings = append(findings, resource.Finding{
			Code: diag.TooLarge, Message: fmt.Sprintf("members file %q has %d people, who take %d bytes as they are "+
				"sent; the service takes a file of %d bytes: want at most %d people",
				name, used, used*bytesSent, mostSent, mostSent/bytesSent),
			Hint: "split the file, and give each part an audience of its own",
		})
	}
	if list.Hidden > 0 {
		findings = append(findings, resource.Finding{
			Code: diag.HiddenCells, Severity: diag.Warning,
			Message: fmt.Sprintf("%s in members file %q, and read like the others",
				diag.Counted(list.Hidden, "row is hidden", "rows are hidden"), name),
		})
	}
	return findings
}

// saidOf makes the reason fit one line.
func saidOf(r members.Rejection) string {
	if r.Count == 1 {
		return strings.Replace(string(r.Reason), "hold", "holds", 1)
	}
	return string(r.Reason)
}

func namedLines(r members.Rejection) string {
	if len(r.Lines) == 0 {
		return "their numbers are not listed"
	}
	numbers := make([]string, len(r.Lines))
	for i, line := range r.Lines {
		numbers[i] = fmt.Sprint(line)
	}
	said := "line"
	if len(numbers) > 1 {
		said = "lines"
	}
	if r.Count > len(r.Lines) {
		numbers = append(numbers, "…")
	}
	return said + " " + strings.Join(numbers, ", ")
}

func wantedIdentifier(as members.Identifier) string {
	switch as {
	case members.Email:
		return "an e-mail address alone"
	case members.Phone:
		return "a telephone number with + and country code, such as +14155550123"
	}
	return "the SHA-256 of the identifier, 64 hex digits"
}

// ReadMembersFile reads a file through the folder's root and gives its SHA-256,
// which is kept from every output: that of a file with one line may be that of
// a person.
func ReadMembersFile(root *os.Root, slashPath string,
	as members.Identifier, b bounded.Limits) (list *members.List, hash string, err error) {
	defer func() {
		if recover() != nil { // its text might quote what was read
			list, err = nil, errNotRead
		}
	}()
	if strings.EqualFold(path.Ext(slashPath), ".xlsx") {
		content, hash, err := bounded.ReadRegular(root, slashPath, b.WorkbookBytes)
		if err != nil {
			return nil, "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), b.PerFile)
		defer cancel()
		list, err = members.ReadWorkbook(ctx, content, as, b.Workbook())
		return list, hash, err
	}
	handle, err := bounded.OpenRegular(root, slashPath)
	if err != nil {
		return nil, "", err
	}
	defer handle.Close()
	if about, err := handle.Stat(); err != nil || about.Size() > b.MembersBytes {
		return nil, "", cmp.Or(err, bounded.TooLarge("members", b.MembersBytes, b.MembersBytes))
	}
	in := newHashing(handle, b.MembersBytes)
	list, err = members.ReadText(in, as)
	if in.left < 0 {
		return nil, "", bounded.TooLarge("members", b.MembersBytes, b.MembersBytes)
	}
	var fault *members.Fault
	if err != nil && !errors.As(err, &fault) {
		return nil, "", fmt.Errorf("read: %w", cmp.Or(in.failed, errNotRead))
	}
	_, lost := io.Copy(io.Discard, in) // behind a fault too: the hash is of the whole file
	return list, in.hex(), cmp.Or(err, lost)
}

// errNotRead stands for an error that might quote what was read.
var errNotRead = errors.New("file cannot be read to its end")

// hashing takes the SHA-256 of what is read, up to a bound.
type hashing struct {
	in     io.Reader
	sum    hash.Hash
	left   int64 // of the bound; below 0 the file is beyond it
	failed error
}

func newHashing(in io.Reader, bound int64) *hashing {
	return &hashing{in: in, sum: sha256.New(), left: bound}
}

// Read reads on, and takes what is read into the sum.
func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.in.Read(p)
	h.sum.Write(p[:n])
	h.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		h.failed = err
	}
	if h.left < 0 {
		return 0, bounded.TooLarge("members", 0, 0)
	}
	return n, err
}

func (h *hashing) hex() string { return hex.EncodeToString(h.sum.Sum(nil)) }
