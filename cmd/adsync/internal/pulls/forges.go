package pulls

import (
	"context"
	"fmt"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/forge"
	"adsync/sources/config"
)

// listEvery is how often the pull requests of a repository are listed at most, for all accounts of it.
const listEvery = 10 * time.Second

// Forges are the repositories whose pull requests are answered. Accounts of one repository share a list.
type Forges struct {
	mu    sync.Mutex
	known map[string]forge.Repository
}

// Of returns the repository that a configuration names.
func (f *Forges) Of(env *session.Env, c config.PullRequests) (forge.Repository, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := fmt.Sprintf("%q", []any{c.Forge.Value, c.Repository.Value, c.API.Value, c.Token.From, c.Token.Value,
		c.App.ID, c.App.Installation, c.App.Key.From, c.App.Key.Value})
	if known := f.known[key]; known != nil {
		return known, nil
	}
	secret := func(of config.KeyReference) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return session.SecretOf(ctx, env, of) }
	}
	at := forge.Where{Repository: c.Repository.Value, API: c.API.Value, Token: secret(c.Token)}
	if c.App.ID != 0 {
		at.App = &forge.App{
			ID: c.App.ID, Installation: c.App.Installation, Key: secret(c.App.Key), OnToken: env.OnSecret,
		}
	}
	repository, err := open(c.Forge.Value, at)
	if err != nil {
		return nil, err
	}
	if f.known == nil {
		f.known = map[string]forge.Repository{}
	}
	f.known[key] = forge.Shared(repository, min(listEvery, c.Every))
	return f.known[key], nil
}

// open returns a repository at the forge that a configuration names.
func open(of string, at forge.Where) (forge.Repository, error) {
	switch of {
	case "gitlab":
		return forge.NewGitLab(at)
	case "gitea":
		return forge.NewGitea(at)
	}
	return forge.NewGitHub(at)
}
