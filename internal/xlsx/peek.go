package xlsx

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// PeekSheet visits the rows of one sheet of a workbook, read out of its file. It reads no
// other sheet and checks nothing but what it reads. It returns the part of the sheet,
// "" where the workbook has none of that name. No part it reads may exceed limit bytes.
func PeekSheet(file io.ReaderAt, size int64, sheet string, limit int64, visit func(*Row) error) (string, error) {
	p, err := openPeek(file, size, limit)
	if err != nil {
		return "", err
	}
	b, err := p.book()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(b.Sheets, func(s Sheet) bool { return s.Name == sheet })
	if i < 0 {
		return "", nil
	}
	part := b.Sheets[i].Part
	if err := p.take(part, limit); err != nil {
		return "", err
	}
	if err := p.takeLooks(b); err != nil {
		return "", err
	}
	if bytes.Contains(b.parts.content[part], []byte(`t="s"`)) {
		if err := p.takeTexts(b); err != nil {
			return "", err
		}
	}
	_, err = Walk(b, part, visit)
	return part, err
}

// PartsSum returns the SHA-256, in hex, over the names, sizes and checksums of the parts of
// a workbook but for one. Nothing is unzipped. Every program that saves a workbook makes
// it another.
func PartsSum(file io.ReaderAt, size int64, but string) (string, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return "", fmt.Errorf("workbook is damaged (%s)", zipReason(err))
	}
	var lines []string
	for _, member := range archive.File {
		if name := partName(member.Name); name != partName(but) {
			lines = append(lines, PartLine(name, member.UncompressedSize64, member.CRC32))
		}
	}
	return SumOfParts(lines), nil
}

// PartLine is what a part gives to PartsSum.
func PartLine(name string, size uint64, crc32 uint32) string {
	return fmt.Sprintf("%s %d %08x\n", partName(name), size, crc32)
}

// SumOfParts is PartsSum of a workbook that is about to be written.
func SumOfParts(lines []string) string {
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// peek is a workbook of which only some parts are read.
type peek struct {
	parts   Parts
	members map[string]*zip.File
	limit   int64
}

func openPeek(file io.ReaderAt, size, limit int64) (*peek, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%s)", zipReason(err))
	}
	if len(archive.File) > maxMembers {
		return nil, manyParts(len(archive.File))
	}
	p := &peek{members: map[string]*zip.File{}, limit: limit}
	p.parts = Parts{content: map[string][]byte{}, other: map[string]*zip.File{}}
	for _, member := range archive.File {
		name := partName(member.Name)
		p.members[name], p.parts.other[name] = member, member
	}
	return p, nil
}

// take reads a part; one that is not there is left to who asks for it.
func (p *peek) take(part string, limit int64) error {
	member := p.members[part]
	if member == nil {
		return nil
	}
	content, err := unzip(member, limit)
	if err == nil {
		p.parts.content[part] = content
	}
	return err
}

// maxList is how many bytes the list of sheets has at most, and each list of parts: far
// more than a thousand sheets take.
const maxList = 2 << 20

// book reads the list of sheets.
func (p *peek) book() (*Book, error) {
	if err := p.take("_rels/.rels", min(p.limit, maxList)); err != nil {
		return nil, err
	}
	root, err := relations(p.parts, "")
	if err != nil {
		return nil, err
	}
	main := root.byType("/officeDocument")
	folder, base := path.Split(main)
	for _, part := range []string{main, folder + "_rels/" + base + ".rels"} {
		if err := p.take(part, min(p.limit, maxList)); err != nil {
			return nil, err
		}
	}
	if p.parts.content[main] == nil {
		return nil, fmt.Errorf("it has no part that lists its sheets")
	}
	rels, err := relations(p.parts, main)
	if err != nil {
		return nil, err
	}
	b := &Book{parts: p.parts, main: main, rels: rels}
	return b, b.readSheets(main, rels)
}

// takeTexts reads the texts that the cells of all sheets share.
func (p *peek) takeTexts(b *Book) (err error) {
	part := b.rels.byType("/sharedStrings")
	if err := p.take(part, p.limit); err != nil {
		return err
	}
	b.strings, err = b.sharedStrings(part)
	return err
}

// takeLooks reads the styles, which every cell names one of.
func (p *peek) takeLooks(b *Book) (err error) {
	part := b.rels.byType("/styles")
	if err := p.take(part, p.limit); err != nil {
		return err
	}
	b.styles, err = b.readStyles(part)
	return err
}
