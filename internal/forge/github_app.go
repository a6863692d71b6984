package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-github/v89/github"
)

// App is an app of GitHub as it is installed: it asks for tokens of an hour, which reach one repository.
type App struct {
	ID, Installation int64
	Key              func(context.Context) (string, error) // its private key, as PEM
	OnToken          func(string)                          // is told of each token, which is a secret; nil: nobody is
}

// appTokens are the tokens of an installation.
type appTokens struct {
	App
	client     *github.Client // asks as the app itself
	repository string         // the one that tokens reach

	mu    sync.Mutex
	now   string
	until time.Time
}

func newAppTokens(repository string, at Where, base *url.URL) (*appTokens, error) {
	t := &appTokens{App: *at.App, repository: repository}
	at.Token = t.signed
	address := base.String()
	var err error
	t.client, err = github.NewClient(github.WithURLs(&address, nil), github.WithHTTPClient(at.client(base)))
	return t, err
}

// How long before its end a token is made anew, and how long what the app signs is good for: GitHub takes no more than
// ten minutes, by its own clock.
const (
	renewBefore = 5 * time.Minute
	signedFor   = 8 * time.Minute
	clocksApart = time.Minute
)

// signed is what proves to GitHub that the app asks.
func (t *appTokens) signed(ctx context.Context) (string, error) {
	pem, err := t.Key(ctx)
	if err != nil {
		return "", err
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(pem))
	if err != nil {
		return "", fmt.Errorf("the key of the app cannot be read: want the private key that GitHub made, as PEM")
	}
	now := time.Now()
	return jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		Issuer: strconv.FormatInt(t.ID, 10), IssuedAt: jwt.NewNumericDate(now.Add(-clocksApart)),
		ExpiresAt: jwt.NewNumericDate(now.Add(signedFor)),
	}).SignedString(key)
}

// token returns one that is good for a while.
func (t *appTokens) token(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Until(t.until) > renewBefore {
		return t.now, nil
	}
	made, answer, err := t.client.Apps.CreateInstallationToken(ctx, t.Installation,
		&github.InstallationTokenOptions{Repositories: []string{t.repository}})
	switch {
	case answer != nil && answer.StatusCode == http.StatusNotFound:
		return "", fmt.Errorf("GitHub knows no installation %d of app %d; want the number that ends the address of "+
			"the app's settings at the organization", t.Installation, t.ID)
	case answer != nil && answer.StatusCode == http.StatusUnauthorized:
		return "", fmt.Errorf("GitHub does not take the key of app %d, or the clock of this machine is wrong", t.ID)
	case err != nil:
		return "", enough(err)
	}
	if t.OnToken != nil {
		t.OnToken(made.GetToken())
	}
	t.now, t.until = made.GetToken(), made.GetExpiresAt().Time
	return t.now, nil
}

// login is what the app's comments are by.
func (t *appTokens) login(ctx context.Context) (string, error) {
	app, _, err := t.client.Apps.Get(ctx, "")
	if err != nil {
		return "", enough(err)
	}
	return app.GetSlug() + "[bot]", nil
}
