package gitstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// Movement is how a ref stands to the commit that was accepted last.
type Movement string

// The movements. The last three are held until somebody accepts them.
const (
	firstSeen   Movement = "first"        // nothing was accepted before
	unmoved     Movement = "same"         // it has not moved
	fastForward Movement = "fast_forward" // what was accepted is in its history
	rewind      Movement = "rewind"       // it went back to a commit before the accepted one
	rewrite     Movement = "rewrite"      // what was accepted is no longer in its history
	elsewhere   Movement = "elsewhere"    // it went back, or was rewritten: what was accepted is not here to tell
)

// Revision is where the ref of a source stands.
type Revision struct {
	Commit   string // full hash
	Ref      string // full name: refs/heads/main, refs/tags/v1; the commit where that was asked for
	Author   string // name, without the address
	At       time.Time
	Subject  string // first line of the message
	Signer   string // who signed it, "" where that is not checked
	Movement Movement
	Accepted string // the commit that was accepted before, "" at firstSeen
	Tip      string // what the ref names: the commit, or an annotated tag of it
}

// Fetch gets what is new, checks it, and says how the ref moved. History that
// was taken back or rewritten, and a tag that moved, are an error of class Held
// beside a whole Revision, until Accept; firstSeen and fastForward are accepted by
// themselves once nothing else is wrong. Nothing else is left of a fetch that fails.
func (s *Store) Fetch(ctx context.Context) (Revision, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	unlock, err := s.lock(ctx)
	if err != nil {
		return Revision{}, err
	}
	defer unlock()
	defer s.reopen() // what was read of it is not kept in memory
	record, err := s.readRecord()
	if err != nil {
		return Revision{}, err
	}
	if err := s.takeOver(ctx, record.Accepted); err != nil {
		return Revision{}, err
	}
	found, err := s.find(ctx, &record)
	if err != nil {
		return Revision{}, err
	}
	end, err := s.reading(ctx)
	if err != nil {
		return Revision{}, err
	}
	defer end()
	revision, err := s.describe(ctx, found, record.Accepted)
	if err != nil {
		return Revision{}, err
	}
	if err := s.check(ctx, &revision, record); err != nil {
		return revision, err
	}
	if err := revision.held(record); err != nil {
		return revision, err
	}
	return revision, s.remember(record, revision)
}

// Accept takes a revision for good, however the ref moved to it: what comes next
// is compared with it.
func (s *Store) Accept(ctx context.Context, r Revision) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	end, err := s.reading(ctx)
	if err != nil {
		return err
	}
	defer end()
	record, err := s.readRecord()
	if err != nil {
		return err
	}
	if _, err := s.commit(plumbing.NewHash(r.Commit)); err != nil {
		return err
	}
	return s.remember(record, r)
}

func (s *Store) remember(record record, r Revision) error {
	if record.Accepted == r.Commit && record.MissingSince.IsZero() {
		return nil
	}
	record.Accepted, record.At, record.MissingSince = r.Commit, s.config.Now().UTC(), time.Time{}
	return s.writeRecord(record)
}

// held is the error of a movement that somebody has to allow.
func (r *Revision) held(before record) error {
	from, to := fmt.Sprintf("%.12s", before.Accepted), fmt.Sprintf("%.12s", r.Commit)
	switch {
	case r.Movement == rewrite:
		return refuse(Held, "the history of %s was rewritten: it stands at %s, "+
			"and %s, which was accepted last, is no longer in it; want somebody to accept %s", r.Ref, to, from, to)
	case r.Movement == rewind:
		return refuse(Held, "%s went back: it stands at %s, which is older than %s, which was accepted "+
			"last; want somebody to accept %s, or a commit that takes the change back", r.Ref, to, from, to)
	case r.Movement == elsewhere:
		return refuse(Held, "%s went back or was rewritten: it stands at %s, and %s, which was accepted "+
			"last, on another machine, is not in its history; want somebody to accept %s", r.Ref, to, from, to)
	case r.Movement == fastForward && strings.HasPrefix(r.Ref, "refs/tags/"):
		return refuse(Held, "the tag %s was moved from %s to %s; want a tag to stay, or somebody to accept %s",
			r.Ref, from, to, to)
	}
	return nil
}

