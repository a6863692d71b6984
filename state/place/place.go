// Package place says where the state of one account lies: in a folder of this machine, or in a PostgreSQL database.
// Whoever opens, reads or asks about a state goes through it, so that both are told apart in this one place.
package place

import (
	"context"

	"adsync/state"
)

// Place is where the state of one account lies. Without a server it is a folder.
type Place struct {
	Folder  string
	Server  *state.Server
	Account string // in the database
}

// String returns the folder, or the account in the database.
func (p Place) String() string {
	if p.Server == nil {
		return p.Folder
	}
	return p.Account + " in the database"
}

// Open opens the state for this process alone.
func (p Place) Open(ctx context.Context, o state.Options) (state.Store, error) {
	if p.Server == nil {
		return state.Open(ctx, p.Folder, o)
	}
	return p.Server.Open(ctx, p.Account, o)
}

// OpenReadOnly returns the state as it is now, whoever has it open.
func (p Place) OpenReadOnly(ctx context.Context) (state.Store, error) {
	if p.Server == nil {
		return state.OpenReadOnly(ctx, p.Folder)
	}
	return p.Server.OpenReadOnly(ctx, p.Account)
}

// SerialOf returns how many commits the state has seen, 0 where there is none.
func (p Place) SerialOf(ctx context.Context) (int64, error) {
	if p.Server == nil {
		return state.SerialOf(p.Folder)
	}
	return p.Server.SerialOf(ctx, p.Account)
}

// HeldBy says who has the state open.
func (p Place) HeldBy(ctx context.Context) (state.Holding, error) {
	if p.Server == nil {
		return state.HeldBy(p.Folder)
	}
	return p.Server.HeldBy(ctx, p.Account)
}
