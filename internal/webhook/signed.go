package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"adsync/internal/secret"
)

// event is what a delivery is about.
type event int

const (
	other event = iota
	ping
	push
	pull    // something about a pull request
	comment // on a pull request, or on something else
)

// events are those of GitHub, of Gitea, which gives them in the same form, and of GitLab.
var events = map[string]event{
	"push": push, "ping": ping, "pull_request": pull, "pull_request_review": pull, "pull_request_approved": pull,
	"pull_request_rejected": pull, "pull_request_comment": pull, "issue_comment": comment,
	"Push Hook": push, "Tag Push Hook": push, "Merge Request Hook": pull, "Note Hook": comment,
}

// delivery is what the headers of a request say.
type delivery struct {
	event event
	id    string // "" where there is none; of the service or, where that is not signed, of the body
}

// The longest id of a delivery that is kept. Both services send a UUID.
const longestID = 128

// signed says whether who sent a request knows the secret, by whichever form the
// request has, and what the request's headers say then.
func signed(key secret.Text, h http.Header, body []byte, now time.Time) (said delivery, ok bool) {
	switch {
	case h.Get("X-Hub-Signature-256") != "":
		said.event = events[h.Get("X-GitHub-Event")]
		ok = signedHub(key, h.Get("X-Hub-Signature-256"), body)
		if h.Get("X-GitHub-Delivery") != "" {
			said.id = sumOf(body)
		}
	case h.Get("Webhook-Signature") != "":
		said.event = events[h.Get("X-Gitlab-Event")]
		said.id, ok = h.Get("Webhook-Id"), signedStandard(key, h, body, now)
	case h.Get("X-Gitlab-Token") != "":
		said.event, said.id = events[h.Get("X-Gitlab-Event")], gitlabID(h)
		ok = sameText(h.Get("X-Gitlab-Token"), key.Reveal())
	}
	if len(said.id) > longestID {
		said.id = ""
	}
	return said, ok
}

// gitlabID is the same for every attempt at one delivery, where the service says it
// at all.
func gitlabID(h http.Header) string {
	for _, name := range []string{"Idempotency-Key", "X-Gitlab-Event-UUID", "X-Gitlab-Webhook-UUID"} {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// signedHub is the form of GitHub: `sha256=` and the HMAC of the body in hex.
func signedHub(key secret.Text, signature string, body []byte) bool {
	text, form := strings.CutPrefix(signature, "sha256=")
	have, err := hex.DecodeString(text)
	return form && err == nil && hmac.Equal(have, mac([]byte(key.Reveal()), body))
}

// signedStandard is the form of Standard Webhooks, which GitLab uses where the hook
// has a signing token: over id, time and body; the time must be about now.
func signedStandard(secret secret.Text, h http.Header, body []byte, now time.Time) bool {
	id, stamp := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if away := now.Sub(time.Unix(seconds, 0)); err != nil || away > clockSkew || away < -clockSkew {
		return false
	}
	content := append([]byte(id+"."+stamp+"."), body...)
	signed := false
	for _, key := range keysOf(secret) {
		want := mac(key, content)
		for _, one := range strings.Fields(h.Get("Webhook-Signature")) {
			text, form := strings.CutPrefix(one, "v1,")
			have, err := base64.StdEncoding.DecodeString(text)
			signed = form && err == nil && hmac.Equal(have, want) || signed
		}
	}
	return signed
}

// keysOf are the bytes a signing token stands for: it is base64 behind `whsec_`, or
// the text as it is.
func keysOf(secret secret.Text) [][]byte {
	keys := [][]byte{[]byte(secret.Reveal())}
	if text, marked := strings.CutPrefix(secret.Reveal(), "whsec_"); marked {
		if key, err := base64.StdEncoding.DecodeString(text); err == nil && len(key) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

func mac(key, content []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(content)
	return m.Sum(nil)
}

// sumOf tells bodies apart: no two events of GitHub or Gitea have the same.
func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// sameText compares in a time that says nothing of either, their length included.
func sameText(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
