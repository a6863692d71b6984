package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"
)

// destination is where converted files go.
type destination struct {
	root   string // folder their paths may not leave: the project's, or where they stand
	folder string // slash path from root
	file   string // name of the one file; "" for several
	ends   string // of the files' names: ".yaml"
	inside bool   // root is the project's folder
	force  bool   // files that are there are replaced
}

// destinationOf judges --out: a file of the format's name, else a folder.
func destinationOf(l loaded, f convertFlags) (destination, error) {
	to := destination{root: l.project.Root, folder: ".", ends: formats[f.to][0], inside: true, force: f.force}
	if f.out == "" {
		to.file = "converted" + to.ends
		return to, nil
	}
	folder := filepath.Clean(f.out)
	if isFormat(f.out, f.to) && !isFolder(f.out) {
		folder, to.file = filepath.Split(folder)
	} else if f.to == "xlsx" {
		return to, configuration("--out is %s; want a file that ends in .xlsx", diag.Printable(f.out))
	}
	inside, err := below(l.project.Root, folder)
	if err != nil {
		return to, configuration("--out: %v", err)
	}
	if to.folder = filepath.ToSlash(inside); inside == "" {
		to.root, to.folder, to.inside = filepath.Clean(folder), ".", false
	}
	return to, nil
}

// below gives the path of a folder, which need not be there yet, from another
// one; "" where it is not below it.
func below(root, folder string) (string, error) {
	root, err := resolved(root)
	if err != nil {
		return "", err
	}
	folder, err = resolved(cleanFolder(folder))
	if err != nil {
		return "", err
	}
	inside, err := filepath.Rel(root, folder)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
		return "", nil
	}
	return inside, nil
}

func cleanFolder(folder string) string {
	if folder == "" {
		return "."
	}
	return folder
}

// resolved follows the links of what is there of a path.
func resolved(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) && name != filepath.Dir(name) {
		parent, err := resolved(filepath.Dir(name))
		return filepath.Join(parent, filepath.Base(name)), err
	}
	return real, err
}

// name is the slash path of a file from root.
func (to destination) name(file string) string {
	if file == "" {
		file = to.file
	}
	return path.Join(to.folder, file)
}

// bring gives the snapshot with paths as the new files have them, and the files
// to make for that: pictures out of workbooks, and outside the project's folder
// a copy of each image.
func (to destination) bring(l loaded) (*resource.Snapshot, map[string][]byte, error) {
	beside := map[string][]byte{}
	moved := l.desired
	moved.Snapshot = sources.Moved(l.schemas, moved.Snapshot, to.folder)
	s, err := l.project.ExtractImages(moved, func(name string, content []byte) error {
		beside[to.name(name)] = content
		return nil
	})
	if err != nil || to.inside {
		return s, beside, err
	}
	for _, use := range sources.Paths(l.schemas, s) {
		name := use.Value.Written()
		if beside[name] != nil {
			continue
		}
		if use.Attribute.Type != resource.TypeImage {
			return nil, nil, fmt.Errorf("%s: %s is %s, which is not copied out of "+
				"the project's folder; want --out below it", use.Address, use.Attribute.Name, diag.Printable(name))
		}
		if _, beside[name], err = l.desired.ReadImage(l.project, use.Value.Text()); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", use.Address, err)
		}
	}
	return s, beside, nil
}

// refuseSources keeps the files that were read from being written over, and a
// folder from holding files of the format that are not of this writing.
func (to destination) refuseSources(l loaded, contents map[string][]byte) error {
	for name := range contents {
		for _, s := range l.desired.Sources {
			if to.inside && s.File == name {
				return configuration("--out: %s is a source that was read; want another name",
					nameOf(filepath.Join(to.root, filepath.FromSlash(name))))
			}
		}
	}
	if to.file != "" {
		return nil
	}
	start := filepath.Join(to.root, filepath.FromSlash(to.folder))
	err := filepath.WalkDir(start, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != to.ends {
			return err
		}
		slash, err := filepath.Rel(to.root, name)
		if _, ours := contents[filepath.ToSlash(slash)]; err == nil && !ours && entry.Name() != "adsync.yaml" {
			return configuration("--out: %s is "+
				"there already, and is not written now; want a folder without other %s files", nameOf(name), to.ends)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holds reads the new files as a project would, and compares.
func (to destination) holds(ctx context.Context, l loaded, contents map[string][]byte) error {
	p := l.project
	if !to.inside {
		p = l.project.Beside(to.root)
	}
	again := sources.LoadContents(ctx, p, l.schemas, contents)
	for _, problem := range again.Problems {
		if problem.Severity == diag.Error {
			return errors.New(problem.String())
		}
	}
	return sources.Differs(l.schemas, l.desired.Snapshot, again.Snapshot)
}

// write makes the files and gives those that were not there. A file of the same
// content stays; where another one is there, none is made.
func (to destination) write(contents map[string][]byte) (fresh []string, err error) {
	var files []newFile
	var texts [][]byte
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		file := outFile(filepath.Join(to.root, filepath.FromSlash(name)), to.force)
		if file.holds(contents[name]) {
			continue
		}
		if err := file.free(); err != nil {
			return nil, err
		}
		files, texts = append(files, file), append(texts, contents[name])
	}
	if err := os.MkdirAll(to.root, 0o700); err != nil {
		return nil, configuration("--out: %v", err)
	}
	for i, file := range files {
		if err := os.MkdirAll(filepath.Dir(file.name), 0o700); err != nil {
			return fresh, configuration("--out: %v", err)
		}
		if _, err := os.Lstat(file.name); errors.Is(err, fs.ErrNotExist) {
			fresh = append(fresh, file.name)
		}
		err := file.write(func(w io.Writer) error {
			_, err := w.Write(texts[i])
			return err
		})
		if err != nil {
			return fresh, err
		}
	}
	return fresh, nil
}

func (to destination) remove(fresh []string) {
	for _, name := range fresh {
		os.Remove(name) // what is left is a picture more, which nothing names
	}
}
