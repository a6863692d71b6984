package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
)

// How many follow the events at once, how often a line says that the stream is
// still there, and how long who follows may take to read one.
const (
	watchersMost = 64
	heartbeat    = 15 * time.Second
	eventTime    = 10 * time.Second
)

// events lets programs and pages follow what happens.
type events struct {
	*replies
	watching chan struct{} // a place for each who follows
}

func (h *events) routes() []route { return []route{{"GET", "/api/v1/events", somebody, h.getEvents}} }

// getEvents writes what happens as it happens, as server-sent events. Who was
// away reads the account again: nothing is told twice.
func (h *events) getEvents(w http.ResponseWriter, r *http.Request) {
	account := r.URL.Query().Get("account")
	if account != "" {
		_, err := h.desk.Account(r.Context(), account)
		if !callerOf(r).may(roles.Viewer, account) {
			err = daemon.ErrNoAccount
		}
		if err != nil {
			h.refuse(w, r, h.problemOf(err))
			return
		}
	}
	if r.Method == http.MethodHead { // there is no stream to follow
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	select {
	case h.watching <- struct{}{}:
		defer func() { <-h.watching }()
	default:
		w.Header().Set("Retry-After", "30")
		h.refuse(w, r, problem{http.StatusServiceUnavailable, "busy", "too many follow the events; try again later"})
		return
	}
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies hold nothing back
	send := func(text string) bool {
		_ = stream.SetWriteDeadline(time.Now().Add(eventTime))
		if _, err := io.WriteString(w, text); err != nil {
			return false
		}
		return stream.Flush() == nil
	}
	c := callerOf(r)
	ctx, leave := h.streams.follow(r.Context(), c.session)
	defer leave()
	events := h.desk.Events(ctx)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	allowed := h.rules()
	for more := send("retry: 5000\n\n"); more && h.rules() == allowed; { // who may what is another: ask again
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			more = h.lives(ctx, c.session) && send(": still here\n\n")
		case event, open := <-events:
			if !open {
				return
			}
			if account != "" && event.Account != account || !c.may(roles.Viewer, event.Account) {
				continue
			}
			line, err := json.Marshal(event)
			if err != nil {
				h.Log.Error("an event cannot be written", "error", err)
				continue
			}
			more = send("event: " + kindOf(event.Kind) + "\ndata: " + planview.Visible(string(line)) + "\n\n")
		}
	}
}

// kindOf keeps the kind of an event on its line.
func kindOf(kind string) string { return shown.Text(kind, 40) }

// lives reports whether a session goes on, as far as it is known: another daemon may have ended it.
func (h *events) lives(ctx context.Context, s *session) bool {
	if s == nil {
		return true
	}
	text, err := h.Sessions.Of(ctx, s.hash)
	return err != nil || text != ""
}

// streams are those that sessions follow.
type streams struct {
	mu   sync.Mutex
	open map[[sha256.Size]byte]map[*context.CancelFunc]bool
}

// follow returns a context that ends with a session, where there is one. Whoever followed leaves.
func (s *streams) follow(ctx context.Context, of *session) (following context.Context, leave func()) {
	following, cancel := context.WithCancel(ctx)
	if of == nil {
		return following, cancel
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[[sha256.Size]byte]map[*context.CancelFunc]bool{}
	}
	if s.open[of.hash] == nil {
		s.open[of.hash] = map[*context.CancelFunc]bool{}
	}
	s.open[of.hash][&cancel] = true
	return following, func() { s.left(of.hash, &cancel) }
}

func (s *streams) left(hash [sha256.Size]byte, cancel *context.CancelFunc) {
	(*cancel)()
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.open[hash], cancel); len(s.open[hash]) == 0 {
		delete(s.open, hash)
	}
}

// end ends all that a session follows.
func (s *streams) end(hash [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for cancel := range s.open[hash] {
		(*cancel)()
	}
}
