package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// LoadContents reads contents as if they were the sources of a project, and no
// other: files by their slash paths, which need not be there yet. What they
// refer to is read from the project's folder.
func LoadContents(ctx context.Context, p config.Project, schemas resource.Schemas, contents map[string][]byte) Desired {
	t, err := tree.Open(p)
	if err != nil {
		return refused(diag.Problem{
			Code: diag.Unreadable, Message: "folder " + p.Root + " cannot be opened; want a folder with sources",
			Hint: bounded.Reason(err),
		})
	}
	defer t.Close()
	var files []tree.File
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		sum := sha256.Sum256(contents[name])
		f := tree.File{Name: name, Content: contents[name], Hash: hex.EncodeToString(sum[:])}
		if limit := t.Bounds.OfSource(name); int64(len(f.Content)) > limit {
			f.Problem = draft.ProblemOf(name,
				bounded.Unreadable(bounded.TooLarge(bounded.BoundOf(name), int64(len(f.Content)), limit)))
		} else if finding := tree.RefuseResults(name, f.Content); finding != nil {
			f.Problem = draft.ProblemOf(name, *finding)
		}
		files = append(files, f)
	}
	r := reading{schemas: schemas, reread: func(_ context.Context, f tree.File) tree.File {
		f.Content = contents[f.Name]
		return f
	}}
	return r.withoutDrafts(ctx, p, r.read(ctx, t, files), files)
}

// ReadsAsSource reports whether a file of this name is read as a source, once it lies in the
// project: neither hidden nor an editor's, and one that sources names.
func ReadsAsSource(p config.Project, name string) (bool, error) {
	t, err := tree.Open(p)
	if err != nil {
		return false, err
	}
	defer t.Close()
	base := path.Base(name)
	_, locked := tree.LockOf(base)
	return !locked && !tree.NeverSource(base) && t.Includes(name), nil
}

// Differs returns the first difference of two snapshots in words, nil where they
// mean the same: resources, ids and attributes.
func Differs(schemas resource.Schemas, want, have *resource.Snapshot) error {
	for r := range want.All() {
		again := have.Get(r.Address)
		if again == nil {
			return fmt.Errorf("%s would not be read again", r.Address)
		}
		if again.ID != r.ID {
			return fmt.Errorf("%s: id %q would be read as %q",
				r.Address, diag.Printable(r.ID), diag.Printable(again.ID))
		}
		for i := range schemas.Of(r.Address.Kind).Attributes {
			a := &schemas.Of(r.Address.Kind).Attributes[i]
			if !r.Value(a.Name).Equal(again.Value(a.Name)) {
				return fmt.Errorf("%s: %s is %s and would be read as %s",
					r.Address, a.Name, a.Show(r.Value(a.Name)), a.Show(again.Value(a.Name)))
			}
		}
	}
	if have.Len() != want.Len() {
		return fmt.Errorf("%d resources would be read as %d", want.Len(), have.Len())
	}
	return nil
}
