// Package edits writes into an account's files what people order at the page: the values of before a run, or
// those that somebody else gave something at the service.
//
// It refuses to send anything to the service, and to record anything of the account: what it writes is read, planned
// and guarded by the next run, as is whatever people save or merge. So nothing of an edit has to be recovered: cut off
// anywhere, a file is either what it was or what it was to become, and the next look shows what is left of the edit.
// draft.go finds what an edit comes to, write.go writes it.
package edits

import (
	"context"
	"sync"

	"adsync/cmd/adsync/internal/authors"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/reconcile"
)

// Desk edits the files of one account. Its fields are set before the first use and stay.
type Desk struct {
	// Open has the files as they are by now, in their folder, and gives them back. Those of a commit are in one of
	// their own, with an Env of their own.
	Open func(context.Context) (env *session.Env, dir string, done func(), err error)
	// Plan plans files for the named resources alone.
	Plan func(ctx context.Context, env *session.Env, l session.Loaded, of []string) (*planview.Document, error)
	// View is what is live of the named resources, beside what the files say.
	View func(ctx context.Context, env *session.Env, l session.Loaded, of []string) (*reconcile.View, error)
	Note func(orders.Ordered) error // keeps who ordered what

	Authors *authors.Known // is told who wrote what into the files of a folder

	Files *sync.Mutex // held by who writes into the files of people

	Git     bool       // the files are those of a commit
	Uploads string     // begin of the branches that the page sends to; "" for none
	Own     *pulls.Own // opens a pull request of what is sent; nil: nobody does
	Sent    func()     // is told that it did
}
