package gitstore

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// signers are those whose signature counts: keys of ssh, or of GPG.
type signers struct {
	keyring openpgp.EntityList
	lines   []allowedSigner
}

// allowedSigner is a line of an allowed_signers file, as ssh-keygen(1) has it.
type allowedSigner struct {
	principals   string
	key          ssh.PublicKey
	namespaces   string
	after, until time.Time
}

// readSigners reads a keyring or an allowed_signers file. What a line says that
// is not known here is an error: it may narrow whom the line allows.
func readSigners(file string) (signers, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return signers{}, refuse(Configuration, "the file of signers cannot be read: %v", err)
	}
	if bytes.Contains(content, []byte("-----BEGIN PGP PUBLIC KEY BLOCK-----")) {
		keyring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(content))
		if err != nil || len(keyring) == 0 {
			return signers{}, refuse(Configuration,
				"%s is no keyring that can be read; want public keys as gpg --armor --export prints them", file)
		}
		return signers{keyring: keyring}, nil
	}
	var all signers
	scanner := bufio.NewScanner(bytes.NewReader(content))
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		one, err := readAllowedSigner(line)
		if err != nil {
			return signers{}, refuse(Configuration,
				"%s:%d: %v; want a line of allowed_signers: name@example.com ssh-ed25519 AAAA…", file, n, err)
		}
		all.lines = append(all.lines, one)
	}
	if len(all.lines) == 0 {
		return signers{}, refuse(Configuration, "%s names no signer; want at least one", file)
	}
	return all, nil
}

func readAllowedSigner(line string) (one allowedSigner, err error) {
	principals, rest, ok := strings.Cut(line, " ")
	if !ok {
		return one, fmt.Errorf("the line has no key")
	}
	one.principals = strings.Trim(principals, `"`)
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return one, fmt.Errorf("the key cannot be read")
	}
	one.key = key
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "namespaces":
			one.namespaces = value
		case "valid-after":
			one.after, err = signerTime(value)
		case "valid-before":
			one.until, err = signerTime(value)
		default:
			err = fmt.Errorf("the option %q is not known here", name)
		}
		if err != nil {
			return one, err
		}
	}
	return one, nil
}

// signerTime reads YYYYMMDD[HHMM[SS]], in UTC with a Z and in local time without.
func signerTime(text string) (time.Time, error) {
	zone := time.Local
	digits, utc := strings.CutSuffix(text, "Z")
	if utc {
		zone = time.UTC
	}
	for _, form := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(form) {
			return time.ParseInLocation(form, digits, zone)
		}
	}
	return time.Time{}, fmt.Errorf("the time is %q", text)
}

// signerOf checks the signature of a commit and names who made it.
func (s signers) signerOf(objects storer.EncodedObjectStorer, commit *object.Commit, file string) (string, error) {
	stored, err := objects.EncodedObject(plumbing.CommitObject, commit.Hash)
	if err != nil {
		return "", refuse(Input, "commit %s cannot be read: %v", short(commit.Hash), err)
	}
	signature, signed, err := split(stored)
	if err != nil {
		return "", refuse(Input, "commit %s cannot be read: %v", short(commit.Hash), err)
	}
	if signature == "" {
		return "", refuse(Input, "commit %s by %s is not signed; want the signature of somebody in %s",
			short(commit.Hash), diag.Printable(commit.Author.Name), file)
	}
	who, err := s.verify(commit.Committer.When, signature, signed)
	if err != nil {
		return "", refuse(Input, "commit %s by %s: %v; want the signature of somebody in %s",
			short(commit.Hash), diag.Printable(commit.Author.Name), err, file)
	}
	return diag.Printable(who), nil
}

// split takes the signature out of the bytes of a commit, as they are stored.
func split(stored plumbing.EncodedObject) (signature string, signed []byte, err error) {
	r, err := stored.Reader()
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		return "", nil, err
	}
	head, message, _ := bytes.Cut(content, []byte("\n\n"))
	var armour bytes.Buffer
	inside := false
	for line := range bytes.Lines(append(head, '\n')) {
		first, is := bytes.CutPrefix(line, []byte("gpgsig "))
		if is && armour.Len() > 0 {
			return "", nil, fmt.Errorf("it has two signatures; want one")
		}
		switch inside = is || inside && line[0] == ' '; {
		case is:
			armour.Write(first)
		case inside:
			armour.Write(line[1:])
		default:
			signed = append(signed, line...)
		}
	}
	return armour.String(), append(append(signed, '\n'), message...), nil
}

// verify names the signer of some bytes.
func (s signers) verify(at time.Time, armoured string, signed []byte) (string, error) {
	if s.keyring != nil {
		entity, err := openpgp.CheckArmoredDetachedSignature(s.keyring,
			bytes.NewReader(signed), strings.NewReader(armoured), nil)
		if err != nil {
			return "", fmt.Errorf("its signature is of nobody known, or of other bytes (%v)", err)
		}
		return entityName(entity), nil
	}
	signature, err := sshsig.Unarmor([]byte(armoured))
	if err != nil {
		return "", fmt.Errorf("its signature is not of ssh, and the signers are")
	}
	if signature.Signature.Format == ssh.KeyAlgoRSA {
		return "", fmt.Errorf("its signature counts in SHA-1; want rsa-sha2-512, or a key of ed25519")
	}
	i := slices.IndexFunc(s.lines, func(a allowedSigner) bool { return a.signs(signature.PublicKey, at) })
	if i < 0 {
		return "", fmt.Errorf("its signer is nobody who is allowed (%s)", ssh.FingerprintSHA256(signature.PublicKey))
	}
	if err := sshsig.Verify(bytes.NewReader(signed),
		signature, s.lines[i].key, signature.HashAlgorithm, gitNamespace); err != nil {
		return "", fmt.Errorf("its signature is of other bytes")
	}
	return s.lines[i].principals, nil
}

func entityName(entity *openpgp.Entity) string {
	if identity := entity.PrimaryIdentity(); identity != nil {
		return identity.Name
	}
	return fmt.Sprintf("%X", entity.PrimaryKey.Fingerprint)
}

// gitNamespace is what git signs under.
const gitNamespace = "git"

func (a allowedSigner) signs(key ssh.PublicKey, at time.Time) bool {
	named := a.namespaces == "" || slices.Contains(strings.Split(a.namespaces, ","), gitNamespace)
	return named && bytes.Equal(a.key.Marshal(), key.Marshal()) &&
		(a.after.IsZero() || !at.Before(a.after)) && (a.until.IsZero() || at.Before(a.until))
}
