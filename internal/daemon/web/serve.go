package web

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// How long a connection may take for what. A client that sends its headers or its
// body a byte at a time holds a connection no longer than this.
const (
	headerTime = 5 * time.Second
	bodyTime   = 60 * time.Second
	answerTime = 2 * time.Minute // what follows the events sets its own
	idleTime   = 2 * time.Minute
	headerMost = 32 << 10 // bytes
	partTime   = 5 * time.Second
)

// Bind takes the address that is to be answered.
func (s *Server) Bind() (net.Listener, error) { return net.Listen("tcp", s.Listen) }

// Serve answers on a listener until the context ends; then it takes no more,
// ends who follows the events, and waits a little for the others.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	open := &lines{most: s.linesMost, open: map[net.Conn]*list.Element{}}
	server := &http.Server{
		Handler: s, TLSConfig: s.TLS,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime,
		WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerMost,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
		ConnState:   open.follow,
		ConnContext: open.named,
	}
	ended := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			ended <- server.ServeTLS(listener, "", "")
			return
		}
		ended <- server.Serve(listener)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	parting, cancel := context.WithTimeout(context.WithoutCancel(ctx), partTime)
	defer cancel()
	if err := server.Shutdown(parting); err != nil {
		_ = server.Close() // who is left took too long
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
