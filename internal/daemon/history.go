package daemon

import (
	"context"
	"time"
)

// Rewritten is a commit that waits for somebody to accept it: its branch went back,
// its history was rewritten, or its tag was moved. Nothing is sent until then.
type Rewritten struct {
	Revision
	Before   string `json:"before"`   // full hash of the commit that was accepted last
	Movement string `json:"movement"` // rewind, rewrite, elsewhere (either), or fast_forward of a tag
}

// Acceptance is a person's yes to such a commit. It is good for that commit alone,
// and is kept.
type Acceptance struct {
	Commit string    `json:"commit"` // full hash
	Before string    `json:"before,omitempty"`
	By     string    `json:"by"`
	From   string    `json:"from,omitempty"` // as of orders.Ordered
	Note   string    `json:"note,omitempty"`
	Time   time.Time `json:"time"`
}

// Accept keeps a person's yes to a commit that waits for one, and has it gone on with.
func (h *Hub) Accept(_ context.Context, name string, a Acceptance) error {
	l, err := h.loop(name)
	if err != nil {
		return err
	}
	if waits := l.shown().Rewritten; waits == nil || waits.Commit != a.Commit || l.account.Accept == nil {
		return ErrOtherCommit
	}
	if err := l.account.Accept(a); err != nil {
		return err
	}
	l.log.Info("a rewritten history was accepted", "commit", a.Commit, "by", a.By)
	l.wake(Asked)
	return nil
}

// Acceptances returns the commits that were accepted so, the oldest first.
func (h *Hub) Acceptances(_ context.Context, name string) ([]Acceptance, error) {
	l, err := h.loop(name)
	if err != nil || l.account.Acceptances == nil {
		return nil, err
	}
	return l.account.Acceptances()
}
