package twin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// beside is what is kept beside the state of an account: a kv.Store.
type beside struct {
	process *Process
	account string
}

// Where returns what people call the place of a content.
func (b *beside) Where(name string) string {
	if name == "" {
		return b.account + " in " + b.process.Name()
	}
	return name + " of " + b.account + " in " + b.process.Name()
}

// key is where a content lies.
func (b *beside) key(name string) (besideKey, error) {
	if !fs.ValidPath(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return besideKey{}, fmt.Errorf("%q names no content; want a path in which no part begins with a dot", name)
	}
	return besideKey{b.account, name}, nil
}

func (b *beside) do(what, name string, ask func(r *rows, k besideKey) error) error {
	k, err := b.key(name)
	if err != nil {
		return err
	}
	return b.process.twice(context.Background(), what, func(r *rows, _ time.Time) error { return ask(r, k) })
}

func whole(parts []part) (content []byte) {
	for _, p := range parts {
		content = append(content, p.content...)
	}
	return content
}

func (r *rows) add(k besideKey, content []byte) {
	r.lastPart++
	r.beside[k] = append(slices.Clip(r.beside[k]), part{r.lastPart, bytes.Clone(content)})
}

// Get returns a content of so many bytes at most.
func (b *beside) Get(name string, most int) (content []byte, err error) {
	err = b.do("get", name, func(r *rows, k besideKey) error {
		parts, there := r.beside[k]
		if !there {
			return fmt.Errorf("%s: %w", b.Where(name), fs.ErrNotExist)
		}
		if content = whole(parts); len(content) > most {
			content = nil
			return fmt.Errorf("%s is over %d KiB; want one of adsync's", b.Where(name), most>>10)
		}
		return nil
	})
	return content, err
}

// Put replaces a content as a whole.
func (b *beside) Put(name string, content []byte) error {
	return b.do("put", name, func(r *rows, k besideKey) error {
		delete(r.beside, k)
		r.add(k, content)
		return nil
	})
}

// Secret returns the content that was put there first.
func (b *beside) Secret(name string, fresh []byte) (kept []byte, err error) {
	err = b.do("secret", name, func(r *rows, k besideKey) error {
		parts, there := r.beside[k]
		switch {
		case there:
			kept = bytes.Clone(parts[0].content)
			return nil
		case fresh == nil:
			return fmt.Errorf("%s: %w", b.Where(name), fs.ErrNotExist)
		}
		kept = fresh
		r.add(k, fresh)
		return nil
	})
	return kept, err
}

// Append adds a line to a content.
func (b *beside) Append(name string, line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line holds an end of line; want one line")
	}
	k, err := b.key(name)
	if err != nil {
		return err
	}
	return b.process.once(context.Background(), "append", func(r *rows, _ time.Time) error {
		before := whole(r.beside[k])
		text := append(slices.Clone(line), '\n')
		if len(before) > 0 && before[len(before)-1] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
		r.add(k, text)
		return nil
	})
}

// Rewrite puts what change returns in the place of a content, or where there is none.
func (b *beside) Rewrite(name string, change func(content []byte) []byte) error {
	return b.do("rewrite", name, func(r *rows, k besideKey) error {
		parts, there := r.beside[k]
		if !there {
			if changed := change(nil); changed != nil {
				r.add(k, changed)
			}
			return nil
		}
		if changed := change(whole(parts)); changed != nil {
			r.beside[k] = []part{{parts[len(parts)-1].id, bytes.Clone(changed)}}
		}
		return nil
	})
}

// Delete takes a content away, and of a name that ends in a slash all beneath it.
func (b *beside) Delete(name string) error {
	beneath := strings.HasSuffix(name, "/")
	return b.do("delete", strings.TrimSuffix(name, "/"), func(r *rows, k besideKey) error {
		if !beneath {
			delete(r.beside, k)
			return nil
		}
		for other := range r.beside {
			if other.account == k.account && strings.HasPrefix(other.name, k.name+"/") {
				delete(r.beside, other)
			}
		}
		return nil
	})
}

// Names returns the names that begin so, in the order of their bytes.
func (b *beside) Names(prefix string) (names []string, err error) {
	err = b.process.twice(context.Background(), "names", func(r *rows, _ time.Time) error {
		names = nil
		for k := range r.beside {
			if k.account == b.account && strings.HasPrefix(k.name, prefix) {
				names = append(names, k.name)
			}
		}
		slices.Sort(names)
		return nil
	})
	return names, err
}
