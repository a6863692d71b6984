package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"adsync/internal/secret"
)

// How long is waited after the first attempt of a delivery: each wait is twice the
// one before, up to the longest. After so many attempts the log says that somebody
// is not told; it goes on being tried.
const (
	attempts    = 8
	firstWait   = 5 * time.Second
	longestWait = 10 * time.Minute
	oneAttempt  = 20 * time.Second
)

// refusal is an answer that another attempt cannot change, or when to come again.
type refusal struct {
	said  string
	after time.Duration
	final bool
	some  bool // who was left out is told nothing, the others were
}

func (r *refusal) Error() string { return r.said }

// deliver brings what waits to its destination. While that is away, what comes
// meanwhile goes along: a destination that is back gets the newest, once.
func (n *Notifier) deliver(ctx context.Context, p *post) {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		m := n.take(p)
		if m == nil {
			return // it no longer stands, or may not leave now
		}
		err := n.send(ctx, p, m)
		refused := new(refusal)
		_ = errors.As(err, &refused) // else it is none
		switch {
		case err == nil:
			n.done(p)
			return
		case ctx.Err() != nil:
			n.back(p)
			return // the next start has it
		case refused.final:
			n.o.Log.Error("notification not delivered",
				"account", n.account, "to", p.Name, "attempts", attempt, "error", err.Error())
			if refused.some {
				n.done(p)
				return
			}
			n.lose(p)
			return
		case attempt == attempts:
			n.o.Log.Error("notification not delivered yet; it is tried on",
				"account", n.account, "to", p.Name, "attempts", attempt, "every", longestWait, "error", err.Error())
		}
		n.back(p)
		if sleep(ctx, max(wait, min(refused.after, longestWait))) != nil {
			return
		}
		wait = min(2*wait, longestWait)
	}
}

func (n *Notifier) send(ctx context.Context, p *post, m *Message) error {
	ctx, cancel := context.WithTimeout(ctx, oneAttempt)
	defer cancel()
	return n.o.Send.Send(ctx, &p.Destination, m)
}

func sleep(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// network sends over the network.
type network struct{}

func (network) Send(ctx context.Context, to *Destination, m *Message) error {
	form, ok := forms[to.Form]
	if !ok {
		return &refusal{said: fmt.Sprintf("form is %q, which nobody reads", to.Form), final: true}
	}
	return form.send(ctx, to, m)
}

// sign returns `t=…,v1=…`: the moment in Unix seconds and the HMAC-SHA256 of the
// moment, a full stop and the body, in hex.
func sign(key secret.Text, at time.Time, body []byte) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// client follows no redirect: the message would go where nobody named.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func postJSON(ctx context.Context, to *Destination, body []byte, m *Message, header http.Header) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL.Reveal(), bytes.NewReader(body))
	if err != nil {
		return &refusal{said: "the address cannot be used", final: true}
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	return exchange(request)
}

// exchange sends a request, and wants an answer that says yes.
func exchange(request *http.Request) error {
	request.Header.Set("User-Agent", "adsync")
	response, err := client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // for the connection to be used again
	status := response.StatusCode
	if status >= 200 && status < 300 {
		return nil
	}
	again := status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
	return &refusal{
		said:  fmt.Sprintf("the answer was %d %s", status, http.StatusText(status)),
		after: after(response.Header.Get("Retry-After"), time.Now()), final: !again,
	}
}

// after reads a Retry-After: seconds, or a moment.
func after(header string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(seconds, 24*60*60)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return at.Sub(now)
	}
	return 0
}

// withoutAddress is an error without the address, which is a secret.
func withoutAddress(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// checkURL wants https, or http on this machine.
func checkURL(address secret.Text) error {
	u, err := url.Parse(address.Reveal())
	if err != nil || u.Host == "" || u.User != nil {
		return errors.New("its address cannot be read; want https://host/…")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !(u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())) {
		return fmt.Errorf("its address has the scheme %q; want https", u.Scheme)
	}
	return nil
}