// tip is what a ref names at the other side.
type tip struct {
	ref    string
	target plumbing.Hash // a commit, or the object of an annotated tag
}

// find asks where the ref stands, and fetches what is missing here.
func (s *Store) find(ctx context.Context, record *record) (tip, error) {
	if isCommit(s.config.Ref) && s.have(plumbing.NewHash(s.config.Ref)) {
		return tip{s.config.Ref, plumbing.NewHash(s.config.Ref)}, nil // a commit never changes
	}
	refs, get, done, err := s.listed(ctx)
	if err != nil {
		return tip{}, err
	}
	defer done()
	if len(refs.Shallows) > 0 {
		return tip{}, refuse(Input, "%s is shallow: its history "+
			"is cut off at %d commits; want all of it, as git fetch --unshallow gets it", s.address, len(refs.Shallows))
	}
	found, wants, err := s.choose(refs)
	if err != nil && found.ref != "" { // it is there
		return tip{}, err
	}
	if err != nil {
		return tip{}, s.missing(record, err)
	}
	if s.have(found.target) {
		return found, nil
	}
	if err := get(found.target, wants, record.Accepted); err != nil {
		return tip{}, err
	}
	s.reopen() // others may have fetched it
	if !s.have(found.target) {
		return tip{}, refuse(Input, "commit %s is in no branch of %s; want one that is", short(found.target), s.address)
	}
	return found, nil
}

// listed returns the branches and tags, what gets a target that one of them reaches, and
// what ends the connection.
func (s *Store) listed(ctx context.Context) (refs *packp.AdvRefs,
	get func(target plumbing.Hash, wants []plumbing.Hash, accepted string) error, done func(), err error) {
	if shared := s.config.Shared; shared != nil {
		refs, err = shared.list(ctx, s)
		get = func(target plumbing.Hash, wants []plumbing.Hash, accepted string) error {
			return shared.get(ctx, s, target, wants, accepted)
		}
		return refs, get, func() {}, err
	}
	p, err := s.dial(ctx, s)
	if err != nil {
		return nil, nil, nil, err
	}
	if refs, err = p.advertised(ctx, fetching); err != nil {
		p.close()
		return nil, nil, nil, err
	}
	get = func(_ plumbing.Hash, wants []plumbing.Hash, accepted string) error {
		return s.receive(ctx, p, refs, wants, s.haves(accepted))
	}
	return refs, get, p.close, nil
}

// choose finds the configured ref among those there are, and what to ask for. Beside
// an error it names a ref only where that is there.
func (s *Store) choose(refs *packp.AdvRefs) (tip, []plumbing.Hash, error) {
	ref := s.config.Ref
	if isCommit(ref) {
		target := plumbing.NewHash(ref)
		return tip{ref, target}, wantsFor(target, refs), nil
	}
	name, err := s.refName(refs)
	if err != nil {
		return tip{ref: name}, nil, err
	}
	target, there := refs.References[name]
	if !there || target.IsZero() {
		text := fmt.Sprintf("%s has no %s; want one of its branches: %s", s.address, name, listed(refs))
		return tip{}, nil, &Error{Class: Input, text: withoutUser(text), cause: ErrNoRef}
	}
	return tip{name, target}, []plumbing.Hash{target}, nil
}

// refName returns the full name of the configured ref, and where it could be two, that
// of one beside the error.
func (s *Store) refName(refs *packp.AdvRefs) (string, error) {
	ref := s.config.Ref
	switch {
	case ref == "":
		for _, value := range refs.Capabilities.Get(capability.SymRef) {
			if target, is := strings.CutPrefix(value, "HEAD:"); is {
				return target, nil
			}
		}
		return "", refuse(Input, "HEAD of %s names no branch; want ref to name one of: %s", s.address, listed(refs))
	case strings.HasPrefix(ref, "refs/"):
		return ref, nil
	}
	branch, tag := "refs/heads/"+ref, "refs/tags/"+ref
	_, isBranch := refs.References[branch]
	_, isTag := refs.References[tag]
	if isBranch && isTag {
		return branch, refuse(Input, "%q is a branch and a tag of %s; want %s or %s", ref, s.address, branch, tag)
	}
	if isTag {
		return tag, nil
	}
	return branch, nil
}

