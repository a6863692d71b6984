package sources

import "slices"

// Sum gives what Desired.Hash is while the files are as they were: the sum over
// the names and bytes of adsync.yaml, of the sources there are now, and of the
// others that were read (Desired.Files). Nothing is parsed. A folder that cannot
// be read has a sum of its own.
func (p Project) Sum(read []string) string {
	t, err := openTree(p)
	if err != nil {
		return "the folder cannot be opened: " + reason(err)
	}
	defer t.close()
	listed := t.list()
	for _, name := range read {
		if !slices.Contains(listed.files, name) && name != p.File {
			t.attached[name] = t.hashOf(name, largestFile)
		}
	}
	files := make([]file, len(listed.files))
	for i, name := range listed.files {
		files[i] = file{name: name, hash: t.hash(name)}
	}
	sum, _ := t.sum(files)
	return sum
}

// largestFile is more than any bound allows.
const largestFile = 1 << 40
