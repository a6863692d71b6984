package authors

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"adsync/state/kv"
)

// name is where authors are kept beside the state of an account.
const name = "authors.json"

// lasts is how long they are.
const lasts = 31 * 24 * time.Hour

// keeping is how authors outlive the process.
type keeping struct {
	at     kv.Store // nil: they do not
	failed func(error)
	root   string // the folder with the files
}

// kept is what is kept of them.
type kept struct {
	Content  string    `json:"content"`
	Settings string    `json:"settings"`
	Noted    time.Time `json:"noted"`
	Wrote    []written `json:"wrote"`
}

// Keep has authors outlive the process; failed is told why that cannot be.
func (k *Known) Keep(at kv.Store, failed func(error)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep.at, k.keep.failed = at, failed
}

// load reads what is kept, which another process may have had in between, of files in a folder that nobody has written
// since.
func (k *Known) load(root string) {
	k.keep.root = root
	if k.keep.at == nil {
		return
	}
	var was kept
	content, err := k.keep.at.Get(name, kv.Most)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil:
		err = json.Unmarshal(content, &was)
	}
	if err != nil {
		k.keep.failed(err)
		was = kept{}
	}
	k.content, k.settings, k.noted, k.wrote = was.Content, was.Settings, was.Noted, was.Wrote
	k.leave(func(p *part) bool {
		return p.File == "" || !p.Modified.IsZero() && k.modified(p.File).Equal(p.Modified)
	})
}

// save keeps what is known.
func (k *Known) save() {
	if k.keep.at == nil {
		return
	}
	k.wrote = slices.DeleteFunc(slices.Clone(k.wrote), func(w written) bool { return time.Since(w.Time) > lasts })
	was := kept{k.content, k.settings, k.noted.UTC(), k.wrote}
	content, err := json.Marshal(was)
	if err == nil {
		err = k.keep.at.Put(name, content)
	}
	if err != nil {
		k.keep.failed(err)
	}
}

// stamp notes a file of a part as it is by now.
func (k *Known) stamp(p *part, sum string) {
	if p.File != "" && sum != "" {
		p.Sum, p.Modified = sum, k.modified(p.File)
	}
}

// modified is when a file was written; zero where nobody can say.
func (k *Known) modified(file string) time.Time {
	about, err := os.Lstat(filepath.Join(k.keep.root, filepath.FromSlash(file)))
	if err != nil {
		return time.Time{}
	}
	return about.ModTime().UTC()
}
