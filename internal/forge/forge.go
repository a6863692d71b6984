// Package forge reads the pull requests of a repository where it is hosted, and answers them: with one comment each,
// which is replaced, and with a status of their newest commit.
//
// It refuses to know what is said. Its invariant: it changes no comment that it did not write itself.
//
// forge.go is what every forge can do; github.go is GitHub.
package forge

import (
	"context"
	"fmt"
	"time"
)

// Repository is a repository as its forge knows it.
type Repository interface {
	// Open returns the open pull requests into a branch, those that changed last first.
	Open(ctx context.Context, branch string) ([]Pull, error)
	// Say replaces a comment of a pull request, and returns its id. Where id is "" or that comment is gone it is a new
	// one, unless there is one of this user's that begins with the same line.
	Say(ctx context.Context, pull int, id, text string) (string, error)
	// Judge sets what a commit is said to be.
	Judge(ctx context.Context, commit string, v Verdict) error
}

// Pull is an open pull request.
type Pull struct {
	Number  int
	Title   string
	Author  string // login
	Head    string // commit, full hash
	Ref     string // from which the head is fetched, such as refs/pull/7/head
	Address string // for people
	Updated time.Time
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
