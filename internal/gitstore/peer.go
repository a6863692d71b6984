package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// peer is the other side: a server, or a repository on this machine. Its calls
// end with their context.
type peer interface {
	// advertised lists the branches and tags, for fetching or for pushing.
	advertised(ctx context.Context, service string) (*packp.AdvRefs, error)
	// pack returns a pack of what wants reach and haves do not. refs are those
	// advertised for fetching.
	pack(ctx context.Context, refs *packp.AdvRefs, wants, haves []plumbing.Hash) (io.ReadCloser, error)
	// update moves one branch, from what it was, with the objects of a pack.
	update(ctx context.Context, refs *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) error
	close()
}

const (
	fetching = transport.UploadPackServiceName
	pushing  = transport.ReceivePackServiceName
)

func dialPeer(ctx context.Context, s *Store) (peer, error) {
	switch s.address.scheme {
	case "https":
		return newWebPeer(ctx, s)
	case "ssh":
		return &shellPeer{store: s}, nil
	}
	return openLocalPeer(s)
}

// uploadRequest asks for whole history, but for a store without the past, and says what may come of all that a server
// offers. A thin pack is not among it, which would build on objects that are here
// alone: what is asked for does not depend on who serves, and how.
func uploadRequest(s *Store, refs *packp.AdvRefs, wants, haves []plumbing.Hash) *packp.UploadPackRequest {
	r := packp.NewUploadPackRequest()
	r.Wants, r.Haves = wants, haves
	if s.config.WithoutPast && refs.Capabilities.Supports(capability.Shallow) {
		r.Haves, r.Depth = nil, packp.DepthCommits(1)
		_ = r.Capabilities.Set(capability.Shallow) // it takes no value that could be wrong
	}
	band := capability.Sideband64k
	if !refs.Capabilities.Supports(band) {
		band = capability.Sideband
	}
	// All haves go at once, and done with them: of what a server says in more detail, the
	// end counts. Azure DevOps serves nobody who does not ask for it.
	for _, one := range []capability.Capability{capability.MultiACKDetailed,
		band, capability.OFSDelta, capability.NoProgress} {
		if refs.Capabilities.Supports(one) {
			_ = r.Capabilities.Set(one) // it takes no value that could be wrong
		}
	}
	if refs.Capabilities.Supports(capability.Agent) {
		_ = r.Capabilities.Set(capability.Agent, capability.DefaultAgent())
	}
	return r
}

// packOf takes the pack out of an answer that may carry other channels.
func packOf(request *packp.UploadPackRequest, answer io.ReadCloser) io.ReadCloser {
	switch {
	case request.Capabilities.Supports(capability.Sideband64k):
		return channel{sideband.NewDemuxer(sideband.Sideband64k, answer), answer}
	case request.Capabilities.Supports(capability.Sideband):
		return channel{sideband.NewDemuxer(sideband.Sideband, answer), answer}
	}
	return answer
}

type channel struct {
	io.Reader
	io.Closer
}

// updateRequest moves one branch.
func updateRequest(refs *packp.AdvRefs, command *packp.Command, pack io.ReadCloser) *packp.ReferenceUpdateRequest {
	r := packp.NewReferenceUpdateRequestFromCapabilities(refs.Capabilities)
	r.Commands = []*packp.Command{command}
	r.Packfile = pack
	return r
}

// errNoReport is an answer to a push that says nothing of it.
var errNoReport = errors.New("the server says nothing of what became of the push")

// reported is what a server says of a push: nothing counts but its word that the very
// branch was moved. words gives what it said beside that, such as those of a hook.
func (s *Store) reported(ctx context.Context, report *packp.ReportStatus,
	command *packp.Command, words func() string) error {
	if report.UnpackStatus != "ok" {
		return s.wrap(ctx, Transient, "push to", fmt.Errorf("the server cannot unpack it: %s", report.UnpackStatus))
	}
	for _, status := range report.CommandStatuses {
		switch {
		case status.ReferenceName != command.Name:
		case status.Status == "ok":
			return nil
		default:
			return refuse(Credentials, "%s does not take a "+
				"push to %s: %s; want the branch to be one that adsync may push to, such as one that is not protected",
				s.address, command.Name.Short(), s.secrets.redact(strings.TrimSuffix(status.Status+": "+words(), ": ")))
		}
	}
	return s.wrap(ctx, Transient, "push to", errNoReport)
}

// bounded reads no more than it may, and keeps how an answer begins.
type bounded struct {
	io.Reader
	io.Closer
	left  *int64
	begin *[]byte
}

func (b bounded) Read(p []byte) (int, error) {
	if *b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), *b.left)])
	*b.left -= int64(n)
	if len(*b.begin) < 4096 {
		*b.begin = append(*b.begin, p[:n]...)
	}
	return n, err
}

// tooLarge is the refusal of an answer beyond its bound.
var errTooLarge = refuse(Input, "the repository gives more than it may; want a smaller one, or a higher limit")

// unreadable returns why a list of branches could not be read.
func unreadable(begin []byte, err error) error {
	if bytes.Contains(begin, []byte("object-format=sha256")) {
		return refuse(Input, "the repository counts "+
			"in SHA-256, which adsync does not read; want one that counts in SHA-1")
	}
	return err
}
