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

func (s *Server) entry(w http.ResponseWriter, r *http.Request, c *service.Call, resp service.Response) RequestEntry {
	e := RequestEntry{
		At: s.world.Clock.Now().UTC(), RequestID: w.Header().Get("X-Request-Id"),
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

// Requests are the last requests, oldest first, at most 1,000.
func (s *Server) Requests() []RequestEntry {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	last := s.requests.last
	return append([]RequestEntry{}, last[max(0, len(last)-keptRequests):]...)
}

func (s *Server) showRequests(*http.Request) (any, error) {
	return map[string]any{"object": "list", "data": s.Requests()}, nil
}
