package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// side is one of two sources that are compared: a file, or the files of a folder.
type side struct {
	name     string
	folder   *tree // nil for a single file
	files    []sideFile
	problems []diag.Problem
}

// sideFile is a file, what its reader made of it, and its bytes, which are
// compared as they are where the reader found an error.
type sideFile struct {
	name    string
	content []byte
	made    result
	in      input
}

// openSide reads a file or a folder. What is wrong inside is among the problems;
// the error is for what is not there at all.
func openSide(ctx context.Context, name string, schemas resource.Schemas, bound string) (*side, error) {
	if name == os.DevNull { // git's name for a file that one side does not have
		return &side{name: name}, nil
	}
	about, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, bounded.Unreadable(err).Message)
	}
	dir, base := name, ""
	if !about.IsDir() {
		dir, base = filepath.Split(filepath.Clean(name))
	}
	p, problems := ReadProject(filepath.Join(dir, "."))
	if diag.HasErrors(problems) {
		if base == "" {
			return &side{name: name, problems: problems}, nil
		}
		p = Project{Root: filepath.Join(dir, "."), Sources: defaultSources, State: ".adsync"}
	}
	if bound != "" {
		if err := p.Bound(bound); err != nil {
			return nil, err
		}
	}
	env, err := p.Env()
	if err != nil {
		env = resource.Env{}
	}
	t, err := openTree(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, bounded.Reason(err))
	}
	s := &side{name: name}
	in := input{
		schemas: schemas, env: env, bounds: t.bounds,
		layout: p.layout, words: newVocabularies(schemas), attach: attachNothing,
	}
	if base != "" {
		defer t.close()
		return s, s.openFile(ctx, t, base, name, in)
	}
	in.attach = t.attach
	s.folder = t
	s.openFolder(ctx, t, in)
	return s, nil
}

func (s *side) close() {
	if s.folder != nil {
		s.folder.close()
	}
}

// attachNothing stands in for files a source refers to where the source alone is
// compared: their names are what it says.
func attachNothing(name string, _ diag.Position) ([]byte, string, *resource.Finding) {
	return []byte("{file: " + name + "}"), name, nil
}

func (s *side) openFile(ctx context.Context, t *tree, base, name string, in input) error {
	// A link that is given by name is followed: somebody means what it leads to.
	resolved, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(resolved))
	if err != nil {
		return err
	}
	defer root.Close()
	content, _, err := bounded.ReadRegular(root, filepath.Base(resolved), t.limitOf(base))
	if err != nil {
		return errors.New(name + ": " + bounded.Unreadable(err).Message)
	}
	s.add(ctx, file{name: base, content: content}, in)
	return nil
}

func (s *side) openFolder(ctx context.Context, t *tree, in input) {
	files, problems := t.settle(ctx)
	s.problems = problems
	for _, f := range files {
		if f.problem != nil {
			s.problems = append(s.problems, *f.problem)
			continue
		}
		if !f.members {
			s.add(ctx, f, in)
		}
	}
}

func (s *side) add(ctx context.Context, f file, in input) {
	made := readOne(ctx, f, in)
	if made.stray != nil { // in a folder, a table that lies beside the sources
		p := *made.stray
		if s.folder == nil {
			p.Severity = diag.Error
		}
		s.problems = append(s.problems, p)
		return
	}
	s.files = append(s.files, sideFile{f.name, f.content, made, in})
}

// parses reports whether every value of the file could be read.
func (f *sideFile) parses() bool { return !diag.HasErrors(f.made.problems) }

func (f *sideFile) isWorkbook() bool { return strings.EqualFold(filepath.Ext(f.name), ".xlsx") }

// addContents returns each record the hash of the files it names, where a folder
// holds them: a picture may change under the same name.
func (s *side) addContents(records []*record) {
	if s.folder == nil {
		return
	}
	for _, r := range records {
		for name, said := range r.says {
			a := said.attribute
			if a == nil || a.Type != resource.TypeImage && a.Type != resource.TypeMembers || !said.value.IsSet() {
				continue
			}
			content, _, finding := s.folder.attach(said.value.Text(), said.position)
			if finding != nil {
				continue // an address, a hash, or a file that is not there
			}
			sum := sha256.Sum256(content)
			said.content = hex.EncodeToString(sum[:])
			r.says[name] = said
		}
	}
}
