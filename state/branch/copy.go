package branch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"adsync/state"
)

// Carried is the record of a branch while it is copied there or away: it lies in a folder of this machine, and the
// branch is locked, where it is there.
type Carried struct {
	branch *Branch
	at     snapshot
}

// Carry takes the account for a copy, and fills the folder with what the branch has.
func (b *Branch) Carry(ctx context.Context, o state.Options) (*Carried, error) {
	at, err := b.tip(ctx)
	switch {
	case err != nil:
		return nil, err
	case !b.Verified():
		return nil, b.keyless()
	case at.commit == "":
		err = b.clear()
	default:
		if at, err = b.take(ctx, at, o); err == nil {
			err = b.fill(ctx, at, o)
		}
	}
	if err == nil {
		err = b.markFolder()
	}
	if err != nil {
		return nil, err
	}
	return &Carried{b, at}, nil
}

// clear takes away what the folder has of a branch that was there once. A copy that was cut short has pushed nothing,
// and goes on.
func (b *Branch) clear() error {
	if _, err := os.Stat(seenIn(b.Dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(os.RemoveAll(b.folder()), os.Remove(seenIn(b.Dir)))
}

// markFolder has the folder be known as the branch, on whichever machine.
func (b *Branch) markFolder() error {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", b.Repository.Address(), b.Name, b.Account))
	path := filepath.Join(b.folder(), "place")
	return errors.Join(os.MkdirAll(b.folder(), 0o700), os.WriteFile(path, fmt.Appendf(nil, "%x", sum[:16]), 0o600))
}

// End is the branch as an end of [state.Copy].
func (c *Carried) End() (state.End, error) {
	end, err := state.InFolder(c.branch.folder())
	return named{end, c.branch.String()}, err
}

// named is the folder under the name of the branch.
type named struct {
	state.End
	name string
}

func (n named) String() string { return n.name }

// Push has the branch hold what the folder holds by now, and keeps it locked.
func (c *Carried) Push(ctx context.Context) error {
	return c.push(ctx, c.at.head.Lock, "copy the record of "+c.branch.Account)
}

// Release pushes what the folder holds, and gives the account back.
func (c *Carried) Release(ctx context.Context) error {
	return c.push(ctx, nil, "end of the copy of "+c.branch.Account)
}

func (c *Carried) push(ctx context.Context, lock *holder, message string) error {
	h, rows, err := state.RowsIn(ctx, c.branch.folder())
	if err != nil || h.Lineage == "" {
		return err
	}
	after, files, err := c.branch.next(c.at, h, rows, lock)
	if err != nil {
		return err
	}
	if after, err = c.branch.swap(ctx, after, files, message); err != nil {
		return failed(err, "%s cannot be written, and the copy is not ended; say it again: %v", c.branch, err)
	}
	c.at = after
	return nil
}
