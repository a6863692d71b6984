package forge

import "context"

// Proposals opens pull requests of adsync's own, and closes them.
type Proposals interface {
	// Propose opens a pull request, and returns its number. One that is open says p instead, where it begins with the
	// same line; anybody else's stays as it is.
	Propose(ctx context.Context, p Proposal) (number int, err error)
	// Withdraw closes what is open of a proposal, and says why. It does nothing where none is.
	Withdraw(ctx context.Context, p Proposal, why string) error
}

// Proposal is a pull request from a branch of the same repository.
type Proposal struct {
	From, Into string // branches
	Title      string
	Text       string // its first line is a mark
}
