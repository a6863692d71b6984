package web

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// linesMost is how many connections are open at once: each takes a descriptor, and
// the runs of accounts need some too.
const linesMost = 512

// lines bounds the connections of a server. Where there are too many, the one goes
// that has waited longest for a request, so that who opens many and says nothing
// shuts nobody out.
type lines struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil while it is answered
	waiting list.List                  // those that are not, the longest first
}

// follow is the ConnState of a server.
func (l *lines) follow(c net.Conn, state http.ConnState) {
	if over := l.note(c, state); over != nil {
		_ = over.Close() // its own goroutine says so to follow
	}
}

// note takes a new state in, and gives a connection that is one too many.
func (l *lines) note(c net.Conn, state http.ConnState) (over net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.open[c]; at != nil {
		l.waiting.Remove(at)
	}
	switch state {
	case http.StateNew, http.StateIdle:
		l.open[c] = l.waiting.PushBack(c)
	case http.StateActive:
		l.open[c] = nil
	default:
		delete(l.open, c)
	}
	if len(l.open) <= l.most || l.waiting.Len() == 0 {
		return nil
	}
	over = l.waiting.Front().Value.(net.Conn)
	l.waiting.Remove(l.open[over])
	l.open[over] = nil // until it says that it is closed
	return over
}
