// Package webhook hears of pushes to a git repository, and of its pull requests: the forms of GitHub, of Gitea and of
// GitLab, each signed with a secret of the account it wakes.
//
// It refuses to believe what a push says: a request that is signed right wakes the
// account, which then looks for itself. Its one invariant: who does not know the
// secret learns nothing, changes nothing, and costs little.
package webhook

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"adsync/internal/secret"
)

// The bounds of what is taken.
const (
	maxBody   = 1 << 20 // bytes; what is larger is no push anybody needs
	perMinute = 60      // requests of one account, signed right, that are looked at, bursts included
	ofOthers  = 10      // of those, what is no push: whoever may open a pull request has it sent
	remember  = 24 * time.Hour
	mostIDs   = 10_000 // of deliveries, an account
	clockSkew = 5 * time.Minute
)

// Hook is what wakes one account.
type Hook struct {
	Secret secret.Text // what both sides know
	Branch string      // only pushes to this branch or tag wake it, by its short or its full name; "" all
}

// Receiver is the handler of pushes. The last part of a request's path is the name
// of the account.
type Receiver struct {
	hooks map[string]*watched
	wake  func(account string)
	now   func() time.Time
	log   *slog.Logger
	decoy secret.Text // checked where there is no such account, so that nobody can tell

	mu        sync.Mutex
	strangers tokens // lines of the log, for what is not signed right
}

// watched is one account with what it has heard.
type watched struct {
	Hook
	mu     sync.Mutex
	seen   seen
	pushes tokens
	others tokens
}

// New makes the handler of some accounts. wake must not block; it is told of every
// push that may have moved the branch.
func New(hooks map[string]Hook, wake func(account string), now func() time.Time, log *slog.Logger) (*Receiver, error) {
	r := &Receiver{hooks: map[string]*watched{}, wake: wake, now: now, log: log, decoy: secret.New(rand.Text())}
	for account, hook := range hooks {
		if err := CheckSecret(hook.Secret); err != nil {
			return nil, fmt.Errorf("%s: %w", account, err)
		}
		r.hooks[account] = &watched{Hook: hook}
	}
	return r, nil
}

// CheckSecret refuses a secret that could be guessed.
func CheckSecret(s secret.Text) error {
	if len(s.Reveal()) < 16 {
		return errors.New("the webhook's secret is shorter than 16 characters; want a random one")
	}
	return nil
}

func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	account := req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]
	status := r.receive(account, req)
	if status == http.StatusAccepted || status == http.StatusOK || r.worthALine() {
		r.log.Info("webhook", "known", r.hooks[account] != nil, "status", status)
	}
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, http.StatusText(status)+"\n") // and no more: who it is is not known
}

// worthALine bounds what strangers can have written.
func (r *Receiver) worthALine() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.strangers.take(r.now(), perMinute)
}

// receive returns the status of the answer. What is not signed right is 401, whatever
// else is wrong with it; only what is signed right counts for the bound of an
// account, so that no stranger can use it up, or learn by it which accounts there are.
func (r *Receiver) receive(account string, req *http.Request) int {
	if req.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	hook := r.hooks[account]
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err != nil {
		return http.StatusBadRequest
	}
	if len(body) > maxBody {
		return http.StatusRequestEntityTooLarge
	}
	if hook == nil {
		signed(r.decoy, req.Header, body, r.now())
		return http.StatusUnauthorized
	}
	said, known := signed(hook.Secret, req.Header, body, r.now())
	switch {
	case !known:
		return http.StatusUnauthorized
	case !hook.admit(said.event, r.now()):
		return http.StatusTooManyRequests
	}
	return r.heard(account, hook, said, body)
}

// heard takes a request that is signed right.
func (r *Receiver) heard(account string, hook *watched, said delivery, body []byte) int {
	switch {
	case said.id == "":
		return http.StatusBadRequest // a repetition could not be told
	case said.event == ping:
		return http.StatusOK
	case said.event == other:
		return http.StatusAccepted
	}
	ref, err := refOf(said.event, body)
	switch {
	case errors.Is(err, errNoPull):
		return http.StatusAccepted
	case err != nil:
		return http.StatusBadRequest
	case !hook.fresh(said.id, r.now()): // it came before
		return http.StatusAccepted
	case !hook.about(ref):
		return http.StatusAccepted
	}
	r.wake(account)
	return http.StatusAccepted
}

// anyRef is the branch of a comment on a pull request whose branch GitHub does not say.
const anyRef = "*"

var (
	errNoPull = errors.New("a comment on something else than a pull request")
	errNoRef  = errors.New("no branch")
)

// refOf is the branch or tag that was pushed to, or that a pull request goes into. Nothing else of the body is read:
// who is woken asks what is there.
func refOf(of event, body []byte) (string, error) {
	type target struct {
		Branch string `json:"target_branch"`
	}
	var told struct {
		Ref         string `json:"ref"`
		PullRequest struct {
			Base struct {
				Ref string `json:"ref"`
			} `json:"base"`
		} `json:"pull_request"`
		Attributes   target `json:"object_attributes"` // of a merge request
		MergeRequest target `json:"merge_request"`     // of a note
		Issue        struct {
			PullRequest *struct{} `json:"pull_request"`
		} `json:"issue"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return "", err
	}
	ref := told.Ref
	switch of {
	case pull:
		ref = cmp.Or(told.PullRequest.Base.Ref, told.Attributes.Branch)
	case comment:
		ref = cmp.Or(told.PullRequest.Base.Ref, told.MergeRequest.Branch)
		if ref == "" && told.Issue.PullRequest == nil {
			return "", errNoPull
		}
		ref = cmp.Or(ref, anyRef)
	}
	if ref == "" {
		return "", errNoRef
	}
	return ref, nil
}

// about reports whether a push of a ref may have moved what is watched, which its
// configuration names short or in full.
func (h Hook) about(ref string) bool {
	return h.Branch == "" || ref == anyRef ||
		ref == h.Branch || ref == "refs/heads/"+h.Branch || ref == "refs/tags/"+h.Branch
}

// admit reports whether a request is looked at. Others take no push its place.
func (h *watched) admit(of event, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if of != push {
		return h.others.take(now, ofOthers)
	}
	return h.pushes.take(now, perMinute)
}

func (h *watched) fresh(id string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen.first(id, now)
}
