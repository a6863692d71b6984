package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
)

// maxMembers is how many members the zip of a workbook may have.
const maxMembers = 10_000

// Limits are the sizes beyond which a workbook is refused at once.
type Limits struct {
	Zipped   int64         // bytes of the file
	Unzipped int64         // bytes of all its members
	Time     time.Duration // to read it, named in messages; the context ends it
}

// Parts are the members of a workbook's zip by name, each read to its end
// against its checksum before any of them is used.
type Parts struct {
	content map[string][]byte    // the XML members
	other   map[string]*zip.File // the rest: pictures, fonts, printer settings
}

// Open reads every member of the zip to its end. Whatever does not add up,
// to the last byte, makes the whole file unusable (formats.md section 3).
func Open(ctx context.Context, content []byte, b Limits) (Parts, *resource.Finding) {
	if int64(len(content)) > b.Zipped {
		return Parts{}, beyond("keep what adsync reads in one workbook and the rest in another, and take pictures out",
			resource.EnoughMiB("workbook", int64(len(content))),
			"file has %s; want at most %s", Size(int64(len(content))), Size(b.Zipped)).Finding()
	}
	if finding := foreignFormat(content); finding != nil {
		return Parts{}, finding
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return Parts{}, Damaged("file is a workbook that is cut or damaged (%v); want a whole one", zipReason(err))
	}
	if finding := checkMembers(archive.File, b); finding != nil {
		return Parts{}, finding
	}
	ps := Parts{content: map[string][]byte{}, other: map[string]*zip.File{}}
	for _, member := range archive.File {
		if ctx.Err() != nil {
			return Parts{}, TookLonger(b.Time).Finding()
		}
		if err := ps.read(member); err != nil {
			return Parts{}, Damaged("workbook is damaged in %q (%v); want a whole one", member.Name, zipReason(err))
		}
	}
	return ps, ps.otherKind()
}

// Damaged is the finding of a file that is cut or damaged.
func Damaged(format string, args ...any) *resource.Finding {
	return &resource.Finding{Code: diag.Damaged, Message: fmt.Sprintf(format, args...)}
}

// saveAnew helps where no spreadsheet program would have written so much.
const saveAnew = "open the workbook in a spreadsheet program and save it"

// beyond is the error of a workbook that is larger than a bound, and whole. A bound
// without a name is fixed.
func beyond(hint, bound, format string, args ...any) *resource.Limit {
	return &resource.Limit{Message: fmt.Sprintf(format, args...), Hint: hint, Bound: bound}
}

func manyParts(count int) *resource.Limit {
	return beyond("take pictures and sheets out of it", "", "workbook has %d parts; want at most %d", count, maxMembers)
}

// TookLonger is the error of a file whose reading was stopped.
func TookLonger(bound time.Duration) *resource.Limit {
	return beyond("split the file", "time="+(2*bound).String(),
		"reading took longer than %v, and was stopped; want a file that reads in less", bound)
}

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.size {
			return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/float64(unit.size), 'f', 1, 64), ".0") +
				" " + unit.name
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Unusable is the finding of a workbook of which reading made an error: the limit
// it is beyond, or its damage.
func Unusable(err error) *resource.Finding {
	if limit := resource.LimitIn(err); limit != nil {
		return limit
	}
	return Damaged("workbook is damaged (%v); want a whole one", err)
}

func notWorkbook(format string, args ...any) *resource.Finding {
	return &resource.Finding{Code: diag.Unreadable, Message: fmt.Sprintf(format, args...)}
}

// zipReason says in plain words what the zip reader found.
func zipReason(err error) string {
	switch {
	case errors.Is(err, zip.ErrFormat):
		return "its directory is missing"
	case errors.Is(err, zip.ErrChecksum):
		return "its checksum differs"
	case errors.Is(err, zip.ErrAlgorithm):
		return "its compression is unknown"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it ends too early"
	}
	return err.Error()
}

func checkMembers(members []*zip.File, b Limits) *resource.Finding {
	if len(members) > maxMembers {
		return manyParts(len(members)).Finding()
	}
	seen := map[string]bool{}
	var total uint64
	for _, member := range members {
		name := partName(member.Name)
		if seen[name] {
			return Damaged("workbook holds %q twice; want a whole one", member.Name)
		}
		seen[name] = true
		total += min(member.UncompressedSize64, 1<<40)
	}
	if total > uint64(b.Unzipped) {
		return beyond("delete empty rows and columns below and beside the data, or split the workbook",
			resource.EnoughMiB("unzipped", int64(total)),
			"workbook unzips to %s; want at most %s", Size(int64(total)), Size(b.Unzipped)).Finding()
	}
	return nil
}

// partName is the name of a member as relationships say it: without the
// leading slash, backslashes turned, and in one case, because names of parts
// are the same in any (ECMA-376 part 2, 6.2.2).
func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"))
}

func (ps Parts) read(member *zip.File) error {
	if member.FileInfo().IsDir() {
		return nil
	}
	r, err := member.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	// The reader checks size and checksum at the end: one byte more than the
	// declared size is asked for, so that the end is always reached.
	limited := io.LimitReader(r, int64(member.UncompressedSize64)+1)
	name := partName(member.Name)
	if !isXML(name) {
		ps.other[name] = member
		n, err := io.Copy(io.Discard, limited)
		return wholeMember(n, member, err)
	}
	var b bytes.Buffer
	b.Grow(int(min(member.UncompressedSize64, mostInflated(member.CompressedSize64))) + bytes.MinRead)
	n, err := b.ReadFrom(limited)
	ps.content[name] = b.Bytes()
	return wholeMember(n, member, err)
}

