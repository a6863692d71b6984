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
	perMinute = 60      // pushes that may have moved the branch of one account, bursts included
	ofOthers  = 10      // of all else that is signed right: whoever may open a pull request has it sent
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
	pushes tokens // to the branch
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
	status, wakes := r.receive(account, req)
	if wakes || r.worthALine() {
		r.log.Info("webhook", "known", r.hooks[account] != nil, "status", status)
	}
	if wakes {
		r.wake(account)
	}
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, http.StatusText(status)+"\n") // and no more: who it is is not known
}

// worthALine bounds what can be had written without waking an account.
func (r *Receiver) worthALine() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.strangers.take(r.now(), perMinute)
}

// receive returns the status of the answer, and whether the account is woken. What is not signed right is 401, whatever
// else is wrong with it; only what is signed right counts for the bounds of an account, so that no stranger can use
// them up, or learn by them which accounts there are.
func (r *Receiver) receive(account string, req *http.Request) (status int, wakes bool) {
	if req.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, false
	}
	hook := r.hooks[account]
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody+1))
	if err != nil {
		return http.StatusBadRequest, false
	}
	if len(body) > maxBody {
		return http.StatusRequestEntityTooLarge, false
	}
	if hook == nil {
		signed(r.decoy, req.Header, body, r.now())
		return http.StatusUnauthorized, false
	}
	said, known := signed(hook.Secret, req.Header, body, r.now())
	if !known {
		return http.StatusUnauthorized, false
	}
	return hook.heard(said, body, r.now())
}

// heard takes a request that is signed right.
func (h *watched) heard(said delivery, body []byte, now time.Time) (status int, wakes bool) {
	ref, err := refOf(said.event, body)
	wakes = err == nil && ref != "" && h.about(ref)
	before, admitted := h.admit(said, wakes, now)
	switch {
	case before:
		return http.StatusAccepted, false
	case !admitted:
		return http.StatusTooManyRequests, false
	case said.id == "": // a repetition could not be told
		return http.StatusBadRequest, false
	case said.event == ping:
		return http.StatusOK, false
	case err != nil && !errors.Is(err, errNoPull):
		return http.StatusBadRequest, false
	}
	return http.StatusAccepted, wakes
}

// anyRef is the branch of a comment on a pull request whose branch GitHub does not say.
const anyRef = "*"

var (
	errNoPull = errors.New("a comment on something else than a pull request")
	errNoRef  = errors.New("no branch")
)

// refOf is the branch or tag that was pushed to, or that a pull request goes into; "" of what is neither. Nothing else
// of the body is read: who is woken asks what is there.
func refOf(of event, body []byte) (string, error) {
	type target struct {
		Branch string `json:"target_branch"`
	}
	if of == ping || of == other {
		return "", nil
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

// admit reports whether a request came before, or is one too many. What came before is not counted, and neither it nor
// anything else takes a push to the branch its place.
func (h *watched) admit(said delivery, wakes bool, now time.Time) (before, admitted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen.has(said.id, now) {
		return true, false
	}
	if wakes && said.event == push {
		admitted = h.pushes.take(now, perMinute)
	} else {
		admitted = h.others.take(now, ofOthers)
	}
	if admitted && said.id != "" {
		h.seen.add(said.id, now)
	}
	return false, admitted
}
