package tidy

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// fixers put right what has one reading, by the end of a file's name.
var fixers = map[string]func(context.Context, *rewriter, *Rewrite, []byte, faults) []byte{
	".yaml": fixYAML, ".yml": fixYAML, ".xlsx": fixCells, ".csv": fixCells, ".tsv": fixCells,
}

// Fixes reports whether Fix knows files of this name.
func Fixes(file string) bool { return fixers[strings.ToLower(path.Ext(file))] != nil }

// Fixed is what the files of a project would become, and what stays wrong.
type Fixed struct {
	Rewrites []Rewrite      // of the files that were named
	Problems []diag.Problem // of the project with the fixes made
	Line     diag.Source    // the lines of the text files with the fixes made
}

// fixRounds is how often is looked again: a header put right shows what is wrong
// below it.
const fixRounds = 4

// FixAll makes the repairs of the named files that are safe: each has one reading,
// and moves neither money nor reach beyond what is written. Only where a problem
// is reported something is changed; what can be read stays as it is. Files that
// would then say something else, or have a problem they had not, stay whole.
func FixAll(p config.Project, ctx context.Context, schemas resource.Schemas, files []string) (Fixed, error) {
	all, listed := SourceFiles(p)
	all = slices.DeleteFunc(all, func(name string) bool { return name == p.File })
	for _, name := range files {
		if !slices.Contains(all, name) && name != p.File {
			all = append(all, name)
		}
	}
	f := &fixing{project: p, schemas: schemas, named: files}
	rewrites, err := rewritesOf(p, ctx, schemas, all, func(ctx context.Context, w *rewriter, r *Rewrite) {
		f.rewriter = w
	})
	if err != nil {
		return Fixed{}, err
	}
	f.rewrites = rewrites
	f.run(ctx)
	left := f.load(ctx)
	fixed := Fixed{Line: tree.LineOf(f.contents())}
	var problems diag.List
	problems.AddAll(listed)
	problems.AddAll(left.Problems)
	for _, r := range f.rewrites {
		problems.AddAll(r.Problems)
		if slices.Contains(files, r.File) {
			fixed.Rewrites = append(fixed.Rewrites, r)
		}
	}
	fixed.Problems = problems.Sorted()
	return fixed, nil
}

// fixing is a project while it is put right.
type fixing struct {
	project  config.Project
	schemas  resource.Schemas
	named    []string
	rewriter *rewriter
	rewrites []Rewrite // of every source
}

func (f *fixing) contents() map[string][]byte {
	contents := map[string][]byte{}
	for _, r := range f.rewrites {
		if r.hash != "" {
			contents[r.File] = r.After
		}
	}
	return contents
}

func (f *fixing) load(ctx context.Context) sources.Desired {
	return sources.LoadContents(ctx, f.project, f.schemas, f.contents())
}

func (f *fixing) run(ctx context.Context) {
	for i := range f.rewrites {
		r := &f.rewrites[i]
		if f.isNamed(r) && strings.HasPrefix(strings.ToLower(path.Ext(r.File)), ".y") {
			r.After = fixBytes(ctx, f.rewriter, r, r.After)
		}
	}
	for range fixRounds {
		if !f.round(ctx) {
			return
		}
	}
}

func (f *fixing) isNamed(r *Rewrite) bool {
	return r.hash != "" && slices.Contains(f.named, r.File) && Fixes(r.File) && !bounded.InPrivate(r.File)
}

// round makes the repairs of one look at the files, and takes back those that do
// not hold. It says whether another look may find more.
func (f *fixing) round(ctx context.Context) bool {
	before := f.load(ctx)
	if len(before.Problems) == 0 {
		return false
	}
	found := faultsOf(before.Problems)
	last := slices.Clone(f.rewrites)
	var changed []int
	for i := range f.rewrites {
		r := &f.rewrites[i]
		if !f.isNamed(r) {
			continue
		}
		r.Fixes = slices.Clip(r.Fixes)
		fix := fixers[strings.ToLower(path.Ext(r.File))]
		if r.After = fix(ctx, f.rewriter, r, r.After, found); !bytes.Equal(r.After, last[i].After) {
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 || f.holds(ctx, before) {
		return len(changed) > 0
	}
	return f.oneByOne(ctx, before, last, changed)
}

// oneByOne keeps the files whose repairs hold without those of the others.
func (f *fixing) oneByOne(ctx context.Context, before sources.Desired, last []Rewrite, changed []int) bool {
	wanted := slices.Clone(f.rewrites)
	copy(f.rewrites, last)
	kept := 0
	for _, i := range changed {
		f.rewrites[i] = wanted[i]
		if f.holds(ctx, before) {
			kept++
			continue
		}
		f.rewrites[i] = last[i]
	}
	return kept > 0
}

// holds reports whether the files have no problem they had not, and that what could be
// read before is read the same.
func (f *fixing) holds(ctx context.Context, before sources.Desired) bool {
	after := f.load(ctx)
	had := map[string]int{}
	for _, p := range before.Problems {
		had[p.Position.File()+draft.ProblemsSaid([]diag.Problem{p})[0]]++
	}
	for _, p := range after.Problems {
		said := p.Position.File() + draft.ProblemsSaid([]diag.Problem{p})[0]
		if had[said]--; had[said] < 0 && p.Severity == diag.Error {
			return false
		}
	}
	return f.keeps(faultsOf(before.Problems), before.Snapshot, after.Snapshot)
}

func (f *fixing) keeps(found faults, before, after *resource.Snapshot) bool {
	for r := range before.All() {
		again := after.Get(r.Address)
		if again == nil || again.ID != r.ID {
			return false
		}
		for _, n := range r.Attributes {
			if !n.Value.Equal(again.Value(n.Name)) && !found.have(n.Value.Position) {
				return false
			}
		}
	}
	return true
}
