// Package place says where the state of one account lies: in a folder of this machine, in a PostgreSQL database, or on
// a git branch. Whoever opens, reads or asks about a state goes through it, so that they are told apart in this one
// place.
package place

import (
	"context"

	"adsync/state"
	"adsync/state/branch"
)

// Place is where the state of one account lies. Without a server or a branch it is a folder.
type Place struct {
	Folder  string
	Branch  *branch.Branch
	Server  *state.Server
	Account string // in the database
}

// String returns the folder, the branch, or the account in the database.
func (p Place) String() string {
	switch {
	case p.Branch != nil:
		return p.Branch.String()
	case p.Server == nil:
		return p.Folder
	}
	return p.Account + " in the database"
}

// Open opens the state for this process alone.
func (p Place) Open(ctx context.Context, o state.Options) (state.Store, error) {
	if p.Branch != nil {
		s, err := p.Branch.Open(ctx, o)
		if err != nil { // and no nil of another type
			return nil, err
		}
		return s, nil
	}
	if p.Server == nil {
		return state.Open(ctx, p.Folder, o)
	}
	return p.Server.Open(ctx, p.Account, o)
}

// OpenReadOnly returns the state as it is now, whoever has it open.
func (p Place) OpenReadOnly(ctx context.Context) (state.Store, error) {
	if p.Branch != nil {
		return p.Branch.OpenReadOnly(ctx)
	}
	if p.Server == nil {
		return state.OpenReadOnly(ctx, p.Folder)
	}
	return p.Server.OpenReadOnly(ctx, p.Account)
}

// SerialOf returns how many commits the state has seen, 0 where there is none.
func (p Place) SerialOf(ctx context.Context) (int64, error) {
	if p.Branch != nil {
		return p.Branch.SerialOf(ctx)
	}
	if p.Server == nil {
		return state.SerialOf(p.Folder)
	}
	return p.Server.SerialOf(ctx, p.Account)
}

// HeldBy says who has the state open.
func (p Place) HeldBy(ctx context.Context) (state.Holding, error) {
	if p.Branch != nil {
		return p.Branch.HeldBy(ctx)
	}
	if p.Server == nil {
		return state.HeldBy(p.Folder)
	}
	return p.Server.HeldBy(ctx, p.Account)
}
