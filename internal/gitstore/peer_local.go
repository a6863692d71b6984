package gitstore

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/revlist"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// localPeer is a repository on this machine. No git is run in it: what it holds
// may be anyone's.
type localPeer struct {
	store   *Store
	objects *filesystem.Storage
}

func openLocalPeer(s *Store) (*localPeer, error) {
	dir := s.address.path
	if about, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		if !about.IsDir() {
			return nil, refuse(Input, "%s is a linked work tree or a submodule; want the path of the repository itself", dir)
		}
		dir = filepath.Join(dir, ".git")
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, refuse(Credentials, "%s is not there, or is no git repository, or may not be read; want the path of one", s.address.path)
		}
	}
	p := &localPeer{s, filesystem.NewStorage(osfs.New(dir, osfs.WithBoundOS()), cache.NewObjectLRU(32*cache.MiByte))}
	if err := p.unsupported(dir); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// unsupported refuses forms of a repository that are not whole in themselves, or
// that count otherwise.
func (p *localPeer) unsupported(dir string) error {
	for name, is := range map[string]string{
		"objects/info/alternates": "borrows objects of another repository (alternates); want one that has its own: git repack -a -d, then remove objects/info/alternates",
		"shallow":                 "is shallow: its history is cut off; want all of it, as git fetch --unshallow gets it",
	} {
		if about, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && about.Size() > 0 {
			return refuse(Input, "%s %s", p.store.address.path, is)
		}
	}
	config, err := p.objects.Config()
	if err != nil {
		return refuse(Input, "the configuration of %s cannot be read: %v", p.store.address.path, err)
	}
	extensions := config.Raw.Section("extensions")
	if format := extensions.Option("objectformat"); format != "" && !strings.EqualFold(format, "sha1") {
		return refuse(Input, "%s counts in %s, which adsync does not read; want one that counts in SHA-1", p.store.address.path, format)
	}
	if extensions.Option("partialclone") != "" {
		return refuse(Input, "%s is a partial clone: objects are missing; want a whole one", p.store.address.path)
	}
	if extensions.Option("refstorage") != "" && !strings.EqualFold(extensions.Option("refstorage"), "files") {
		return refuse(Input, "%s keeps its branches in the form %q, which adsync does not read; want files", p.store.address.path, extensions.Option("refstorage"))
	}
	for _, remote := range config.Raw.Section("remote").Subsections {
		if strings.EqualFold(remote.Option("promisor"), "true") {
			return refuse(Input, "%s is a partial clone: objects are missing; want a whole one", p.store.address.path)
		}
	}
	return nil
}

func (p *localPeer) close() { p.objects.Close() }

func (p *localPeer) advertised(ctx context.Context, service string) (*packp.AdvRefs, error) {
	refs := packp.NewAdvRefs()
	_ = refs.Capabilities.Set(capability.Capability("allow-reachable-sha1-in-want")) // it takes no value that could be wrong
	iter, err := p.objects.IterReferences()
	if err != nil {
		return nil, p.store.wrap(ctx, Transient, "list the branches of", err)
	}
	err = iter.ForEach(func(r *plumbing.Reference) error {
		if r.Name() == plumbing.HEAD && r.Type() == plumbing.SymbolicReference {
			return refs.AddReference(r)
		}
		if r.Type() == plumbing.HashReference && r.Name() != plumbing.HEAD {
			return refs.AddReference(r)
		}
		return nil
	})
	if err != nil {
		return nil, p.store.wrap(ctx, Transient, "list the branches of", err)
	}
	if service == fetching && len(refs.References) == 0 {
		return nil, errNoCommit
	}
	return refs, nil
}

func (p *localPeer) pack(ctx context.Context, _ *packp.AdvRefs, wants, haves []plumbing.Hash) (io.ReadCloser, error) {
	for _, want := range wants {
		if err := p.objects.HasEncodedObject(want); err != nil {
			return nil, refuse(Input, "commit %s is in no branch of %s; want one that is", short(want), p.store.address)
		}
	}
	hashes, err := revlist.Objects(p.objects, wants, haves)
	if err != nil {
		return nil, p.store.wrap(ctx, Input, "read", err)
	}
	read, write := io.Pipe()
	go func() { // ends with the pack, or when its reader is closed
		encode(write, p.objects, hashes)
	}()
	left, begin := p.store.config.Limits.PackBytes, []byte(nil)
	return bounded{read, read, &left, &begin}, nil
}

func (p *localPeer) update(ctx context.Context, _ *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error {
	defer pack.Close()
	if err := packfile.UpdateObjectStorage(p.objects, pack); err != nil && !errors.Is(err, packfile.ErrEmptyPackfile) {
		return p.store.wrap(ctx, Transient, "push to", err)
	}
	var before *plumbing.Reference
	if command.Old != plumbing.ZeroHash {
		before = plumbing.NewHashReference(command.Name, command.Old)
	} else if _, err := p.objects.Reference(command.Name); err == nil {
		return errRaced
	}
	if err := p.objects.CheckAndSetReference(plumbing.NewHashReference(command.Name, command.New), before); err != nil {
		return p.store.wrap(ctx, Transient, "push to", err)
	}
	return nil
}