// wantsFor asks for a commit itself where the server gives any, else for every
// branch: one of them may have it.
func wantsFor(commit plumbing.Hash, refs *packp.AdvRefs) []plumbing.Hash {
	for _, may := range []capability.Capability{"allow-reachable-sha1-in-want", "allow-tip-sha1-in-want"} {
		if refs.Capabilities.Supports(may) {
			return []plumbing.Hash{commit}
		}
	}
	wants := map[plumbing.Hash]bool{}
	for name, hash := range refs.References {
		if strings.HasPrefix(name, "refs/heads/") || hash == commit {
			wants[hash] = true
		}
	}
	return slices.SortedFunc(maps.Keys(wants), func(a, b plumbing.Hash) int {
		return cmp.Compare(a.String(), b.String())
	})
}

// listed names some branches.
func listed(refs *packp.AdvRefs) string {
	var branches []string
	for name := range refs.References {
		if branch, is := strings.CutPrefix(name, "refs/heads/"); is {
			branches = append(branches, branch)
		}
	}
	slices.Sort(branches)
	if len(branches) > 5 {
		branches = append(branches[:5], fmt.Sprintf("and %d others", len(branches)-5))
	}
	return cmp.Or(strings.Join(branches, ", "), "there are none")
}

// missing remembers since when a ref is gone. What it was is not gone on with.
func (s *Store) missing(record *record, refusal error) error {
	if record.Accepted == "" {
		return refusal
	}
	if record.MissingSince.IsZero() {
		record.MissingSince = s.config.Now().UTC()
		if err := s.writeRecord(*record); err != nil {
			return err
		}
	}
	return refuse(ClassOf(refusal), "%v; it was there, at %.12s, and is gone since %s",
		refusal, record.Accepted, record.MissingSince.Format(time.RFC3339))
}

// haves are some commits of what is here, the nearer the more, so that the
// server finds where to go on even after a rewrite.
func (s *local) haves(accepted string) []plumbing.Hash {
	var haves []plumbing.Hash
	next, step := plumbing.NewHash(accepted), 1
	for n := 0; n < 2048 && !next.IsZero(); n++ {
		commit, err := object.GetCommit(s.objects, next)
		if err != nil {
			break
		}
		if n < 16 || n == step {
			haves = append(haves, next)
			step = max(step, n) * 2
		}
		if commit.NumParents() == 0 {
			break
		}
		next = commit.ParentHashes[0]
	}
	return haves
}

func (s *local) have(h plumbing.Hash) bool { return s.objects.HasEncodedObject(h) == nil }

// describe reads the commit and finds how it stands to the accepted one.
func (s *local) describe(ctx context.Context, found tip, accepted string) (Revision, error) {
	hash, err := s.peel(found)
	if err != nil {
		return Revision{}, err
	}
	commit, err := s.commit(hash)
	if err != nil {
		return Revision{}, err
	}
	subject, _, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	r := Revision{
		Commit: hash.String(), Ref: found.ref, Accepted: accepted, Tip: found.target.String(),
		Author: diag.Printable(commit.Author.Name), At: commit.Committer.When, Subject: diag.Printable(subject),
	}
	r.Movement, err = s.movement(ctx, plumbing.NewHash(accepted), hash)
	return r, err
}

// peel follows an annotated tag to its commit.
func (s *local) peel(found tip) (plumbing.Hash, error) {
	hash := found.target
	for range 8 {
		tag, err := object.GetTag(s.objects, hash)
		if err != nil {
			return hash, nil // no tag, or none any more
		}
		hash = tag.Target
	}
	return hash, refuse(Input, "%s is a tag of a tag of a tag without an end; want one of a commit", found.ref)
}

func (s *local) commit(h plumbing.Hash) (*object.Commit, error) {
	commit, err := object.GetCommit(s.objects, h)
	if err != nil {
		return nil, refuse(Input, "%s of %s is no commit that can be read: %v; want a ref that names a commit",
			short(h), s.address, err)
	}
	return commit, nil
}
