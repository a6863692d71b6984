package daemoncmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/gitstore"
	"adsync/sources/config"
)

// listEvery is how often the branches of a repository are listed at most for accounts
// that share it. They ask no more often than all of them would, each for itself.
const listEvery = 10 * time.Second

// lookLeast is how long an account waits at least before it sees to the next list.
const lookLeast = time.Second

// repositoriesName is a folder of the daemon's states. No account has such a name.
const repositoriesName = ".repositories"

// repositoryOf is the same for accounts that read one address with the same credentials.
func repositoryOf(g config.Git) string {
	return fmt.Sprintf("%q", []any{g.URL.Value, g.Token.From, g.Token.Value, g.Key.Value,
		g.Passphrase.From, g.Passphrase.Value, g.KnownHosts.Value, g.CA.Value})
}

// share finds the repositories that the accounts are from, those of before as they
// are. Without a folder for the states, each account has its own.
func share(before map[string]*gitstore.Shared, settings config.Daemon) map[string]*gitstore.Shared {
	known := map[string]*gitstore.Shared{}
	users, every := map[string]int{}, map[string]time.Duration{}
	for _, a := range settings.Accounts {
		if a.Folder != "" || settings.State == "" {
			continue
		}
		key := repositoryOf(a.Git)
		users[key]++
		every[key] = min(cmp.Or(every[key], a.Every), a.Every)
		if known[key] = before[key]; known[key] == nil {
			name := sha256.Sum256([]byte(key))
			folder := filepath.Join(settings.State, repositoriesName, fmt.Sprintf("%x", name[:8]))
			known[key] = gitstore.NewShared(folder)
		}
	}
	for key, r := range known {
		age := time.Duration(0)
		if n := users[key]; n > 1 {
			age = max(every[key]/time.Duration(n), min(listEvery, every[key]))
		}
		r.Keep(age)
	}
	return known
}

// watch wakes the account when a list of the branches, whoever asked for it, says that
// its own has moved; and has them listed when that is due.
func (b *followedBranch) watch(ctx context.Context, wake func(daemon.Trigger)) {
	var store *gitstore.Store
	var woken string // for what it was
	for ctx.Err() == nil {
		moved, due := b.env.Git.Shared.Moved()
		timer := time.NewTimer(max(cmp.Or(due, b.config.Every), lookLeast))
		select {
		case <-ctx.Done():
		case <-moved:
		case <-timer.C:
		}
		timer.Stop()
		if store == nil {
			store = b.lister()
		}
		fetched := b.tip.Load()
		if due == 0 || store == nil || fetched == nil { // nobody else lists, or no run has read it yet
			continue
		}
		if tip := store.Look(ctx); tip != "" && tip != *fetched && tip != woken {
			woken = tip
			wake(daemon.Poll)
		}
	}
}

// lister is a store for nothing but the list of branches; nil before a run has read them.
func (b *followedBranch) lister() *gitstore.Store {
	read := b.read.Load()
	if read == nil {
		return nil
	}
	at, own := *read, *b.env
	own.Git = &at
	c, _, err := session.GitConfig(&own, at.Flags)
	if err != nil {
		return nil
	}
	store, err := gitstore.Open(c)
	if err != nil {
		return nil
	}
	return store
}
