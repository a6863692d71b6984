package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"adsync/internal/pattern"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// shellPeer is a server of git over ssh. The connection is ours, so that its
// deadline holds whatever the server does, in the middle of a pack too.
type shellPeer struct {
	store  *Store
	client *ssh.Client
	shell  *ssh.Session
	in     io.WriteCloser
	out    io.Reader
	left   int64
	begin  []byte
	said   *saying
	undo   []func()
}

// saying is how the other side's complaints begin.
type saying struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *saying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p[:min(len(p), max(0, 1024-s.text.Len()))])
	return len(p), nil
}

func (s *saying) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(s.text.String())
}

func (p *shellPeer) close() {
	for i := len(p.undo) - 1; i >= 0; i-- {
		p.undo[i]()
	}
	p.undo = nil
}

// start runs the one command of a connection.
func (p *shellPeer) start(ctx context.Context, service string) (err error) {
	p.close()
	if err := p.connect(ctx); err != nil {
		return err
	}
	if p.shell, err = p.client.NewSession(); err != nil {
		return err
	}
	if p.in, err = p.shell.StdinPipe(); err != nil {
		return err
	}
	out, err := p.shell.StdoutPipe()
	if err != nil {
		return err
	}
	p.said, p.begin, p.left = &saying{}, nil, p.store.config.Limits.RefsBytes
	p.shell.Stderr = p.said
	p.out = bounded{out, io.NopCloser(out), &p.left, &p.begin}
	return p.shell.Start(service + " " + quote(p.store.address.path))
}

// quote makes one word of a path for the shell of the other side.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

const sshPort = "22"

func (p *shellPeer) connect(ctx context.Context) error {
	host := p.store.address.host
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), sshPort)
	}
	config, err := p.config(ctx, host)
	if err != nil {
		return err
	}
	line, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { line.Close() })
	p.undo = append(p.undo, func() { stop(); line.Close() })
	conn, channels, requests, err := ssh.NewClientConn(line, host, config)
	if err != nil {
		return err
	}
	p.client = ssh.NewClient(conn, channels, requests)
	p.undo = append(p.undo, func() { p.client.Close() })
	return nil
}

func (p *shellPeer) config(ctx context.Context, host string) (*ssh.ClientConfig, error) {
	s := p.store
	known, err := knownhosts.NewDB(s.config.KnownHosts)
	if err != nil {
		return nil, refuse(Configuration, "the file of known hosts cannot be read: %v", err)
	}
	methods, err := p.methods(ctx)
	if err != nil {
		return nil, err
	}
	// The server is asked for a key of a kind the file has, so that the right host
	// is not taken for a wrong one.
	return &ssh.ClientConfig{
		User: cmp.Or(s.address.user, "git"), Auth: methods,
		HostKeyCallback: known.HostKeyCallback(), HostKeyAlgorithms: known.HostKeyAlgorithms(host),
	}, nil
}

func (p *shellPeer) methods(ctx context.Context) ([]ssh.AuthMethod, error) {
	s := p.store
	if s.config.KeyFile != "" {
		signer, err := s.key(ctx)
		if err != nil {
			return nil, err
		}
		return []ssh.AuthMethod{ssh.PublicKeys(signer)}, nil
	}
	if s.config.Agent == "" {
		return nil, refuse(Configuration, "no key for %s; want a key file, or an ssh agent", s.address)
	}
	line, err := (&net.Dialer{}).DialContext(ctx, "unix", s.config.Agent)
	if err != nil {
		return nil, refuse(Credentials, "the ssh agent cannot be reached: %v", err)
	}
	stop := context.AfterFunc(ctx, func() { line.Close() })
	p.undo = append(p.undo, func() { stop(); line.Close() })
	return []ssh.AuthMethod{ssh.PublicKeysCallback(agent.NewClient(line).Signers)}, nil
}

// key reads the private key; others on the machine may not.
func (s *Store) key(ctx context.Context) (ssh.Signer, error) {
	about, err := os.Stat(s.config.KeyFile)
	if err != nil {
		return nil, refuse(Configuration, "the key file cannot be read: %v", err)
	}
	if about.Mode().Perm()&0o077 != 0 {
		return nil, refuse(Configuration, "the key file %s is open to others (%v); want it readable by its owner alone",
			s.config.KeyFile, about.Mode().Perm())
	}
	content, err := os.ReadFile(s.config.KeyFile)
	if err != nil {
		return nil, refuse(Configuration, "the key file cannot be read: %v", err)
	}
	signer, err := ssh.ParsePrivateKey(content)
	var locked *ssh.PassphraseMissingError
	if !errors.As(err, &locked) {
		if bytes.Contains(content, []byte("BEGIN ENCRYPTED PRIVATE KEY")) {
			return nil, refuse(Configuration, "%s has a passphrase in a form that is not read "+
				"(PKCS 8); want that of OpenSSH: ssh-keygen -p -f %s writes it", s.config.KeyFile, s.config.KeyFile)
		}
		if err != nil {
			return nil, refuse(Configuration, "%s is no private key; want one in the form of OpenSSH or PEM",
				s.config.KeyFile)
		}
		return signer, nil
	}
	if s.config.Passphrase == nil {
		return nil, refuse(Configuration,
			"the key file %s has a passphrase; want it in the environment, a file or a command", s.config.KeyFile)
	}
	passphrase, err := s.config.Passphrase(ctx)
	if err != nil {
		return nil, s.wrap(ctx, Credentials, "get the passphrase for", err)
	}
	s.secrets.add(passphrase)
	if signer, err = ssh.ParsePrivateKeyWithPassphrase(content, []byte(passphrase)); err != nil {
		return nil, refuse(Credentials, "the passphrase does not open the key file %s", s.config.KeyFile)
	}
	return signer, nil
}

