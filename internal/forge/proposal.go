package forge

import (
	"context"
	"strings"
)

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

// proposer does of Proposals what each forge does in its own way.
type proposer interface {
	// proposed finds the open pull request from a branch into another, and what it says; 0 where none is open.
	proposed(ctx context.Context, p Proposal) (number int, text string, err error)
	create(ctx context.Context, p Proposal) (number int, err error)
	revise(ctx context.Context, number int, p Proposal) error
	shut(ctx context.Context, number int) error
	Say(ctx context.Context, pull int, id, text string) (Said, error)
}

func propose(ctx context.Context, f proposer, p Proposal) (int, error) {
	number, text, err := f.proposed(ctx, p)
	switch {
	case err != nil:
		return 0, err
	case number == 0:
		return f.create(ctx, p)
	case begins(text, p.Text):
		err = f.revise(ctx, number, p)
	}
	return number, err
}

func withdraw(ctx context.Context, f proposer, p Proposal, why string) error {
	number, text, err := f.proposed(ctx, p)
	if err != nil || number == 0 || !begins(text, p.Text) {
		return err
	}
	mark, _, _ := strings.Cut(p.Text, "\n")
	if _, err := f.Say(ctx, number, "", mark+"\n"+why); err != nil {
		return err
	}
	return f.shut(ctx, number)
}
