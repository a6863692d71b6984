package emulator

import (
	"net/http"
	"sync"
	"time"

	"adsync/internal/emulator/service"
)

// RequestEntry is one line of the request log.
type RequestEntry struct {
	At        time.Time `json:"at"`
	RequestID string    `json:"request_id"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	AccountID string    `json:"account_id"`
	Actor     string    `json:"actor"`
	Key       string    `json:"idempotency_key"`
	Status    int       `json:"status"` // 0: the connection was dropped
	Bytes     int       `json:"bytes"`
}

func (rp *replier) entry(w http.ResponseWriter, r *http.Request, c *service.Call, resp service.Response) RequestEntry {
	e := RequestEntry{
		At: rp.clock.Now().UTC(), RequestID: w.Header().Get("X-Request-Id"),
		Method: r.Method, Path: r.URL.RequestURI(), Status: resp.Status, Bytes: len(resp.Body),
	}
	if resp.Drop {
		e.Status = 0
	}
	if c != nil {
		e.AccountID, e.Actor, e.Key = c.Principal.AccountID, c.Principal.Actor, c.Key
	}
	return e
}

// requestLog keeps the last requests, oldest first.
type requestLog struct {
	mu   sync.Mutex
	last []RequestEntry
}

const keptRequests = 1000

func (l *requestLog) add(e RequestEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) >= 2*keptRequests {
		l.last = append([]RequestEntry(nil), l.last[len(l.last)-keptRequests:]...)
	}
	l.last = append(l.last, e)
}

// all returns the last requests, oldest first, at most 1,000.
func (l *requestLog) all() []RequestEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]RequestEntry{}, l.last[max(0, len(l.last)-keptRequests):]...)
}

// Requests returns the last requests, oldest first, at most 1,000.
func (s *Server) Requests() []RequestEntry { return s.requests.all() }

func (c *controls) showRequests(*http.Request) (any, error) {
	return map[string]any{"object": "list", "data": c.requests.all()}, nil
}
