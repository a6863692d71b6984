package forge_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/forge"
	"adsync/internal/testing/githubtest"
)

// appOf makes an app of GitHub, and its key as GitHub gives it.
func appOf(t *testing.T, lasts time.Duration) (*githubtest.App, string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return &githubtest.App{ID: 4711, Installation: 815, Key: &key.PublicKey, Lasts: lasts, Slug: "adsync-of-acme"},
		string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// asApp is the repository as an app reaches it; told are the tokens that were said to be secret.
func asApp(t *testing.T, s *githubtest.Server, installation int64, key string, told *[]string) *forge.GitHub {
	t.Helper()
	g, err := forge.NewGitHub(forge.Where{Repository: "acme/ads", API: s.URL, App: &forge.App{
		ID: 4711, Installation: installation,
		Key:     func(context.Context) (string, error) { return key, nil },
		OnToken: func(token string) { *told = append(*told, token) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// An app asks for a token of its installation, uses it while it is good, and makes another before its end. Its comments
// are known by its name, and another program's are not taken for its own.
func TestAnAppMakesItsTokens(t *testing.T) {
	for _, row := range []struct {
		name  string
		lasts time.Duration
		made  int
	}{
		{"of an hour", time.Hour, 1},
		{"that end within minutes", 4 * time.Minute, 4}, // one a request
	} {
		s := githubtest.Start(t)
		var key string
		s.App, key = appOf(t, row.lasts)
		s.Set(githubtest.Pull{Number: 7, Head: strings.Repeat("a", 40), Base: "main", Author: "ann"})
		s.Comment(githubtest.Comment{Pull: 7, By: "other[bot]", Bot: true, Body: "<!-- mark -->\nnot adsync's"})
		var told []string
		g := asApp(t, s, 815, key, &told)
		if _, err := g.Open(t.Context(), "main"); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if _, err := g.Say(t.Context(), 7, "", "<!-- mark -->\nthe plan"); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		comments := s.Comments(7)
		if len(comments) != 2 || comments[1].By != "adsync-of-acme[bot]" ||
			comments[0].Body != "<!-- mark -->\nnot adsync's" {
			t.Errorf("%s: comments are %+v", row.name, comments)
		}
		_, err := g.Say(t.Context(), 7, "", "<!-- mark -->\nthe plan of now")
		if err != nil || len(s.Comments(7)) != 2 {
			t.Errorf("%s: the comment is not found again: %v, %+v", row.name, err, s.Comments(7))
		}
		if s.App.Made() < row.made || row.made == 1 && s.App.Made() != 1 {
			t.Errorf("%s: %d tokens; want %d", row.name, s.App.Made(), row.made)
		}
		if len(told) != s.App.Made() || slices.Contains(told, "") {
			t.Errorf("%s: %d of %d tokens are known to be secret", row.name, len(told), s.App.Made())
		}
	}
}

func TestAnAppThatIsNotLetIn(t *testing.T) {
	for _, row := range []struct {
		name         string
		installation int64
		key          func(right string) string
		want         string
	}{
		{"another's key", 815, func(string) string { return otherKey(t) }, "does not take the key of app 4711"},
		{"no key", 815, func(string) string { return "secret-word" }, "the key of the app cannot be read"},
		{"another installation", 816, func(right string) string { return right }, "knows no installation 816"},
	} {
		s := githubtest.Start(t)
		var key string
		s.App, key = appOf(t, time.Hour)
		var told []string
		_, err := asApp(t, s, row.installation, row.key(key), &told).Open(t.Context(), "main")
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: %v; want %q", row.name, err, row.want)
		}
	}
}

func otherKey(t *testing.T) string {
	_, key := appOf(t, time.Hour)
	return key
}
