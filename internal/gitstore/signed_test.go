package gitstore

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// signing is an upstream whose commits Ann signs, and a store that wants her
// signature.
type signing struct {
	*upstream
	keys  string
	store *Store
}

func signingBy(t *testing.T) *signing {
	t.Helper()
	s := &signing{upstream: filled(t), keys: t.TempDir()}
	for _, name := range []string{"ann", "eve"} {
		must(t, exec.Command("ssh-keygen", "-q", "-t",
			"ed25519", "-N", "", "-C", name, "-f", filepath.Join(s.keys, name)).Run())
	}
	public, err := os.ReadFile(filepath.Join(s.keys, "ann.pub"))
	must(t, err)
	file := filepath.Join(t.TempDir(), "signers")
	must(t, os.WriteFile(file, append([]byte("ann@example.com "), public...), 0o600))
	s.store = opened(t, Config{URL: s.bare, Ref: "main", SubPath: "ads", Signers: file})
	return s
}

// by makes a commit that somebody signs, nobody where the name is empty.
func (s *signing) by(name, message string, command ...string) string {
	s.t.Helper()
	s.n++
	args := append([]string{"-c", "gpg.format=ssh", "-c", "user.signingkey=" + filepath.Join(s.keys, name)},
		"commit", "-q", "--allow-empty", "-m", message)
	if len(command) > 0 {
		args = append(append(args[:4:4], command...), "-m", message)
	}
	if name != "" {
		args = append(args, "-S")
	}
	s.git(args...)
	return s.git("rev-parse", "HEAD")
}

func (s *signing) pushMain() {
	s.t.Helper()
	s.git("push", "-q", "--force", "origin", "HEAD:main")
}

// TestG20EveryCommitThatCameIsSigned: what nobody accepted yet is vouched for by no
// signed commit upon it, and by no signed merge.
func TestG20EveryCommitThatCameIsSigned(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		make func(s *signing) (guilty string) // "" where nobody is
	}{
		{"all signed", func(s *signing) string { s.by("ann", "one"); s.by("ann", "two"); return "" }},
		{"one in between is not", func(s *signing) string { bad := s.by("", "bad"); s.by("ann", "two"); return bad }},
		{"one in between is Eve's", func(s *signing) string {
			s.by("ann", "one")
			bad := s.by("eve", "bad")
			s.by("ann", "two")
			return bad
		}},
		{"a branch that a signed merge brings in", func(s *signing) string {
			s.git("checkout", "-q", "-b", "feature")
			bad := s.by("", "work of somebody else")
			s.git("checkout", "-q", "main")
			s.by("ann", "one")
			s.by("ann", "Merge", "merge", "-q", "--no-ff", "feature")
			return bad
		}},
		{"a signed branch that a signed merge brings in", func(s *signing) string {
			s.git("checkout", "-q", "-b", "feature")
			s.by("ann", "work")
			s.git("checkout", "-q", "main")
			s.by("ann", "one")
			s.by("ann", "Merge", "merge", "-q", "--no-ff", "feature")
			return ""
		}},
		{"a merge nobody signed", func(s *signing) string {
			s.git("checkout", "-q", "-b", "feature")
			s.by("ann", "work")
			s.git("checkout", "-q", "main")
			s.by("ann", "one")
			return s.by("", "Merge", "merge", "-q", "--no-ff", "feature")
		}},
		{"a pull, with the branch as its second parent", func(s *signing) string {
			s.git("checkout", "-q", "-b", "mine")
			s.by("ann", "mine")
			s.git("checkout", "-q", "main")
			bad := s.by("", "pushed by somebody")
			s.git("checkout", "-q", "mine")
			s.by("ann", "Merge main", "merge", "-q", "--no-ff", "main")
			return bad
		}},
		{"a branch from before what is accepted", func(s *signing) string {
			s.git("checkout", "-q", "-b", "mine", "HEAD~1")
			s.by("ann", "mine")
			s.git("checkout", "-q", "main")
			s.by("ann", "Merge mine", "merge", "-q", "--no-ff", "mine")
			return "" // what is before HEAD~1 is not signed, and came with what was accepted
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := signingBy(t)
			before := s.by("ann", "accepted")
			s.pushMain()
			fetched(t, s.store) // nothing was accepted before: what is below it counts with it
			guilty := row.make(s)
			tip := s.git("rev-parse", "HEAD")
			s.pushMain()
			r, err := s.store.Fetch(t.Context())
			if guilty == "" {
				if must(t, err); r.Signer != "ann@example.com" {
					t.Errorf("signer is %q; want ann@example.com", r.Signer)
				}
				return
			}
			wantError(t, err, Input, "commit "+guilty[:12]+" by Ann")
			if guilty != tip {
				wantError(t, err, Input, "it came between "+before[:12]+", which was accepted last, and "+tip[:12])
			}
			// it is taken out, which asks for no word: it was never accepted
			s.git("checkout", "-q", "-B", "again", before)
			s.by("ann", "without it")
			s.pushMain()
			fetched(t, s.store)
		})
	}
}

// What is signed and went back is held for that, and for nothing else.
func TestG20ASignedBranchThatWentBack(t *testing.T) {
	s := signingBy(t)
	first := s.by("ann", "one")
	s.by("ann", "two")
	s.pushMain()
	fetched(t, s.store)
	s.git("reset", "-q", "--hard", first)
	s.pushMain()
	_, err := s.store.Fetch(t.Context())
	wantError(t, err, Held, "went back")
	s.by("ann", "another two")
	s.pushMain()
	_, err = s.store.Fetch(t.Context())
	wantError(t, err, Held, "was rewritten")
	bad := s.by("", "not signed")
	s.by("ann", "three")
	s.pushMain()
	_, err = s.store.Fetch(t.Context())
	wantError(t, err, Input, "commit "+bad[:12])
}
