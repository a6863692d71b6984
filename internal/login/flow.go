package login

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/oauth2"
)

// answerPath is where the authorization server sends the person back to.
const answerPath = "/callback"

// Ask lets a person log in: show is told the address that the person opens, and the answer comes to a
// port of this machine, 0 for a free one. It waits until the context ends.
func (l *Login) Ask(ctx context.Context, port int, show func(address string)) (Tokens, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return Tokens{}, fmt.Errorf("listen for the answer: %w", err)
	}
	config := l.Server.config()
	config.RedirectURL = "http://" + listener.Addr().String() + answerPath
	d := &door{state: rand.Text(), answers: make(chan answer, 1)}
	server := &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with ErrServerClosed, by the function below
	}()
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(ending) != nil { // the page that says so may be on its way
			_ = server.Close()
		}
		<-done
	}()
	verifier := oauth2.GenerateVerifier()
	show(config.AuthCodeURL(d.state, oauth2.S256ChallengeOption(verifier)))
	select {
	case <-ctx.Done():
		return Tokens{}, context.Cause(ctx)
	case a := <-d.answers:
		if a.refused != "" {
			return Tokens{}, &RefusedError{a.refused}
		}
		return l.exchange(ctx, config, a.code, verifier)
	}
}

// exchange takes tokens for the code. A code is good once: it is never sent again.
func (l *Login) exchange(ctx context.Context, config *oauth2.Config, code, verifier string) (Tokens, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, client(l.Transport))
	answer, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		_, judged := judge(err)
		return Tokens{}, fmt.Errorf("take tokens for the code: %w", judged)
	}
	t := l.Server.issued(answer, l.Now(), l.Server.Scopes)
	l.tell(t)
	return t, nil
}

// answer is what the authorization server sends the person back with.
type answer struct{ code, refused string }

// door takes one answer that carries the state of this login; others are turned away, and it goes on.
type door struct {
	state   string
	answers chan answer
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	q := r.URL.Query()
	a := answer{code: q.Get("code"), refused: q.Get("error")}
	switch {
	case r.Method != http.MethodGet || r.URL.Path != answerPath:
		http.NotFound(w, r)
		return
	case subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(d.state)) != 1:
		http.Error(w, "This is not the answer that adsync login waits for.", http.StatusBadRequest)
		return
	case a.refused == "" && a.code == "":
		http.Error(w, "The answer has no code.", http.StatusBadRequest)
		return
	case a.refused != "" && !errorCode.MatchString(a.refused):
		a.refused = "an error without a code of RFC 6749"
	}
	select {
	case d.answers <- a:
	default: // one came before
	}
	text := "adsync has the answer. You may close this page."
	if a.refused != "" {
		text = "adsync was not let in. You may close this page."
	}
	fmt.Fprintln(w, text)
}
