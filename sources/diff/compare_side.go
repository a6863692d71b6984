package diff

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
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// side is one of two sources that are compared: a file, or the files of a folder.
type side struct {
	name     string
	folder   *tree.Tree // nil for a single file
	files    []sideFile
	problems []diag.Problem
}

// sideFile is a file, what its reader made of it, and its bytes, which are
// compared as they are where the reader found an error.
type sideFile struct {
	name    string
	content []byte
	made    draft.Result
	in      draft.Input
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
	p, problems := config.ReadProject(filepath.Join(dir, "."))
	if diag.HasErrors(problems) {
		if base == "" {
			return &side{name: name, problems: problems}, nil
		}
		p = config.Project{Root: filepath.Join(dir, "."), Sources: config.DefaultSources, State: ".adsync"}
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
	t, err := tree.Open(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, bounded.Reason(err))
	}
	s := &side{name: name}
	in := draft.Input{
		Schemas: schemas, Env: env, Bounds: t.Bounds,
		Layout: p.Layout, Words: draft.NewVocabularies(schemas), Attach: attachNothing,
	}
	if base != "" {
		defer t.Close()
		return s, s.openFile(ctx, t, base, name, in)
	}
	in.Attach = t.Attach
	s.folder = t
	s.openFolder(ctx, t, in)
	return s, nil
}

func (s *side) close() {
	if s.folder != nil {
		s.folder.Close()
	}
}

// attachNothing stands in for files a source refers to where the source alone is
// compared: their names are what it says.
func attachNothing(name string, _ diag.Position) ([]byte, string, *resource.Finding) {
	return []byte("{file: " + name + "}"), name, nil
}

func (s *side) openFile(ctx context.Context, t *tree.Tree, base, name string, in draft.Input) error {
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
	content, _, err := bounded.ReadRegular(root, filepath.Base(resolved), t.Bounds.OfSource(base))
	if err != nil {
		return errors.New(name + ": " + bounded.Unreadable(err).Message)
	}
	s.add(ctx, tree.File{Name: base, Content: content}, in)
	return nil
}

func (s *side) openFolder(ctx context.Context, t *tree.Tree, in draft.Input) {
	files, problems := t.Settle(ctx)
	s.problems = problems
	for _, f := range files {
		if f.Problem != nil {
			s.problems = append(s.problems, *f.Problem)
			continue
		}
		if !f.Members {
			s.add(ctx, f, in)
		}
	}
}

func (s *side) add(ctx context.Context, f tree.File, in draft.Input) {
	made := tree.ReadOne(ctx, f, in)
	if made.Stray != nil { // in a folder, a table that lies beside the sources
		p := *made.Stray
		if s.folder == nil {
			p.Severity = diag.Error
		}
		s.problems = append(s.problems, p)
		return
	}
	s.files = append(s.files, sideFile{f.Name, f.Content, made, in})
}

// parses reports whether every value of the file could be read.
func (f *sideFile) parses() bool { return !diag.HasErrors(f.made.Problems) }

func (f *sideFile) isWorkbook() bool { return strings.EqualFold(filepath.Ext(f.name), ".xlsx") }

// addContents gives each record the hash of the files it names, where a folder
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
			content, _, finding := s.folder.Attach(said.value.Text(), said.position)
			if finding != nil {
				continue // an address, a hash, or a file that is not there
			}
			sum := sha256.Sum256(content)
			said.content = hex.EncodeToString(sum[:])
			r.says[name] = said
		}
	}
}
