// Package forge reads the pull requests of a repository where it is hosted, and what people said of them, and answers
// them: with one comment each, which is replaced, with notes at their lines, and with a status of their newest commit.
//
// It refuses to know what is said, and who may say it. Its invariant: it changes no comment that it did not write
// itself.
//
// forge.go is what every forge can do; github.go and github_talk.go are GitHub.
package forge

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Repository is a repository as its forge knows it.
type Repository interface {
	// Open returns the open pull requests into a branch, those that changed last first. Beside them it is ErrMore where
	// there are more than are read.
	Open(ctx context.Context, branch string) ([]Pull, error)
	// Say replaces a comment of a pull request, and returns its id, and its text as the forge has it. Where id is "" or
	// that comment is gone it is a new one, unless there is one of this user's that begins with the same line.
	Say(ctx context.Context, pull int, id, text string) (Said, error)
	// Judge sets what a commit is said to be.
	Judge(ctx context.Context, commit string, v Verdict) error
	Notes
	Proposals

	// Find returns a pull request, open or not. It has the forge merge one anew whose branch has moved. One that
	// somebody deleted is closed, and nothing else is known of it: the forge has none of its number, and lists others.
	Find(ctx context.Context, number int) (Pull, error)
	// Consents reports which of reviews and comments can be approvals here: those of which the forge says what they
	// are of, and whether somebody changed them.
	Consents() (reviews, comments bool)
	// Talk returns what people said of a pull request. It is ErrMore where they said more than is read.
	Talk(ctx context.Context, p Pull) (Talk, error)
	// Authors returns the logins of those who opened a pull request, and who wrote or pushed a commit of it, each once;
	// "" is among them where the forge may not know them all.
	Authors(ctx context.Context, p Pull) ([]string, error)
	// Tree returns the address, for people, of a folder of a branch of this repository; "" where the forge has no pages
	// that a browser may be sent to.
	Tree(branch, folder string) string
	// InTeam reports whether a user is in a team, such as acme/buyers.
	InTeam(ctx context.Context, team, login string) (bool, error)
}

// Pull is a pull request.
type Pull struct {
	Number  int
	Title   string
	Author  string // login
	Branch  string // that it goes into
	Head    string // commit, full hash
	Ref     string // from which the head is fetched, such as refs/pull/7/head
	Source  string // repository and branch that people push the head to, such as acme/ads:spring; "" where not known
	Address string // for people
	Updated time.Time
	Closed  bool   // merged, too
	Merged  string // the commit by which the branch has it, full hash; "" where it is not merged
}

// MergeRef is where a forge keeps the merge of the pull request and its branch, if it keeps one. It may be of an older
// head, or an older branch.
func (p Pull) MergeRef() string { return strings.TrimSuffix(p.Ref, "/head") + "/merge" }

// Talk is what people said of a pull request, the oldest first.
type Talk struct {
	Reviews  []Review
	Comments []Comment
	Cut      bool // for whoever reads it: there is more than is read, and nothing here
}

// Said is a comment that was just written.
type Said struct{ ID, Text string }

// Review is what somebody thinks of a commit. What was begun and not sent is none.
type Review struct {
	ID      string // no other review of the pull request has it
	By      string // login
	Bot     bool
	Opinion Opinion
	Commit  string // that was reviewed, full hash; "" where the forge does not say
	At      time.Time
	Address string // for people, of the forge and of https; "" where it has none
}

// Opinion is what a review says.
type Opinion string

// The opinions. Each takes the place of an earlier one of the same person, but for Remarks.
const (
	Approves  Opinion = "approves"
	Objects   Opinion = "objects"
	Dismissed Opinion = "dismissed" // somebody took it back
	Remarks   Opinion = "remarks"
)

// Comment is one of the pull request as a whole.
type Comment struct {
	ID      string
	By      string // login
	Bot     bool   // it, or a program for the person, wrote it
	Text    string
	At      time.Time // of its creation
	Edited  bool      // by anybody, ever; true where the forge cannot tell
	Changed time.Time // when it was edited last, or created
	Address string    // for people, of the forge and of https; "" where it has none
}

// Verdict is the status of a commit.
type Verdict struct {
	Name  string // of the check, the same for all commits
	State State
	Text  string // one line
}

// State is how a check stands.
type State string

// The states.
const (
	Passes State = "success"
	Waits  State = "pending" // for somebody
	Fails  State = "failure"
)

// LimitError says that the forge answers again at a time.
type LimitError struct {
	Until time.Time
	cause error
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the forge has had enough requests until %s: %v", e.Until.Format(time.RFC3339), e.cause)
}

func (e *LimitError) Unwrap() error { return e.cause }
