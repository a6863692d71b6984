package gitstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
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
	dir     string // of what git keeps
	objects *filesystem.Storage
}

func openLocalPeer(s *Store) (*localPeer, error) {
	dir := s.address.path
	if about, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		if !about.IsDir() {
			return nil, refuse(Input,
				"%s is a linked work tree or a submodule; want the path of the repository itself", dir)
		}
		dir = filepath.Join(dir, ".git")
	}
	if err := repositoryAt(dir, s.address.path); err != nil {
		return nil, err
	}
	p := &localPeer{s, dir, openStorage(dir)}
	if err := p.unsupported(dir); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// repositoryAt refuses a folder that is no repository, and tells one that is not there
// from one that we may not read.
func repositoryAt(dir, said string) error {
	for _, name := range []string{"", "HEAD", "objects", "refs"} {
		_, err := os.Stat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrPermission):
			return refuse(Credentials, "%s may not be read by the user adsync runs as; want that permitted", said)
		case errors.Is(err, fs.ErrNotExist) && name == "":
			return refuse(Configuration, "%s is not there; want the path of a git repository", said)
		case err != nil:
			return refuse(Configuration, "%s is no git repository; want the path of one", said)
		}
	}
	return nil
}

// unsupported refuses forms of a repository that are not whole in themselves, or
// that count otherwise.
func (p *localPeer) unsupported(dir string) error {
	for name, is := range map[string]string{
		"objects/info/alternates": "borrows objects of another " +
			"repository (alternates); want one that has its own: git repack -a -d, then remove objects/info/alternates",
		"shallow": "is shallow: " +
			"its history is cut off; want all of it, as git fetch --unshallow gets it",
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
		return refuse(Input, "%s counts in %s, which adsync does not read; want one that counts in SHA-1",
			p.store.address.path, format)
	}
	if extensions.Option("partialclone") != "" {
		return refuse(Input, "%s is a partial clone: objects are missing; want a whole one", p.store.address.path)
	}
	if extensions.Option("refstorage") != "" && !strings.EqualFold(extensions.Option("refstorage"), "files") {
		return refuse(Input, "%s keeps its branches in the form %q, which adsync does not read; want files",
			p.store.address.path, extensions.Option("refstorage"))
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
	// it takes no value that could be wrong
	_ = refs.Capabilities.Set(capability.Capability("allow-reachable-sha1-in-want"))
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
	p.objects.Reindex() // somebody may have pushed since it was looked at
	for _, want := range wants {
		if err := p.objects.HasEncodedObject(want); err != nil {
			return nil, refuse(Input, "commit %s is in no branch of %s; want one that is", short(want), p.store.address)
		}
	}
	within := bounds{p.objects, p.store}
	hashes, err := revlist.Objects(within, wants, haves)
	if err == nil {
		err = within.check(hashes)
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, p.store.notWhole()
	}
	if err != nil {
		return nil, p.store.wrap(ctx, Input, "read", err)
	}
	read, write := io.Pipe()
	go func() { // ends with the pack, or when its reader is closed
		encode(write, patching{p.objects, p.store}, hashes)
	}()
	left, begin := p.store.config.Limits.PackBytes, []byte(nil)
	return bounded{read, read, &left, &begin}, nil
}

func (p *localPeer) update(ctx context.Context, _ *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error {
	defer pack.Close()
	if err := packfile.UpdateObjectStorage(p.objects, pack); err != nil && !errors.Is(err, packfile.ErrEmptyPackfile) {
		return p.store.wrap(ctx, Transient, "push to", err)
	}
	return p.move(ctx, command)
}

// move has a branch stand elsewhere, as git itself does it: under a lock that others
// see, git too, and whole or not at all.
func (p *localPeer) move(ctx context.Context, command *packp.Command) error {
	name := filepath.Join(p.dir, filepath.FromSlash(command.Name.String()))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return p.store.wrap(ctx, Transient, "push to", err)
	}
	lock, err := os.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return refuse(Transient, "%s is locked "+
			"by somebody who writes to it, or was killed meanwhile; want %s.lock gone", command.Name.Short(), name)
	}
	if err == nil {
		err = errors.Join(p.writeUnder(lock, command), lock.Close())
		if err == nil {
			err = os.Rename(lock.Name(), name) // from here on the lock is somebody else's
		}
		if err != nil {
			os.Remove(lock.Name())
		}
	}
	if err != nil && !errors.Is(err, ErrRaced) {
		return p.store.wrap(ctx, Transient, "push to", err)
	}
	return err
}

// writeUnder writes where a branch stands next, unless it has moved.
func (p *localPeer) writeUnder(lock *os.File, command *packp.Command) error {
	stands := plumbing.ZeroHash
	now, err := p.objects.Reference(command.Name)
	if err == nil {
		stands = now.Hash()
	} else if !errors.Is(err, plumbing.ErrReferenceNotFound) {
		return err
	}
	if stands != command.Old {
		return ErrRaced
	}
	_, err = lock.WriteString(command.New.String() + "\n")
	return errors.Join(err, lock.Sync())
}
