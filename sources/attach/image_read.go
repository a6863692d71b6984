package attach

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/config"
)

// ReadImageFile reads a file of the tree, or a picture that lies in a workbook, as
// Desired.Images says where it is. It follows no link and leaves the project's
// folder for nothing.
func ReadImageFile(p config.Project, where string) ([]byte, error) {
	slashPath, part, stored := StoredIn(where)
	if !stored {
		slashPath = where
	}
	if !fs.ValidPath(slashPath) {
		return nil, fmt.Errorf("image is %q; want a path below the project's folder", where)
	}
	if of := config.OfReady(slashPath); of != "" && stored && p.Kept != nil {
		return readKeptImage(p, of, part)
	}
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return nil, fmt.Errorf("open project folder: %w", err)
	}
	defer root.Close()
	if link := bounded.LinkIn(root, slashPath); link != "" {
		return nil, fmt.Errorf("image is %q, and %q is a symbolic link; want the file itself", where, link)
	}
	content, err := readImage(root, slashPath, part, p.FileLimits())
	if err != nil {
		return nil, fmt.Errorf("read image %q: %w", where, err)
	}
	return content, nil
}

// readKeptImage reads a picture out of the last ready version of a workbook.
func readKeptImage(p config.Project, file, part string) ([]byte, error) {
	v, known, err := p.Kept.Version(file)
	if err == nil && !known {
		err = fmt.Errorf("%s has no ready version any more; plan again", file)
	}
	if err != nil {
		return nil, err
	}
	content, err := p.Kept.Content(v)
	if err != nil {
		return nil, err
	}
	return xlsx.Part(bytes.NewReader(content), int64(len(content)), part, p.FileLimits().AttachedBytes)
}
