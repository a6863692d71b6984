package web

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// X13: nor does who says a request slowly, or the body of one that wants no token.
// Who has the token is let finish.
func TestX13ManySlowRequestsShutNobodyOut(t *testing.T) {
	for name, said := range map[string]string{
		"headers": "GET /heal",
		"a login": "POST /login HTTP/1.1\r\nHost: localhost\r\n" +
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nname=",
		"no token": "POST /api/v1/accounts/shoes/wake " +
			"HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := ask(t, nil)
				a.server.connsMost = 8
				listener := newPipes()
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- a.server.Serve(ctx, listener) }()
				var closed atomic.Int32
				open := func(said string, ended *atomic.Int32) net.Conn {
					c := listener.dial()
					go func() {
						_, _ = io.Copy(io.Discard, c)
						ended.Add(1)
					}()
					_, _ = io.WriteString(c, said) // one that is closed at once does not hear it
					synctest.Wait()
					return c
				}
				var mine atomic.Int32
				trusted := open("POST /api/v1/accounts/shoes/wake HTTP/1.1\r\nHost: localhost\r\n"+
					bearer+"\r\n"+jsonBody+"\r\nContent-Length: 12\r\n\r\n", &mine)
				for range 40 {
					open(said, &closed)
				}
				if n := closed.Load(); n < 40-8 {
					t.Errorf("%d of 40 were let go; want eight left at most", n)
				}
				newcomer := listener.dial()
				go io.WriteString(newcomer, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
				if answer, _ := io.ReadAll(newcomer); !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
					t.Errorf("a newcomer is answered %.40q; want it to have its turn", answer)
				}
				_, _ = io.WriteString(trusted, `{"by":"ann"}`)
				synctest.Wait()
				if mine.Load() > 0 || len(a.desk.woken) != 1 {
					t.Errorf("who has the token was let go, and ordered %v", a.desk.woken)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				trusted.Close()
			})
		})
	}
}
