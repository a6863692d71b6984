package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// edge is where, beside a request, a process is killed.
type edge string

const (
	beforeArrival edge = "before it arrives" // the service never sees it
	beforeAnswer  edge = "before its answer" // the service has acted
	afterAnswer   edge = "after its answer"  // and a moment of the agent's own work later
	onItsWay      edge = "on its way"        // it arrives a while after: for who stops a process
)

// moment is when a process is killed: at its nth request, counted from its
// first, or from the first that changes something.
type moment struct {
	n         int
	changing  bool
	edge      edge
	afterward time.Duration // at afterAnswer and onItsWay
}

// drawMoment spreads the kills over the requests a run may make. What a run does
// on its own between two requests is to write its journal.
func drawMoment(random *rand.Rand) moment {
	m := moment{
		n: random.IntN(14), changing: true,
		edge: []edge{beforeArrival, beforeAnswer, afterAnswer, afterAnswer}[random.IntN(4)],
	}
	if random.IntN(10) == 0 {
		m.n, m.changing = random.IntN(20), false
	}
	m.afterward = time.Duration(random.Int64N(int64(4 * time.Millisecond)))
	return m
}

// executioner stands before an emulator and kills the process that speaks to it.
type executioner struct {
	emulator http.Handler
	strike   func(*os.Process) error // what is done to it; nil: it is killed

	mu       sync.Mutex
	pid      int         // who speaks
	process  *os.Process // nil: nobody is to die
	at       moment
	requests int
	changing int
}

// start starts a process that is killed at a moment.
func (e *executioner) start(c *exec.Cmd, at moment) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := c.Start()
	e.process, e.at, e.requests, e.changing = c.Process, at, 0, 0
	if err == nil {
		e.pid = c.Process.Pid
	}
	return err
}

// speaks is the id of the process that was started.
func (e *executioner) speaks() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pid
}

// spare lets everybody live; it says whether anything was changed since start.
func (e *executioner) spare() (changed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.process = nil
	return e.changing > 0
}

// struck returns the process that is to be killed at this request, or nil.
func (e *executioner) struck(r *http.Request, body []byte) (*os.Process, moment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.process == nil || !strings.HasPrefix(r.URL.Path, "/v1/") {
		return nil, moment{}
	}
	if couldChange(r, body) || e.changing > 0 {
		e.changing++
	}
	e.requests++
	n := e.requests
	if e.at.changing {
		n = e.changing
	}
	here := n-1 == e.at.n
	if e.at.edge == onItsWay { // what changes something that is seen
		here = n > e.at.n && couldChange(r, body) && r.URL.Path != "/v1/upload"
	}
	if !here {
		return nil, moment{}
	}
	process := e.process
	e.process = nil
	return process, e.at
}

// couldChange reports whether a request could change something.
func couldChange(r *http.Request, body []byte) bool {
	return r.Method != http.MethodGet && !bytes.Contains(body, []byte(`"validate_only":true`))
}

func (e *executioner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever spoke is dead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	condemned, at := e.struck(r, body)
	if condemned == nil {
		e.emulator.ServeHTTP(w, r)
		return
	}
	strike := e.strike
	if strike == nil {
		strike = (*os.Process).Kill
	}
	switch at.edge {
	case beforeArrival:
		_ = strike(condemned)
		panic(http.ErrAbortHandler)
	case beforeAnswer:
		e.emulator.ServeHTTP(httptest.NewRecorder(), r)
		_ = strike(condemned)
		panic(http.ErrAbortHandler)
	case onItsWay:
		_ = strike(condemned)
		time.Sleep(at.afterward) // another process works meanwhile
		e.emulator.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
		return
	}
	e.emulator.ServeHTTP(w, r)
	time.AfterFunc(at.afterward, func() { _ = strike(condemned) })
}
