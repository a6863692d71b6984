package sources

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"adsync/internal/diag"
	"adsync/sources/attach"
	"adsync/sources/config"
)

// ReadImage returns the bytes behind the canonical value of an image, and where
// they are. It never gives other bytes: a file or workbook that has changed
// since it was loaded is an error.
func (d Desired) ReadImage(p config.Project, source string) (where string, content []byte, err error) {
	where, ok := d.Images[source]
	if !ok {
		return "", nil, fmt.Errorf("no file has the content %s any more", diag.Printable(source))
	}
	content, err = attach.ReadImageFile(p, where)
	if err != nil {
		return "", nil, err
	}
	if sum := sha256.Sum256(content); source != "sha256:"+hex.EncodeToString(sum[:]) {
		return "", nil, fmt.Errorf("%s has changed since it was read; plan again", diag.Printable(where))
	}
	return where, content, nil
}

// ReadPeople makes what is uploaded of the list behind the canonical value of a
// members file: one hash a line, and the identifier that was hashed.
func (d Desired) ReadPeople(p config.Project, digest string) (content []byte, as string, err error) {
	file, known := d.lists[digest]
	if !known {
		return nil, "", errors.New("no members file holds the list of the plan any more; plan again")
	}
	list, err := ReadMembers(p, file.Path, file.As, digest)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	if _, err := list.WriteTo(&out); err != nil {
		return nil, "", fmt.Errorf("write the list of members file %s: %w", diag.Printable(file.Path), err)
	}
	return out.Bytes(), string(list.Identifier.Hashed()), nil
}