// mostInflated returns how many bytes so many can hold at most: deflate gives up to
// 258 bytes for 2 bits.
func mostInflated(compressed uint64) uint64 { return min(compressed, 1<<40) * 1032 }

func wholeMember(n int64, member *zip.File, err error) error {
	if err == nil && uint64(n) != member.UncompressedSize64 {
		return fmt.Errorf("it has %d bytes where %d are declared", n, member.UncompressedSize64)
	}
	return err
}

func isXML(name string) bool {
	ext := path.Ext(name)
	return ext == ".xml" || ext == ".rels"
}

var macroTypes = pattern.Of(`<(?:\w+:)?(Default|Override)\s[^>]*(?:vbaProject|macrosheet)[^>]*>`)
var ofExtension = pattern.Of(`\sExtension="([^"]*)"`)

// hasMacros reports whether the list of parts has macros. The type of an extension no
// part has is no macro: some programs list it in every workbook.
func (ps Parts) hasMacros(types []byte) bool {
	if bytes.Contains(types, []byte("macroEnabled")) {
		return true
	}
	for _, m := range macroTypes.FindAllSubmatch(types, -1) {
		extension := ofExtension.FindSubmatch(m[0])
		if string(m[1]) == "Override" || extension == nil {
			return true
		}
		if ps.hasExtension(strings.ToLower(string(extension[1]))) {
			return true
		}
	}
	return false
}

func (ps Parts) hasExtension(extension string) bool {
	for name := range ps.content {
		if strings.HasSuffix(name, "."+extension) {
			return true
		}
	}
	for name := range ps.other {
		if strings.HasSuffix(name, "."+extension) {
			return true
		}
	}
	return false
}

// otherKind names a zip that is not a workbook adsync reads.
func (ps Parts) otherKind() *resource.Finding {
	for _, kind := range []struct{ part, message string }{
		{"xl/workbook.bin", "file is a binary workbook (.xlsb); want it saved as .xlsx"},
		{"xl/vbaproject.bin", "file is a workbook with macros (.xlsm); want it saved as .xlsx, without macros"},
		{"word/document.xml", "file is a Word document; want a workbook (.xlsx)"},
		{"ppt/presentation.xml", "file is a PowerPoint presentation; want a workbook (.xlsx)"},
		{"content.xml", "file is an OpenDocument file (.ods); want it saved as .xlsx"},
		{"index/document.iwa", "file is a Numbers document; want it exported as .xlsx"},
	} {
		if ps.has(kind.part) {
			return notWorkbook("%s", kind.message)
		}
	}
	types := ps.content["[content_types].xml"]
	if ps.hasMacros(types) {
		return notWorkbook("file is a workbook with macros (.xlsm); want it saved as .xlsx, without macros")
	}
	if types == nil {
		return notWorkbook("file is a zip archive and not a workbook; want a workbook (.xlsx)")
	}
	return nil
}

// isSigned reports whether the package carries digital signatures.
func (ps Parts) isSigned() bool {
	for name := range ps.content {
		if strings.HasPrefix(name, "_xmlsignatures/") {
			return true
		}
	}
	return false
}

func (ps Parts) has(name string) bool {
	_, ok := ps.content[name]
	return ok || ps.other[name] != nil
}

// foreignFormat names what a file is by its first bytes where it is no zip.
func foreignFormat(content []byte) *resource.Finding {
	head := content[:min(len(content), 512)]
	text := strings.ToLower(string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")))
	switch {
	case len(content) == 0:
		return notWorkbook("file is empty; want a workbook (.xlsx)")
	case bytes.HasPrefix(head, []byte("PK")):
		return nil
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return compoundFile(content)
	case strings.HasPrefix(text, "version https://git-lfs"):
		return &resource.Finding{
			Code: diag.Unreadable, Message: "file is a Git LFS pointer, not the workbook itself; want the workbook",
			Hint: "run git lfs pull",
		}
	case strings.HasPrefix(text, "<<<<<<< "):
		return notWorkbook("file holds conflict marks of git; want a workbook (.xlsx)")
	case strings.HasPrefix(text, "%pdf-"):
		return notWorkbook("file is a PDF; want a workbook (.xlsx)")
	case strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html"):
		return notWorkbook("file is a web page; want a workbook (.xlsx)")
	case strings.HasPrefix(text, "<?xml"):
		return notWorkbook("file is XML; want it saved as a workbook (.xlsx)")
	case bytes.IndexByte(head, 0) < 0 && strings.ContainsAny(text, ",;\t"):
		return notWorkbook("file is text such as CSV; want it saved as a workbook (.xlsx)")
	}
	return notWorkbook("file is no workbook; want a workbook (.xlsx)")
}

// compoundFile tells the two files apart that share the old container: a
// workbook of before 2007, and a workbook behind a password.
func compoundFile(content []byte) *resource.Finding {
	if bytes.Contains(content, UTF16LE("EncryptedPackage")) {
		return notWorkbook("file is a workbook with a password; want it saved without one")
	}
	return notWorkbook("file is an old workbook (.xls); want it saved as .xlsx")
}

// UTF16LE writes ASCII text as the old container of workbooks holds its names.
func UTF16LE(s string) []byte {
	var b []byte
	for i := range len(s) {
		b = append(b, s[i], 0)
	}
	return b
}

// Texts are what people typed into a workbook: the shared texts, whole, and the
// XML of what else holds some: cells, notes, names.
func (b *Book) Texts() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, text := range b.strings {
			if !yield([]byte(text)) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(b.parts.content)) {
			content, sheet := b.parts.content[name], strings.HasPrefix(name, "xl/worksheets/")
			if path.Ext(name) != ".rels" && (!sheet || bytes.Contains(content, []byte("inlineStr"))) &&
				!yield(content) {
				return
			}
		}
	}
}
