package state

import (
	"fmt"
	"io/fs"
	"os"
)

// place is where the files of an open database have to stay. A file that is
// deleted, replaced or moved with its folder takes every write and keeps none of
// them under its name: what was acknowledged would be gone for the next run.
type place struct {
	names []string
	files map[string]fs.FileInfo
}

// newPlace notes which files are there. The log comes with the first commit.
func newPlace(names ...string) *place {
	p := &place{names, map[string]fs.FileInfo{}}
	for _, name := range names {
		if now, err := os.Stat(name); err == nil {
			p.files[name] = now
		}
	}
	return p
}

// check holds that every file is there under its name, and the one it was. It
// comes after a commit, when all of them are there.
func (p *place) check() error {
	for _, name := range p.names {
		now, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("%s went away while adsync had it open: %w", name, err)
		}
		if first := p.files[name]; first != nil && !os.SameFile(first, now) {
			return fmt.Errorf("%s is another file than the one adsync opened; somebody replaced it", name)
		}
		p.files[name] = now
	}
	return nil
}
