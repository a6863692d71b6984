package tidy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/config"
)

// Accepted is a value of the service that a row is to say from now on. An unset
// value clears.
type Accepted struct {
	Address   resource.Address
	Attribute string
	Value     resource.Value
}

// AcceptAll returns the files with the values in the very cells and lines of their
// rows; comments, order and every other byte stay. A value that a row has from
// defaults, a template or a list is written on the row itself. The files are read
// again before they are given: where anything else would change with a value, or
// it has no place of its own, there is a problem and no file is changed.
func AcceptAll(p config.Project, ctx context.Context, schemas resource.Schemas,
	desired *resource.Snapshot, accepted []Accepted) ([]Rewrite, []diag.Problem, error) {
	if refused := inDrafts(nil, desired, accepted); len(refused) > 0 {
		return nil, refused, nil
	}
	byFile := map[string][]Accepted{}
	var files []string
	for _, a := range accepted {
		file := desired.Get(a.Address).Position.File()
		if len(byFile[file]) == 0 {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], a)
	}
	slices.Sort(files)
	var problems []diag.Problem
	rewrites, err := rewritesOf(p, ctx, schemas, files, func(ctx context.Context, w *rewriter, r *Rewrite) {
		acceptor := accepter{w, r, schemas, desired}
		after, err := acceptor.accept(ctx, byFile[r.File])
		if refused := new(unwritten); errors.As(err, &refused) {
			problems = append(problems, refused.problem)
		} else if err != nil {
			r.fail(resource.Finding{Code: diag.Unreadable, Message: err.Error()})
		}
		if err == nil {
			r.After = after
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rewrites {
		problems = append(problems, r.Problems...)
	}
	if len(problems) == 0 {
		problems, err = acceptedAlone(p, ctx, schemas, desired, accepted, rewrites)
	}
	return rewrites, problems, err
}

// unwritten is a value that cannot be written where it stands.
type unwritten struct{ problem diag.Problem }

// Error returns the message of the problem.
func (r *unwritten) Error() string { return r.problem.Message }

func refuse(row *resource.Resource, attribute, why string) error {
	return unwrittenIn(row, attribute, why)
}

func unwrittenIn(row *resource.Resource, attribute, why string) *unwritten {
	return &unwritten{diag.Problem{Severity: diag.Error,
		Code: diag.NeedsDecision, Position: row.Position, Address: row.Address.String(),
		Message: fmt.Sprintf("%s of %s cannot be written here: %s; want it written by hand",
			attribute, row.Address, why)}}
}

// accepter writes values into one file.
type accepter struct {
	*rewriter
	file    *Rewrite
	schemas resource.Schemas
	desired *resource.Snapshot
}

// accept goes from the last row to the first, so that those before keep their
// places.
func (a *accepter) accept(ctx context.Context, accepted []Accepted) ([]byte, error) {
	slices.SortStableFunc(accepted, func(x, y Accepted) int {
		p, q := a.desired.Get(x.Address).Position, a.desired.Get(y.Address).Position
		return cmp.Or(cmp.Compare(q.Line(), p.Line()), cmp.Compare(q.Column(), p.Column()))
	})
	if !strings.HasPrefix(strings.ToLower(path.Ext(a.file.File)), ".y") {
		return a.acceptCells(ctx, accepted)
	}
	content := a.file.Before
	for _, one := range accepted {
		attribute, known := a.schemas.Of(one.Address.Kind).Attribute(one.Attribute)
		if !known {
			return nil, fmt.Errorf("%s has no attribute %q", one.Address.Kind, one.Attribute)
		}
		var err error
		if content, err = a.acceptYAML(content, a.desired.Get(one.Address), attribute, one.Value); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// acceptedAlone reads the files as they would be, and says what would change
// beside the values.
func acceptedAlone(p config.Project, ctx context.Context, schemas resource.Schemas,
	desired *resource.Snapshot, accepted []Accepted, rewrites []Rewrite) ([]diag.Problem, error) {
	contents := map[string][]byte{}
	for _, r := range rewrites {
		contents[r.File] = r.After
	}
	again, err := sources.LoadJoined(p, ctx, schemas, contents)
	if err != nil {
		return nil, err
	}
	problems := inDrafts(again.Drafts, desired, accepted)
	if len(problems) > 0 {
		return problems, nil
	}
	for _, problem := range again.Problems {
		if problem.Severity == diag.Error {
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return problems, nil
	}
	want := &resource.Snapshot{}
	for r := range desired.All() {
		copied := *r
		copied.Attributes = slices.Clone(r.Attributes)
		want.Add(&copied)
	}
	for _, a := range accepted {
		v := a.Value
		if !v.IsSet() {
			v = resource.Null()
		}
		want.Get(a.Address).Set(a.Attribute, v)
	}
	for r := range want.All() {
		if err := sameAgain(schemas.Of(r.Address.Kind), r, again.Snapshot.Get(r.Address)); err != nil {
			problems = append(problems, diag.Problem{
				Severity: diag.Error, Code: diag.NeedsDecision,
				Position: r.Position, Address: r.Address.String(), Message: err.Error(),
			})
		}
	}
	return problems, nil
}

// inDrafts refuses what would be written into drafts: it would not count until they are ready.
func inDrafts(drafts []sources.InDraft, desired *resource.Snapshot, accepted []Accepted) (refused []diag.Problem) {
	for _, a := range accepted {
		row := desired.Get(a.Address)
		file := row.Position.File()
		if config.OfReady(file) != "" ||
			slices.ContainsFunc(drafts, func(i sources.InDraft) bool { return i.File == file }) {
			why := "the workbook is a draft, of which nothing counts until it is ready"
			refused = append(refused, unwrittenIn(row, a.Attribute, why).problem)
		}
	}
	return refused
}

func sameAgain(schema *resource.Schema, want, again *resource.Resource) error {
	if schema == nil {
		return nil
	}
	if again == nil {
		return fmt.Errorf("%s would not be read again; want the change made by hand", want.Address)
	}
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		if w, h := want.Value(a.Name), again.Value(a.Name); !w.Equal(h) {
			return fmt.Errorf("%s: %s would be %s and not %s; want the change made by hand",
				want.Address, a.Name, a.Show(h), a.Show(w))
		}
	}
	return nil
}

// SaveAll puts the new contents of several files in their places, each whole or
// not at all, and none where one of them is open in an editor or no longer what
// was read. The former ones stay beside them, under the time at; zero: they do not.
// It returns the names of those.
func SaveAll(p config.Project, rewrites []Rewrite, at time.Time) (kept []string, err error) {
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, r := range rewrites {
		if _, err := r.replacement(root, at).Read(); err != nil {
			return nil, fmt.Errorf("%s: %w", diag.Printable(r.File), err)
		}
	}
	for _, r := range rewrites {
		former, err := r.save(root, at)
		if err != nil {
			return kept, fmt.Errorf("%s: %w", diag.Printable(r.File), err)
		}
		if former != "" {
			kept = append(kept, former)
		}
	}
	return kept, nil
}
