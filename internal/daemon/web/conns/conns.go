// Package conns bounds how many connections a server has open at once.
//
// It refuses to close one whose sender gave the token while that is answered. Its invariant: there are never more than
// the bound, but for those.
package conns

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// Usual is how many connections are open at once: each takes a descriptor, and the runs of accounts need some too.
const Usual = 512

// Bound bounds the connections of a server. Where there are too many, the one goes
// that has waited longest: for a request, or for the end of one whose sender has not
// given the token. So who opens many and says nothing, or says or hears it slowly,
// shuts nobody out.
type Bound struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil while who gave the token is answered
	waiting list.List                  // the others, the longest first
}

// To returns a bound of that many.
func To(most int) *Bound { return &Bound{most: most, open: map[net.Conn]*list.Element{}} }

// Follow is the ConnState of a server.
func (l *Bound) Follow(c net.Conn, state http.ConnState) {
	if over := l.note(c, state); over != nil {
		_ = over.Close() // its own goroutine says so to follow
	}
}

// note takes a new state in, and gives a connection that is one too many.
func (l *Bound) note(c net.Conn, state http.ConnState) (over net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.open[c]; at != nil {
		l.waiting.Remove(at)
	}
	switch state {
	case http.StateNew, http.StateIdle, http.StateActive:
		l.open[c] = l.waiting.PushBack(c)
	default:
		delete(l.open, c)
	}
	if len(l.open) <= l.most || l.waiting.Len() == 0 {
		return nil
	}
	over = l.waiting.Front().Value.(net.Conn)
	l.drop(over)
	return over
}

// drop has a connection wait no more. mu is held.
func (l *Bound) drop(c net.Conn) {
	if at := l.open[c]; at != nil {
		l.waiting.Remove(at)
		l.open[c] = nil
	}
}

type key struct{}

// held is a connection, as its requests know it.
type held struct {
	of *Bound
	c  net.Conn
}

// Named is the ConnContext of a server.
func (l *Bound) Named(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, key{}, held{l, c})
}

// Keep keeps the connection of a request until that is answered: its sender gave the token.
func Keep(request context.Context) {
	at, ok := request.Value(key{}).(held)
	if !ok {
		return
	}
	at.of.mu.Lock()
	defer at.of.mu.Unlock()
	at.of.drop(at.c)
}
