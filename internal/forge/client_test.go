package forge_test

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"adsync/internal/forge"
	"adsync/internal/testing/githubtest"
)

// tapped is a listener whose lines somebody listens to.
type tapped struct {
	net.Listener
	mu    sync.Mutex
	heard bytes.Buffer
}

func (l *tapped) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &tap{c, l}, err
}

type tap struct {
	net.Conn
	to *tapped
}

func (c *tap) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.to.mu.Lock()
	defer c.to.mu.Unlock()
	c.to.heard.Write(into[:n])
	return n, err
}

// A redirect to the same host without encryption is not followed: whoever listens would have the token.
func TestATokenIsNeverSentInClear(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	line := &tapped{Listener: server.Listener}
	server.Listener = line
	server.StartTLS()
	defer server.Close()
	usual := http.DefaultTransport
	defer func() { http.DefaultTransport = usual }()
	http.DefaultTransport = server.Client().Transport // it knows the certificate

	g, err := forge.NewGitHub(forge.Where{Repository: "acme/ads", API: server.URL, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Open(t.Context(), "main"); err == nil {
		t.Error("a redirect without encryption is followed; want an error")
	}
	line.mu.Lock()
	defer line.mu.Unlock()
	if line.heard.Len() == 0 || bytes.Contains(line.heard.Bytes(), []byte(githubtest.Token)) {
		t.Errorf("%d bytes are heard; want some, without the token in clear", line.heard.Len())
	}
}