func (p *shellPeer) advertised(ctx context.Context, service string) (*packp.AdvRefs, error) {
	if err := p.start(ctx, service); err != nil {
		return nil, p.failed(ctx, "reach", err)
	}
	refs := packp.NewAdvRefs()
	err := refs.Decode(p.out)
	if errors.Is(err, packp.ErrEmptyAdvRefs) || err == nil && refs.IsEmpty() {
		err = nil
		if service == fetching {
			return nil, errNoCommit
		}
	}
	if err != nil {
		return nil, p.failed(ctx, "list the branches of", unreadable(p.begin, err))
	}
	return refs, nil
}

func (p *shellPeer) pack(ctx context.Context, refs *packp.AdvRefs,
	wants, haves []plumbing.Hash) (io.ReadCloser, error) {
	p.left = p.store.config.Limits.PackBytes
	request := uploadRequest(p.store, refs, wants, haves)
	err := errors.Join(request.UploadRequest.Encode(p.in),
		request.UploadHaves.Encode(p.in, false), pktline.NewEncoder(p.in).EncodeString("done\n"), p.asked())
	if err != nil {
		return nil, p.failed(ctx, "fetch from", err)
	}
	answer := packp.NewUploadPackResponse(request)
	if err := answer.Decode(io.NopCloser(p.out)); err != nil {
		return nil, p.failed(ctx, "fetch from", err)
	}
	return packOf(request, answer), nil
}

// asked ends a request. A server that has answered it whole may have closed the channel
// by then, which is no failure: what its answer lacks shows as that is read.
func (p *shellPeer) asked() error {
	if err := p.in.Close(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (p *shellPeer) update(ctx context.Context, refs *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error {
	if err := errors.Join(updateRequest(refs, command, pack).Encode(p.in), p.asked()); err != nil {
		return p.failed(ctx, "push to", err)
	}
	report := packp.NewReportStatus()
	if err := report.Decode(p.out); err != nil {
		return p.failed(ctx, "push to", err)
	}
	heard := func() string { p.hear(ctx); return p.said.String() }
	return p.store.reported(ctx, report, command, heard)
}

// hear waits for the last words of a server that has ended: they come on another
// channel than its answer.
func (p *shellPeer) hear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	p.in.Close()
	ended, shell := make(chan struct{}), p.shell // another connection has another
	go func() {                                  // ends with the connection at the latest
		defer close(ended)
		_ = shell.Wait() // how it ended is in what it said
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

const lastWords = 2 * time.Second

// notThere is what servers say of a repository that is missing, or that we may
// not see.
var notThere = pattern.Of(`(?i)not found|does not ` +
	`exist|does not appear to be|no such|access denied|not permitted|permission to .* denied|could not read from`)

func (p *shellPeer) failed(ctx context.Context, doing string, err error) error {
	s := p.store
	var complaint *pktline.ErrorLine
	said := ""
	if p.said != nil {
		p.hear(ctx)
		said = p.said.String()
	}
	if errors.As(err, &complaint) {
		said = complaint.Text
	}
	said = s.secrets.redact(said)
	switch {
	case ctx.Err() != nil:
		return s.wrap(ctx, Transient, doing, err)
	case knownhosts.IsHostKeyChanged(err):
		return refuse(Credentials, "%s shows another key than the known_hosts file %s has; it "+
			"may be another host; want the key checked, then the file put right", s.address, s.config.KnownHosts)
	case errors.As(err, new(*xknownhosts.RevokedError)):
		return refuse(Credentials, "%s shows a key that was revoked, as the "+
			"known_hosts file %s says; it may be another host; want the key checked", s.address, s.config.KnownHosts)
	// The second is said of a host that shows a certificate, where no authority is known.
	case knownhosts.IsHostUnknown(err) || strings.Contains(err.Error(), "no authorities for hostname"):
		return refuse(Credentials, "%s is in no line of the known_hosts "+
			"file %s; want its key there, checked, as ssh-keyscan prints it", s.address, s.config.KnownHosts)
	case strings.Contains(err.Error(), "unable to authenticate") ||
		strings.Contains(err.Error(), "no supported methods"):
		return refuse(Credentials, "%s does not accept the key; want one that may read the repository", s.address)
	case notThere.MatchString(said):
		return refuse(Credentials, "%s is not there, or the key may not see "+
			"it (the server says: %s); want the path of a repository and a key that may read it", s.address, said)
	case said != "":
		err = fmt.Errorf("%w (the server says: %s)", err, said)
	}
	return s.wrap(ctx, Transient, doing, err)
}
