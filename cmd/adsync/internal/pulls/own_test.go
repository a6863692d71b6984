package pulls

import (
	"context"
	"io"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/forge"
	"adsync/state/kv"
)

// withdrawing is a forge where a pull request of adsync's own is closed by now.
type withdrawing struct {
	forge.Repository
	merged string
}

func (withdrawing) Withdraw(context.Context, forge.Proposal, string) error { return nil }

func (w withdrawing) Find(_ context.Context, number int) (forge.Pull, error) {
	return forge.Pull{Number: number, Closed: true, Merged: w.merged}, nil
}

// The log says of a pull request of adsync's own what became of it.
func TestWhatBecameOfAPullRequestOfOurOwn(t *testing.T) {
	for _, row := range []struct{ name, merged, want string }{
		{"merged", "m", "pull request 7 is merged"},
		{"closed", "", "pull request 7 is not needed any more"},
	} {
		var said string
		env := &session.Env{Console: console.Console{Err: io.Discard, OnNote: func(text string) { said = text }}}
		o := &Own{Forge: withdrawing{merged: row.merged}, Kept: kv.Folder{Dir: t.TempDir()}}
		if err := o.end(t.Context(), env, drift, proposed{Number: 7}, ""); err != nil || said != row.want {
			t.Errorf("%s: the log says %q, %v; want %q", row.name, said, err, row.want)
		}
	}
}
