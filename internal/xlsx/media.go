package xlsx

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
)

// ErrLarge is the error of a part beyond the bound it is read under.
var ErrLarge = errors.New("it is too large")

// Media reads a part that is no XML, of at most limit bytes. Nothing is kept:
// the pictures of a workbook are never in memory together.
func (b *Book) Media(part string, limit int64) ([]byte, error) {
	member, ok := b.parts.other[part]
	if !ok {
		return nil, fmt.Errorf("its part %q is missing", part)
	}
	return unzip(member, limit)
}

// Part reads one part of a workbook out of its file, of at most limit bytes. It
// checks this part alone, not the workbook.
func Part(file io.ReaderAt, size int64, part string, limit int64) ([]byte, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%s)", zipReason(err))
	}
	if len(archive.File) > maxMembers {
		return nil, manyParts(len(archive.File))
	}
	for _, member := range archive.File {
		if partName(member.Name) == part {
			return unzip(member, limit)
		}
	}
	return nil, fmt.Errorf("workbook has no part %q any more", part)
}

// unzip reads a member to its end, so that its checksum is held.
func unzip(member *zip.File, limit int64) ([]byte, error) {
	if member.UncompressedSize64 > uint64(limit) {
		return nil, ErrLarge
	}
	r, err := member.Open()
	if err != nil {
		return nil, fmt.Errorf("part %q is damaged (%s)", member.Name, zipReason(err))
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, int64(member.UncompressedSize64)+1))
	if err = wholeMember(int64(len(content)), member, err); err != nil {
		return nil, fmt.Errorf("part %q is damaged (%s)", member.Name, zipReason(err))
	}
	return content, nil
}
