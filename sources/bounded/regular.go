package bounded

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// BoundOf is the name of the bound a source's size is held to.
func BoundOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".xlsx", ".xlsm", ".xltm", ".xlsb", ".xls", ".ods", ".numbers":
		return "workbook"
	case ".csv", ".tsv":
		return "csv"
	case ".yaml", ".yml":
		return "yaml"
	}
	return "attached"
}

// HashRegular returns the SHA-256 of a regular file of at most limit bytes in hex.
func HashRegular(root *os.Root, name string, limit int64) (string, error) {
	handle, err := OpenRegular(root, name)
	if err != nil {
		return "", err
	}
	defer handle.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(handle, limit+1))
	if err != nil {
		return "", err
	}
	if n > limit {
		return "", TooLarge(BoundOf(name), n, limit)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// TooLarge is the error of a file beyond its bound.
func TooLarge(bound string, size, limit int64) error {
	return &resource.Limit{
		Message: fmt.Sprintf("file is over %s; want a smaller one", xlsx.Size(limit)),
		Hint:    "split it into several files", Bound: resource.EnoughMiB(bound, max(size, limit)),
	}
}

var ErrNotRegular = errors.New("not a regular file")

// OpenRegular opens a regular file and nothing else; a pipe or device does not
// block it.
func OpenRegular(root *os.Root, name string) (*os.File, error) {
	handle, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	about, err := handle.Stat()
	if err != nil || !about.Mode().IsRegular() {
		handle.Close()
		return nil, cmp.Or(err, ErrNotRegular)
	}
	return handle, nil
}

// ReadRegular reads a regular file of at most limit bytes and gives its SHA-256
// in hex.
func ReadRegular(root *os.Root, name string, limit int64) (content []byte, hash string, err error) {
	handle, err := OpenRegular(root, name)
	if err != nil {
		return nil, "", err
	}
	defer handle.Close()
	about, err := handle.Stat()
	if err != nil {
		return nil, "", err
	}
	if about.Size() > limit {
		return nil, "", TooLarge(BoundOf(name), about.Size(), limit)
	}
	content = make([]byte, 0, about.Size()+1)
	for int64(len(content)) <= limit {
		n, err := handle.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			sum := sha256.Sum256(content)
			return content, hex.EncodeToString(sum[:]), nil
		}
		if err != nil {
			return nil, "", err
		}
		if len(content) == cap(content) {
			content = slices.Grow(content, 4096)
		}
	}
	return nil, "", TooLarge(BoundOf(name), limit, limit)
}

// Unreadable says to a person why a source has no content.
func Unreadable(err error) resource.Finding {
	if limit := resource.LimitIn(err); limit != nil {
		return *limit
	}
	switch {
	case errors.Is(err, ErrNotRegular):
		return resource.Finding{Code: diag.Unreadable, Message: "is not a regular file; want one"}
	case errors.Is(err, fs.ErrPermission):
		return resource.Finding{
			Code: diag.Unreadable, Message: "file cannot be read: permission denied; want to read every source",
		}
	case errors.Is(err, fs.ErrNotExist):
		return resource.Finding{Code: diag.Unreadable, Message: "file is gone; want it there until it is read"}
	}
	return resource.Finding{
		Code: diag.Unreadable, Message: "file cannot be read; want to read every source", Hint: Reason(err),
	}
}

// Reason is the system's own word for an error, without path or operation.
func Reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
