package sources

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/config"
)

// ExtractImages makes files of the pictures that lie in workbooks, so that a
// format without pictures can name them. write gets each picture once, one at a
// time, under a name relative to where the new file will stand, such as
// "images/hero-a-1f3a5b7c.png": the key of the first ad that has it, the
// beginning of its hash, and the ending of its format. The snapshot given back
// is d's with those names in place of the workbooks' parts; d is not changed.
// Images that are files already keep their paths.
func ExtractImages(p config.Project,
	d Desired, write func(name string, content []byte) error) (*resource.Snapshot, error) {
	names := map[string]string{} // by canonical value
	taken := map[string]bool{}
	extracted := &resource.Snapshot{}
	for r := range d.Snapshot.All() {
		copied := *r
		copied.Attributes = slices.Clone(r.Attributes)
		for i := range copied.Attributes {
			v := &copied.Attributes[i].Value
			if _, _, stored := attach.StoredIn(v.Written()); !stored || !strings.HasPrefix(v.Text(), "sha256:") {
				continue
			}
			name, known := names[v.Text()]
			if !known {
				_, content, err := d.ReadImage(p, v.Text())
				if err != nil {
					return nil, fmt.Errorf("%s: %w", r.Address, err)
				}
				name = pictureFile(r.Address.Leaf(), v.Text(), content, taken)
				if err := write(name, content); err != nil {
					return nil, fmt.Errorf("write %s: %w", name, err)
				}
				names[v.Text()] = name
			}
			*v = v.As(name)
		}
		extracted.Add(&copied)
	}
	return extracted, nil
}

// longestStem of the name of an extracted picture.
const longestStem = 60

// pictureFile names a picture; two never get one name.
func pictureFile(key, source string, content []byte, taken map[string]bool) string {
	stem := strings.Trim(resource.Slug(key), "-.")
	stem = strings.Trim(stem[:min(len(stem), longestStem)], "-.")
	if stem == "" {
		stem = "image"
	}
	hash := strings.TrimPrefix(source, "sha256:")
	for _, length := range []int{8, hex.EncodedLen(32)} {
		name := "images/" + stem + "-" + hash[:length] + "." + attach.ImageEnding(content)
		if !taken[name] {
			taken[name] = true
			return name
		}
	}
	return ""
}
