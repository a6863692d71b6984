// Package sources turns the files of a project into the desired snapshot: every
// value canonical, with the position it was written at. sources.go has Load and Desired,
// collect.go puts drafts into one tree, parents.go finds what rows name, inherit.go takes
// over defaults and templates, check.go and rules.go judge, waiting.go lets rows wait.
// The readers of files, and what writes, compares and rewrites them, are rooms below.
//
// It refuses to guess. A file that cannot be read whole, a key nobody knows or a
// value that reads two ways is a problem. A row with one waits while others go;
// what is wrong with a file, or with many rows, stops all. It follows no symlink,
// leaves the project's folder for nothing, and writes no file: marked and tidy do,
// what they are told to.
//
// Its invariant is that the same bytes give the same snapshot, problems and
// hash, whatever the order and number of files they are split into.
package sources

import (
	"context"
	"maps"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// Source is one file and what became of its rows.
type Source struct {
	File string     `json:"file"` // slash-separated, relative to the project's folder
	Rows draft.Rows `json:"rows"`
	Hash string     `json:"hash"` // SHA-256 of its bytes in hex, "" where it could not be read
}

// Desired is what the files of a project say at one moment.
type Desired struct {
	Snapshot *resource.Snapshot
	Sources  []Source      // sorted by file
	Unread   []diag.Unread // columns and sheets with values that are not read, file by file
	// WrittenFor is the account that adsync wrote the workbooks for, "" where none says.
	WrittenFor string
	Problems   []diag.Problem // sorted; nothing is applied when one is an error, unless Partial
	// Partial says that every error is of rows that wait: they are in Waiting, and the
	// others go. TooMany says why it is not so where more rows are wrong than may wait.
	Partial bool
	Waiting []Waiting
	TooMany string
	// Hash is the SHA-256, in hex, over the names and bytes of every file read:
	// adsync.yaml, the sources, and the images, hint and members files they refer to.
	// What should be one of them and is not counts by what is wrong with it.
	Hash string
	// Files are the names of those files, sorted.
	Files []string
	// Images leads from the canonical value of an image, "sha256:<hex>", to
	// where it is: its slash path in the tree, or for a picture that lies in a
	// workbook the workbook's path, #, and the part: "ads/q4.xlsx#xl/media/image1.png".
	Images map[string]string
	// Members counts what the members files of audiences hold, sorted by file.
	Members []attach.Members

	// Drafts are the workbooks that are drafts. In the place of each its last ready version counts, as far as there is
	// one, with the pauses of the draft.
	Drafts []InDraft
	Ready  []Source // the workbooks that are not
	// Pauses are rows that drafts pause and no ready version has, each with its status alone.
	Pauses []*resource.Resource

	said   map[string]draft.Publishing  // by file, of workbooks
	lists  map[string]attach.MembersKey // the members file behind the digest of a list
	summed tree.Summed                  // what Hash is made of
}

// HashWith is what Hash is once some of the files hold other bytes: their SHA-256, in hex,
// by name.
func (d *Desired) HashWith(others map[string]string) string { return d.summed.Total(others) }

// Sum is the SHA-256, in hex, of one of the Files; "" of others.
func (d *Desired) Sum(file string) string { return d.summed.Hashes[file] }

// Became notes that some of the files hold other bytes by now: their SHA-256, in hex, by name.
func (d *Desired) Became(others map[string]string) {
	d.summed.Hashes = maps.Clone(d.summed.Hashes)
	for name, sum := range others {
		if sum != "" {
			d.summed.Hashes[name] = sum
		}
	}
	d.Hash = d.summed.Total(nil)
}

// Load reads the sources of a project. It never fails: what is wrong is in
// Problems, and a file that is missing, unreadable or in motion is an error
// there, never an empty set.
func Load(ctx context.Context, p config.Project, schemas resource.Schemas) Desired {
	t, err := tree.Open(p)
	if err != nil {
		return refused(diag.Problem{
			Code: diag.Unreadable, Message: "folder " + p.Root + " cannot be opened; want a folder with sources",
			Hint: bounded.Reason(err),
		})
	}
	defer t.Close()
	files, problems := t.Settle(ctx)
	r := reading{schemas: schemas, listed: problems}
	d := r.read(ctx, t, files)
	r.reread = t.ReadAgain
	d = r.withoutDrafts(ctx, p, d, files)
	if p.At != nil {
		hintsOfCommit(d.Problems)
	}
	return d
}

// reading reads the files of a project, once or, where some are drafts, twice.
type reading struct {
	schemas resource.Schemas
	listed  []diag.Problem // of the list of files
	inDraft bool           // a draft of which there is no ready version is left out
	reread  func(ctx context.Context, f tree.File) tree.File
}

// read makes one snapshot of files.
func (r *reading) read(ctx context.Context, t *tree.Tree, files []tree.File) Desired {
	p := t.Project
	env, err := p.Env()
	if err != nil {
		return refused(diag.Problem{Code: diag.BadProject, Position: diag.InFile(p.File), Message: err.Error()})
	}
	in := draft.Input{
		Schemas: r.schemas, Env: env, Bounds: t.Bounds,
		Layout: p.Layout, Words: draft.NewVocabularies(r.schemas), Attach: t.Attach, Files: t.Hints,
	}
	results := tree.ReadAll(ctx, files, in)
	c := newCollection(r.schemas, t)
	c.zone, c.inDraft = env.Zone, r.inDraft
	c.problems.AddAll(r.listed)
	d := c.collect(files, results)
	if !t.Hints.Takes(0) {
		tooMany := refused(bounded.ProblemAt(diag.InFile(p.File),
			bounded.Limit("name long lists in fewer places", resource.Enough("entries", 2*int64(t.Bounds.Entries)),
				"hint files and hint lists give more than %d entries in all; want fewer", t.Bounds.Entries)))
		tooMany.Hash, tooMany.Files = d.Hash, d.Files
		return tooMany
	}
	return d
}

// refused is the answer where not even a list of files can be had.
func refused(problem diag.Problem) Desired {
	problem.Severity = diag.Error
	return Desired{Snapshot: &resource.Snapshot{}, Problems: []diag.Problem{problem}}
}

// hintsOfCommit puts right what would help in a folder alone: what is read of a commit
// is what git itself keeps of it.
func hintsOfCommit(problems []diag.Problem) {
	for i := range problems {
		if problems[i].Hint == bounded.PullLFS {
			problems[i].Hint = "a commit is read without " +
				"Git LFS: take the file out of it (git lfs untrack, git add --renormalize), commit and push"
		}
	}
}
