package gitstore

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// grower makes trees that hold more files than others, and remembers the objects
// it made.
type grower struct {
	objects storer.EncodedObjectStorer
	written []plumbing.Hash
}

// emptyTree is a folder in which nothing is left.
var emptyTree = plumbing.ComputeHash(plumbing.TreeObject, nil)

// checkFile refuses a path that no checkout should write.
func checkFile(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") ||
			strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
			return refuse(Configuration, "the path of a file to push is %q; want one such as results/x.json", name)
		}
	}
	return nil
}

// put returns the tree with the files in it, and without those of nil; the zero hash stands for an empty tree.
func (g *grower) put(tree plumbing.Hash, files map[string][]byte) (plumbing.Hash, error) {
	entries := map[string]object.TreeEntry{}
	if !tree.IsZero() {
		before, err := object.GetTree(g.objects, tree)
		if err != nil {
			return tree, err
		}
		for _, e := range before.Entries {
			entries[e.Name] = e
		}
	}
	below := map[string]map[string][]byte{}
	for name, content := range files {
		folder, rest, nested := strings.Cut(name, "/")
		if nested {
			if below[folder] == nil {
				below[folder] = map[string][]byte{}
			}
			below[folder][rest] = content
			continue
		}
		if content == nil {
			delete(entries, name)
			continue
		}
		if err := g.putFile(entries, name, content); err != nil {
			return tree, err
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(below)) {
		have, there := entries[folder]
		if there && have.Mode != filemode.Dir {
			return tree, fmt.Errorf("%s is %s on the branch; want a folder", path.Base(folder), modeName(have.Mode))
		}
		inner, err := g.put(have.Hash, below[folder])
		if err != nil {
			return tree, err
		}
		entries[folder] = object.TreeEntry{Name: folder, Mode: filemode.Dir, Hash: inner}
		if inner == emptyTree { // git keeps no empty folder
			delete(entries, folder)
		}
	}
	sorted := slices.Collect(maps.Values(entries))
	sort.Sort(object.TreeEntrySorter(sorted))
	return g.write(&object.Tree{Entries: sorted})
}

func (g *grower) putFile(entries map[string]object.TreeEntry, name string, content []byte) error {
	have, there := entries[name]
	mode := filemode.Regular
	if there && have.Mode == filemode.Executable {
		mode = have.Mode
	} else if there && !have.Mode.IsFile() || have.Mode == filemode.Symlink {
		return fmt.Errorf("%s is %s on the branch; want a file", name, modeName(have.Mode))
	}
	blob := &plumbing.MemoryObject{}
	blob.SetType(plumbing.BlobObject)
	if _, err := blob.Write(content); err != nil {
		return err
	}
	hash, err := g.store(blob)
	entries[name] = object.TreeEntry{Name: name, Mode: mode, Hash: hash}
	return err
}

func (g *grower) write(o object.Object) (plumbing.Hash, error) {
	encoded := &plumbing.MemoryObject{}
	if err := o.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return g.store(encoded)
}

// store writes an object, unless it is there. What is there already may be at
// the other side too, and is sent all the same: it may not be.
func (g *grower) store(o plumbing.EncodedObject) (plumbing.Hash, error) {
	hash := o.Hash()
	if !slices.Contains(g.written, hash) {
		g.written = append(g.written, hash)
	}
	if g.objects.HasEncodedObject(hash) == nil {
		return hash, nil
	}
	_, err := g.objects.SetEncodedObject(o)
	return hash, err
}
