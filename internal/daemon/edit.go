package daemon

import (
	"context"
	"time"

	"adsync/internal/eyes"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// Edit is what a person wants an account's files to say otherwise: what they said before a run, where they still say
// what it applied; or what somebody else gave a resource at the service.
type Edit struct {
	Run string `json:"run,omitempty"` // that is taken back; "": what is live is taken over
	Of  string `json:"of,omitempty"`  // address of one resource; "" of all that the run applied
}

// Draft is an edit as far as the files take it. Nothing of it is written.
type Draft struct {
	Edit
	Values   []DraftValue       `json:"values"`
	Left     []DraftLeft        `json:"left"`
	Problems []string           `json:"problems"` // why values cannot be written: position: what is there; what is wanted
	Plan     *planview.Document `json:"plan,omitempty"`
	Digest   string             `json:"digest"`            // another where anything else would be written
	Refused  string             `json:"refused,omitempty"` // why nothing of it can be written here, whatever it is
	Branch   string             `json:"branch,omitempty"`  // begin of the one it goes to; "": into the files themselves
	Into     string             `json:"into,omitempty"`    // branch that a pull request of it goes into
}

// DraftValue is a value that would be written.
type DraftValue struct {
	At        string `json:"at"` // cell or line
	Address   string `json:"address"`
	Name      string `json:"name,omitempty"`
	Attribute string `json:"attribute"`
	Was       string `json:"was"` // as a file has it, for people
	Is        string `json:"is"`
}

// DraftLeft is what the files go on saying.
type DraftLeft struct {
	Address   string `json:"address"`
	Name      string `json:"name,omitempty"`
	Attribute string `json:"attribute,omitempty"` // "" of the whole resource
	Why       string `json:"why"`
}

// EditOrder has the draft of a digest written.
type EditOrder struct {
	Edit
	Digest, By, Reason string
	Who                *eyes.Who // the person, where they proved who they are
	From               string    // as of orders.Ordered
	Time               time.Time
}

// Edited is where an edit is.
type Edited struct {
	Files []string `json:"files"`          // slash paths
	Kept  []string `json:"kept,omitempty"` // the former ones, beside them

	Branch string       `json:"branch,omitempty"` // "" where it is in the files themselves
	Commit string       `json:"commit,omitempty"` // full hash
	Same   bool         `json:"same,omitempty"`   // the branch had it already
	Pull   *PullRequest `json:"pull_request,omitempty"`
}

// The errors of an edit.
var (
	ErrNoEdit     error = catalogue.Text("failed.no-edit")
	ErrEditMoved  error = catalogue.Text("failed.edit-moved")
	ErrNotWritten error = catalogue.Text("failed.not-written")
)

// Draft returns what an edit would write, and the plan of the files as they would be.
func (d local) Draft(ctx context.Context, name string, e Edit) (*Draft, error) {
	l, err := d.loop(name)
	if err != nil {
		return nil, err
	}
	if l.account.Draft == nil {
		return nil, ErrNoLook
	}
	return l.account.Draft(ctx, e)
}

// Edit writes a draft into the files of a folder, where the next run finds it as it finds whatever people save there;
// or to a branch, which somebody merges. It sends nothing to the service.
func (d local) Edit(ctx context.Context, name string, o EditOrder) (Edited, error) {
	l, err := d.loop(name)
	if err != nil {
		return Edited{}, err
	}
	if l.account.Edit == nil {
		return Edited{}, ErrNoLook
	}
	e, err := l.account.Edit(ctx, o)
	if len(e.Files) > 0 {
		l.log.Info("files were edited", "run", o.Run, "of", o.Of, "files", e.Files, "branch", e.Branch, "by", o.By)
	}
	if len(e.Files) > 0 && e.Branch == "" { // else nothing that is read has changed
		l.wake(Asked)
	}
	return e, err
}
