package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"adsync/internal/testing/oracle"
)

var (
	errDead = errors.New("the process is dead")
	errCut  = errors.New("the connection was cut")
)

// pipes is a listener whose connections are pipes in this process.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func newPipes() *pipes { return &pipes{connections: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.connections <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// line is the way of one process to the service. It writes down every request,
// and it is where a process can die and a connection break.
type line struct {
	world   *world
	process *process
	carry   http.RoundTripper
	cut     cut
	sent    int
}

// cut breaks the connection at a request of a process, counted from 1; 0 never.
type cut struct {
	At    int
	After bool // the service has answered, and the answer is lost
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	if !l.process.effect() {
		return nil, errDead
	}
	l.world.beforeHand(r)
	knew := l.world.sent(l.process)
	how := l.process.worker.meets(r.Context(), "request "+r.Method+" "+r.URL.Path+" "+r.Header.Get("Idempotency-Key"))
	if !l.process.effect() {
		return nil, errDead
	}
	overdue := r.Context().Err()
	if overdue != nil && r.Method == http.MethodGet {
		return nil, overdue
	}
	if overdue != nil { // who was frozen writes first, and sees then how late it is
		how, r = cutAfter, r.WithContext(context.WithoutCancel(r.Context()))
	}
	note := l.world.note(l.process, r)
	note.Late, note.Knew = l.process.worker.late(), knew
	note.Forgotten = l.world.shared.lost(l.process.disk.markedAt(note))
	breaks := l.breaks()
	switch how {
	case cutBefore:
		l.world.answered(note, nil, nil, errCut)
		return nil, errCut
	case cutAfter:
		breaks, l.cut.After = true, true
	case diesAfter:
		defer l.process.die()
	}
	if breaks && !l.cut.After {
		l.world.answered(note, nil, nil, errCut)
		return nil, errCut
	}
	response, body, err := l.whole(r)
	if !l.process.effect() {
		return nil, errDead
	}
	if breaks {
		err = errCut
	}
	l.world.answered(note, response, body, err)
	if err != nil && (response == nil || breaks) {
		return nil, err
	}
	response.Body = &partly{bytes.NewReader(body), err}
	return response, nil
}

func (l *line) breaks() bool {
	l.world.mu.Lock()
	defer l.world.mu.Unlock()
	l.sent++
	if l.sent == l.cut.At {
		l.world.count("cut of the connection")
		return true
	}
	return false
}

// whole carries a request and reads its answer as far as it comes.
func (l *line) whole(r *http.Request) (*http.Response, []byte, error) {
	response, err := l.carry.RoundTrip(r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

// partly is a body that ends the way it came.
type partly struct {
	io.Reader
	err error
}

func (p *partly) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err == io.EOF && p.err != nil {
		err = p.err
	}
	return n, err
}

func (p *partly) Close() error { return nil }

// sent is how many requests have gone, where a process that shares its state has to wait for its turn.
func (w *world) sent(p *process) int {
	if p.worker == nil || p.worker.gate == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.history.Requests)
}

// note writes a request down as it goes on the line.
func (w *world) note(p *process, r *http.Request) *oracle.Request {
	var content []byte
	if r.Body != nil {
		content, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(content))
	}
	sum := sha256.Sum256(content)
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	n := &oracle.Request{
		At: time.Now(), Agent: p.agent, Process: p.number, Commit: p.commit, ReadOnly: p.readOnly,
		Method: r.Method, Path: path, Query: r.URL.RawQuery, Key: r.Header.Get("Idempotency-Key"),
		Body: hex.EncodeToString(sum[:]), Content: content,
		DryRun:     path == "/bulk_mutation_jobs" && bytes.Contains(content, []byte(`"validate_only":true`)),
		Credential: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
	}
	n.Journalled = p.disk.holds(n)
	n.Commit, n.Origin = p.disk.originOf(n)
	w.mu.Lock()
	defer w.mu.Unlock()
	n.N = len(w.history.Requests) + 1
	w.history.Requests = append(w.history.Requests, n)
	return n
}

func (w *world) answered(n *oracle.Request, response *http.Response, body []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n.Answered = time.Now()
	if response == nil {
		return
	}
	n.Status, n.Whole = response.StatusCode, err == nil && readable(response, body)
	w.conflicts(n, body)
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil &&
		(n.Status == 429 || n.Status >= 500) {
		n.RetryAfter = time.Duration(seconds) * time.Second
	}
}

// readable reports whether an answer of success is JSON to its end.
func readable(response *http.Response, body []byte) bool {
	return response.StatusCode >= 300 || bytes.HasSuffix(bytes.TrimSpace(body), []byte("}")) && bytes.Contains(body,
		[]byte(`"id"`)) || bytes.HasPrefix(body, []byte("{")) && bytes.HasSuffix(bytes.TrimSpace(body), []byte("}"))
}
