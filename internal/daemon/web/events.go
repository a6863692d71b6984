package web

import (
	"encoding/json"
	"io"
	"net/http"
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
	events := h.desk.Events(r.Context())
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	allowed := h.rules()
	for more := send("retry: 5000\n\n"); more && h.rules() == allowed; { // who may what is another: ask again
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			more = send(": still here\n\n")
		case event, open := <-events:
			if !open {
				return
			}
			if account != "" && event.Account != account || !callerOf(r).may(roles.Viewer, event.Account) {
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
