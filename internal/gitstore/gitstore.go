// Package gitstore keeps the objects of a git repository in a bare store on this
// machine, says where a branch, tag or commit stands and how it moved, and
// pushes adsync's answers to branches of their own.
//
// It has no work tree, runs no hook, filter or git binary, and refuses what it
// cannot read whole: links, submodules, shallow and partial repositories,
// SHA-256. It knows nothing of plans, states or the service. Credentials are
// asked for when they are used, and stand in no error and no file.
//
// Its invariant is that a fetch counts whole or not at all: objects are complete
// and on disk before the record names the commit.
//
// Open fetch.go first: how a fetch counts whole. peer.go and its like speak with the other side
// (local, shell, web), shared.go asks it once for many, folder.go says where objects are and
// who may touch them, pack.go, unpack.go and thin.go take in objects, check.go looks at a
// commit whole before it is accepted, movement.go says how a branch moved, signed.go who
// signed, push.go sends answers.
package gitstore

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"adsync/internal/steady"
	"adsync/state/kv"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Config says which repository, and how it may be reached. All of it is the
// operator's; nothing of it comes from watched files.
type Config struct {
	URL     string // https://…, ssh://…, host:path, file://… or a path; without a password
	Ref     string // branch, tag, refs/… or a commit of 40 digits; "" for the branch the repository's HEAD names
	SubPath string // folder of the project in the repository, "" for its top
	Dir     string // folder of the bare store; made where it is missing
	// keeps what was accepted for all machines that follow the source; nil: a file in Dir does
	Records kv.Store
	Shared  *Shared // has the objects in the place of Dir, and fetches for others, too; nil: Dir has them

	Token      func(context.Context) (string, error) // of https, asked for at each call; nil for none
	CAFile     string                                // PEM file of certificates that are trusted beside the system's
	KeyFile    string                                // private key of ssh; "" for the agent
	Passphrase func(context.Context) (string, error) // of KeyFile; nil for none
	Agent      string                                // socket of the ssh agent; "" for none
	KnownHosts string                                // required for ssh

	// file of those whose signature a commit must have: allowed_signers, or an armoured GPG keyring; "" for no check
	Signers string

	AnswerPrefix string // of the branches that may be pushed to, "" for adsync/

	// has a server give a commit without what came before it: for branches that Tip reads; a path gives it all the same
	WithoutPast bool

	Timeout time.Duration // longest fetch or push, 0 for two minutes
	Limits  Limits
	Now     func() time.Time // nil for the system's clock
}

// Limits bound what is taken from a repository. A zero field is the default.
type Limits struct {
	PackBytes   int64  // one answer of the server; default 1 GiB
	ObjectBytes int64  // one object, unpacked; default 512 MiB
	Objects     uint32 // objects of one answer; default five million
	RefsBytes   int64  // the list of branches and tags; default 64 MiB
	Files       int    // of the project in one commit, folders included; default 200,000
}

func (l Limits) orDefault() Limits {
	return Limits{
		PackBytes: cmp.Or(l.PackBytes, 1<<30), ObjectBytes: cmp.Or(l.ObjectBytes, 512<<20),
		Objects: cmp.Or(l.Objects, 5_000_000), RefsBytes: cmp.Or(l.RefsBytes, 64<<20), Files: cmp.Or(l.Files, 200_000),
	}
}

// Store is the bare store of one source. Several sources may share a folder, and
// then its objects; each has a past of its own. One fetch or push of a source runs at a
// time, and one fetch into a folder, across processes; the methods of one Store are called
// by one goroutine. It holds no connection and no open file between calls, and needs no
// closing.
type Store struct {
	local
	dial func(context.Context, *Store) (peer, error)
}

// local is what of a repository is on this disk: its objects and what was accepted.
type local struct {
	config    Config
	folder    string // of the objects
	address   address
	objects   *filesystem.Storage
	secrets   *secrets
	mostPacks int
	create    func(folder, pattern string) (*os.File, error) // a file that is not whole yet
}

