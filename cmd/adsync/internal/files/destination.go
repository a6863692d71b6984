package files

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

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/workbook"
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
func destinationOf(l session.Loaded, f convertFlags) (destination, error) {
	to := destination{root: l.Project.Root, folder: ".", ends: formats[f.to][0], inside: true, force: f.force}
	if f.out == "" {
		to.file = "converted" + to.ends
		return to, nil
	}
	folder := filepath.Clean(f.out)
	if isFormat(f.out, f.to) && !runs.IsFolder(f.out) {
		folder, to.file = filepath.Split(folder)
	} else if f.to == "xlsx" {
		return to, console.Configuration("--out is %s; want a file that ends in .xlsx", diag.Printable(f.out))
	}
	inside, err := console.Below(l.Project.Root, folder)
	if err != nil {
		return to, console.Configuration("--out: %v", err)
	}
	if to.folder = filepath.ToSlash(inside); inside == "" {
		to.root, to.folder, to.inside = filepath.Clean(folder), ".", false
	}
	return to, nil
}

// name is the slash path of a file from root.
func (to destination) name(file string) string {
	if file == "" {
		file = to.file
	}
	return path.Join(to.folder, file)
}

// bring returns the snapshot with paths as the new files have them, and the files
// to make for that: pictures out of workbooks, and outside the project's folder
// a copy of each image.
func (to destination) bring(l session.Loaded) (*resource.Snapshot, map[string][]byte, error) {
	beside := map[string][]byte{}
	moved := l.Desired
	moved.Snapshot = workbook.Moved(l.Schemas, moved.Snapshot, to.folder)
	s, err := sources.ExtractImages(l.Project, moved, func(name string, content []byte) error {
		beside[to.name(name)] = content
		return nil
	})
	if err != nil || to.inside {
		return s, beside, err
	}
	for _, use := range workbook.Paths(l.Schemas, s) {
		name := use.Value.Written()
		if beside[name] != nil {
			continue
		}
		if use.Attribute.Type != resource.TypeImage {
			return nil, nil, fmt.Errorf("%s: %s is %s, which is not copied out of "+
				"the project's folder; want --out below it", use.Address, use.Attribute.Name, diag.Printable(name))
		}
		if _, beside[name], err = l.Desired.ReadImage(l.Project, use.Value.Text()); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", use.Address, err)
		}
	}
	return s, beside, nil
}

// refuseSources keeps the files that were read from being written over, and a
// folder from holding files of the format that are not of this writing.
func (to destination) refuseSources(l session.Loaded, contents map[string][]byte) error {
	for name := range contents {
		for _, s := range l.Desired.Sources {
			if to.inside && s.File == name {
				return console.Configuration("--out: %s is a source that was read; want another name",
					console.NameOf(filepath.Join(to.root, filepath.FromSlash(name))))
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
			return console.Configuration("--out: %s is "+
				"there already, and is not written now; want a folder without other %s files",
				console.NameOf(name), to.ends)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// holds reads the new files as a project would, and compares.
func (to destination) holds(ctx context.Context, l session.Loaded, contents map[string][]byte) error {
	p := l.Project
	if !to.inside {
		p = l.Project.Beside(to.root)
	}
	again := sources.LoadContents(ctx, p, l.Schemas, contents)
	for _, problem := range again.Problems {
		if problem.Severity == diag.Error {
			return errors.New(problem.String())
		}
	}
	return sources.Differs(l.Schemas, l.Desired.Snapshot, again.Snapshot)
}

// write makes the files and gives those that were not there. A file of the same
// content stays; where another one is there, none is made.
func (to destination) write(contents map[string][]byte) (fresh []string, err error) {
	var files []console.NewFile
	var texts [][]byte
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		file := outFile(filepath.Join(to.root, filepath.FromSlash(name)), to.force)
		if file.Holds(contents[name]) {
			continue
		}
		if err := file.Free(); err != nil {
			return nil, err
		}
		files, texts = append(files, file), append(texts, contents[name])
	}
	if err := os.MkdirAll(to.root, 0o700); err != nil {
		return nil, console.Configuration("--out: %v", err)
	}
	for i, file := range files {
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o700); err != nil {
			return fresh, console.Configuration("--out: %v", err)
		}
		if _, err := os.Lstat(file.Name); errors.Is(err, fs.ErrNotExist) {
			fresh = append(fresh, file.Name)
		}
		err := file.Write(func(w io.Writer) error {
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
