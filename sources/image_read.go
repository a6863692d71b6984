package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// ReadImage gives the bytes behind the canonical value of an image, and where
// they are. It never gives other bytes: a file or workbook that has changed
// since it was loaded is an error.
func (d Desired) ReadImage(p Project, source string) (where string, content []byte, err error) {
	where, ok := d.Images[source]
	if !ok {
		return "", nil, fmt.Errorf("no file has the content %s any more", diag.Printable(source))
	}
	content, err = p.ReadImage(where)
	if err != nil {
		return "", nil, err
	}
	if sum := sha256.Sum256(content); source != "sha256:"+hex.EncodeToString(sum[:]) {
		return "", nil, fmt.Errorf("%s has changed since it was read; plan again", diag.Printable(where))
	}
	return where, content, nil
}

// ReadImage reads a file of the tree, or a picture that lies in a workbook, as
// Desired.Images says where it is. It follows no link and leaves the project's
// folder for nothing.
func (p Project) ReadImage(where string) ([]byte, error) {
	slashPath, part, stored := storedIn(where)
	if !stored {
		slashPath = where
	}
	if !fs.ValidPath(slashPath) {
		return nil, fmt.Errorf("image is %q; want a path below the project's folder", where)
	}
	root, err := os.OpenRoot(p.folder())
	if err != nil {
		return nil, fmt.Errorf("open project folder: %w", err)
	}
	defer root.Close()
	if link := linkIn(root, slashPath); link != "" {
		return nil, fmt.Errorf("image is %q, and %q is a symbolic link; want the file itself", where, link)
	}
	content, err := readImage(root, slashPath, part, p.limits())
	if err != nil {
		return nil, fmt.Errorf("read image %q: %w", where, err)
	}
	return content, nil
}

// readImage reads a file, or one part of a workbook without reading the others.
func readImage(root *os.Root, slashPath, part string, b bounded.Limits) ([]byte, error) {
	if part == "" {
		content, _, err := bounded.ReadRegular(root, slashPath, b.AttachedBytes)
		return content, err
	}
	handle, err := bounded.OpenRegular(root, slashPath)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	about, err := handle.Stat()
	if err != nil {
		return nil, err
	}
	if about.Size() > b.WorkbookBytes {
		return nil, bounded.TooLarge("workbook", about.Size(), b.WorkbookBytes)
	}
	return xlsx.Part(handle, about.Size(), part, b.AttachedBytes)
}

const partMark = ".xlsx#"

// inWorkbook says where a picture of a workbook is.
func inWorkbook(file, part string) string { return file + "#" + part }

// storedIn takes apart what inWorkbook makes; false for the path of a file.
func storedIn(where string) (file, part string, stored bool) {
	i := strings.LastIndex(strings.ToLower(where), partMark)
	if i < 0 || i+len(partMark) == len(where) {
		return "", "", false
	}
	return where[:i+len(partMark)-1], where[i+len(partMark):], true
}

// imageText is how a file names an image: by its path or address, and one that
// lies in a workbook by its content, as there is no file to name.
func imageText(v resource.Value) string {
	if _, _, stored := storedIn(v.Written()); stored {
		return v.Text()
	}
	return v.Written()
}