// Open checks the configuration and opens the store. It reaches nothing.
func Open(c Config) (*Store, error) {
	a, err := parseAddress(c.URL)
	if err != nil {
		return nil, err
	}
	if err := checkRef(c.Ref); err != nil {
		return nil, err
	}
	if c.SubPath, err = cleanSubPath(c.SubPath); err != nil {
		return nil, err
	}
	if a.scheme == "ssh" && c.KnownHosts == "" {
		return nil, refuse(Configuration,
			"no known_hosts file for %s; want one that has the key of that host, as ssh-keyscan prints it", a)
	}
	if c.AnswerPrefix, err = checkPrefix(c.AnswerPrefix); err != nil {
		return nil, err
	}
	if c.Dir == "" {
		return nil, refuse(Configuration, "no folder for the store; want one")
	}
	c.Limits, c.Timeout = c.Limits.orDefault(), cmp.Or(c.Timeout, 2*time.Minute)
	c.Records = cmp.Or(c.Records, kv.Store(kv.Folder{Dir: c.Dir}))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Signers != "" {
		if _, err := readSigners(c.Signers); err != nil {
			return nil, err
		}
	}
	here := local{config: c, address: a, secrets: &secrets{}, create: os.CreateTemp, mostPacks: mostPacks}
	s := &Store{local: here, dial: dialPeer}
	return s, s.openObjects()
}

func (s *local) openObjects() error {
	if err := s.openFolder(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir(), 0o700); err != nil {
		return refuse(Configuration, "the store cannot be made: %v", err)
	}
	s.reopen()
	if _, err := os.Stat(filepath.Join(s.Dir(), "HEAD")); err == nil {
		return nil
	}
	if err := s.objects.Init(); err != nil {
		return refuse(Configuration, "the store cannot be made: %v", err)
	}
	// HEAD makes it a repository for every tool that looks; nothing reads it here.
	if err := s.objects.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, "refs/heads/none")); err != nil {
		return refuse(Configuration, "the store cannot be made: %v", err)
	}
	return nil
}

// reopen has the storage see the packs there are now, and forget what it read.
// No file of it stays open in between, so nothing is left to close.
func (s *local) reopen() {
	s.objects = openStorage(s.Dir())
}

// streamed is the size from which an object goes from disk to disk, and is never in
// memory whole.
const streamed = 1 << 20 // bytes

func openStorage(dir string) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(steady.Folder(dir),
		cache.NewObjectLRU(32*cache.MiByte), filesystem.Options{LargeObjectThreshold: streamed})
}

// Dir is the folder of the bare repository.
func (s *local) Dir() string { return filepath.Join(s.folder, "repository") }

// SubPath is the folder of the project in the repository, "." for its top.
func (s *local) SubPath() string { return s.config.SubPath }

// Address is the repository as a person may see it, without credentials.
func (s *local) Address() string { return s.address.String() }

// cleanSubPath returns the slash path of a folder in a repository.
func cleanSubPath(p string) (string, error) {
	clean := path.Clean(strings.TrimSuffix(cmp.Or(p, "."), "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(clean, "\\\x00") {
		return "", refuse(Configuration,
			"the folder in the repository is %q; want a path below its top such as ads/", p)
	}
	return clean, nil
}

// checkRef refuses names git would not have either.
func checkRef(ref string) error {
	if ref == "" || isCommit(ref) {
		return nil
	}
	name := plumbing.ReferenceName(ref)
	if !strings.HasPrefix(ref, "refs/") {
		name = plumbing.NewBranchReferenceName(ref)
	}
	if err := name.Validate(); err != nil {
		return refuse(Configuration, "ref is %q; want a branch, a tag or a commit of 40 digits", ref)
	}
	return nil
}

// isCommit reports whether a ref is the full hash of a commit.
func isCommit(ref string) bool { return len(ref) == 40 && plumbing.IsHash(ref) }

func short(h plumbing.Hash) string { return fmt.Sprintf("%.12s", h) }
