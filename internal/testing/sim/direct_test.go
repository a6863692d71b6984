package sim

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// direct carries requests to a handler without a wire: a history that is not
// about the wire is cheaper so. What breaks a connection breaks it here too.
type direct struct{ handler http.Handler }

var errReset = errors.New("connection reset by the service")

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := &answer{header: http.Header{}, done: make(chan struct{})}
	go func() {
		defer close(answer.done)
		defer func() {
			if p := recover(); p != nil {
				answer.broken = true
			}
		}()
		d.handler.ServeHTTP(answer, r.WithContext(r.Context()))
	}()
	select {
	case <-answer.done:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if answer.broken && answer.status == 0 {
		return nil, errReset
	}
	return answer.response(r), nil
}

// answer is what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	broken bool // the handler gave up before the end
	done   chan struct{}
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *answer) Flush() {}

func (a *answer) response(r *http.Request) *http.Response {
	length, err := strconv.Atoi(a.header.Get("Content-Length"))
	body := &partly{Reader: &a.body}
	if a.broken || err == nil && length > a.body.Len() {
		body.err = io.ErrUnexpectedEOF
	}
	return &http.Response{
		Status: strconv.Itoa(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header.Clone(), Body: body, ContentLength: int64(a.body.Len()), Request: r,
	}
}
