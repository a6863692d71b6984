package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"adsync/internal/eyes"
)

// Handed is a file that a person sends after a look at it: to a branch for uploads, from where it is somebody's to
// merge, as the branch that is watched is never written to; or into the account's folder.
type Handed struct {
	File    string // as it was looked at
	Content []byte
	Base    string    // sum of the file whose place it took when it was looked at; "" for none
	Who     *eyes.Who // the person, where they proved who they are
	Holder  string    // who had what it began as, as Dropped has it
	Began   string    // as Upload has it
	By      string
	From    string // as of orders.Ordered
	Note    string
	Time    time.Time
}

// Dropped is a file that somebody wants to be looked at.
type Dropped struct {
	Name    string // as a browser calls it
	Content []byte
	Who     string // a digest of who dropped it: what they downloaded is what it began as; "" for nobody
	// Choices are what counts of what both sides changed, by the digests of a Merge.
	Choices map[string]string
	Known   string // digest of what stays that they were shown
}

// What counts where both sides changed something.
const (
	Yours  = "yours"
	Todays = "today"
)

// Merge is what a file comes to in the one that is there today, where somebody else changed that since it was
// downloaded. Nothing of today's file is taken back that nobody was shown.
type Merge struct {
	Since   time.Time    // when what the file began as was downloaded
	Took    []MergeValue // of yours
	Clashes []MergeValue
	Left    []MergeValue // that was not understood: it stays as it is today
	Known   string       // digest of what is left, by which somebody says that they know it
	Sorted  []string     // sheets whose rows you have in another order than before, which is not taken over
	Settled bool         // each clash has a choice, and what is left is known
	Refused string       // why nothing can be merged
	Content []byte       // today's file with yours in it; nil where it is not settled
}

// MergeValue is a value of a merge, or a row.
type MergeValue struct {
	Digest string // of a clash: by it somebody says what counts
	What   string // cell or row
	Base   string // as it was downloaded; these are "" where the reason says it all
	Today  string
	Yours  string
	Reason string
	Choice string
}

// Committed is where such a file is.
type Committed struct {
	Branch string `json:"branch,omitempty"` // "": it is in the folder
	Commit string `json:"commit,omitempty"` // full hash
	Path   string `json:"path"`             // from the top of the repository, or in the folder
	Kept   string `json:"kept,omitempty"`   // the file whose place it took, beside it; "" where there was none
	Same   bool   `json:"same"`             // the branch or the folder had it already; nothing was written

	Pull *PullRequest `json:"pull_request,omitempty"` // nil where none is opened
}

// PullRequest is the one in which a file is.
type PullRequest struct {
	Number  int    `json:"number"`
	Address string `json:"address,omitempty"` // for people; "" where the forge did not say it
	Into    string `json:"into"`              // branch
}

// Commit puts a file on a branch for uploads of an account, or into its folder. With ErrNotOpened it is there,
// in no pull request.
func (h *Hub) Commit(ctx context.Context, name string, u Handed) (Committed, error) {
	l, err := h.loop(name)
	if err != nil {
		return Committed{}, err
	}
	if l.account.Commit == nil {
		return Committed{}, ErrNoUploads
	}
	c, err := l.account.Commit(ctx, u)
	if err == nil {
		l.log.Info("a file was sent", "branch", c.Branch, "commit", c.Commit, "path", c.Path, "by", u.By)
	}
	return c, err
}

// Files returns the slash paths of the files that an account is read from.
func (d local) Files(ctx context.Context, name string) ([]string, error) {
	l, err := d.loop(name)
	if err != nil {
		return nil, err
	}
	if l.account.Files == nil {
		return nil, ErrNoLook
	}
	return l.account.Files(ctx)
}

// File returns one of them, as it was read last.
func (d local) File(ctx context.Context, name, file, who string) ([]byte, error) {
	l, err := d.loop(name)
	if err != nil {
		return nil, err
	}
	if l.account.File == nil {
		return nil, ErrNoLook
	}
	return l.account.File(ctx, file, who)
}

// Picture returns a picture of the files, by the sum of its bytes. One that is another by now is none.
func (d local) Picture(ctx context.Context, name, sum string) ([]byte, error) {
	l, err := d.loop(name)
	if err != nil {
		return nil, err
	}
	plan := d.Hub.Plan(name)
	if plan == nil || l.account.Picture == nil {
		return nil, ErrNoFile
	}
	where, known := plan.Pictures[sum]
	if !known {
		return nil, ErrNoFile
	}
	content, err := l.account.Picture(ctx, where)
	if err != nil {
		return nil, err
	}
	if is := sha256.Sum256(content); sum != "sha256:"+hex.EncodeToString(is[:]) {
		return nil, ErrNoFile
	}
	return content, nil
}
