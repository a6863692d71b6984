package adsapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var create = Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{"name":"n"}`)}

// hijack returns the raw connection, after the request was read.
func hijack(w http.ResponseWriter, talk func(net.Conn)) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	talk(conn)
	_ = conn.Close()
}

// N1: nothing listens; nothing was sent.
func TestConnectionRefused(t *testing.T) {
	c, server := serving(t, nil)
	server.Close()
	_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns"})
	e := asError(t, err)
	if e.Applied() != Never || !errors.Is(err, ErrUnavailable) || e.Attempts != 3 {
		t.Fatalf("Mutate = %v, applied %s, %d attempts; want never, 3", err, e.Applied(), e.Attempts)
	}
}

// N1: a name that does not resolve.
func TestUnknownHost(t *testing.T) {
	c, _ := serving(t, nil, func(cfg *Config) {
		cfg.BaseURL = "https://ads.invalid/v1"
		cfg.Transport = &http.Transport{
			DialContext: (&net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: refuseDial}}).DialContext,
		}
	})
	_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns"})
	if AppliedOf(err) != Never || !errors.Is(err, ErrUnavailable) {
		t.Fatalf("Mutate = %v, applied %s; want unavailable, never", err, AppliedOf(err))
	}
}

func refuseDial(context.Context, string, string) (net.Conn, error) { return nil, syscall.ECONNREFUSED }

// N2, N3, N4, N15: answers that break off. Each row is unknown, and the
// service sees the same bytes and key again.
func TestBrokenAnswers(t *testing.T) {
	for name, talk := range map[string]func(net.Conn){
		"closed without an answer": func(net.Conn) {},
		"reset":                    func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
		"cut in the head":          func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Ty") },
		"cut in the body": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"+
				`{"id":"c1"}`)
		},
		"cut without a length": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+`{"id":"c1","name":"`)
		},
		"a chunk that breaks off": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: "+
				"application/json\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n"+`{"id":"c1"}`+"\r\nzz\r\n")
		},
		"a length that is too short": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 "+
				"OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n"+`{"id":"c1"}`)
		},
		"gzip that is none": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n"+
				"Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 11\r\n\r\n"+`{"id":"c1"}`)
		},
		"not HTTP": func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example ESMTP\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			var count atomic.Int32
			c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if string(body) != string(create.Body) || r.Header.Get("Idempotency-Key") != "k" {
					t.Errorf("attempt with body %q and key %q", body, r.Header.Get("Idempotency-Key"))
				}
				count.Add(1)
				hijack(w, talk)
			})
			_, err := c.Mutate(t.Context(), create)
			if !errors.Is(err, ErrUnavailable) || AppliedOf(err) != Unknown || count.Load() != 3 {
				t.Fatalf("Mutate = %v, applied %s, sent %d times; want unknown after 3",
					err, AppliedOf(err), count.Load())
			}
		})
	}
}

// N3: the service did it and the answer is lost; the same key finds it.
func TestLostAnswerIsFoundAgain(t *testing.T) {
	made := map[string]int{}
	c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if made[key]++; made[key] == 1 {
			hijack(w, func(net.Conn) {})
			return
		}
		respond(w, 200, `{"id":"c1"}`)
	})
	record, err := c.Mutate(t.Context(), create)
	if err != nil || record.ID != "c1" || len(made) != 1 {
		t.Fatalf("Mutate = %+v, %v with keys %v; want c1 under one key", record, err, made)
	}
}

// N14: an answer that drips, or never ends, is bounded in time and in bytes.
func TestSlowAndEndlessAnswers(t *testing.T) {
	drip := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			<-time.After(5 * time.Millisecond)
		}
	}
	c, _ := serving(t, drip, func(cfg *Config) { cfg.RequestTimeout = 50 * time.Millisecond })
	_, err := c.Mutate(t.Context(), create)
	if !errors.Is(err, ErrUnavailable) || AppliedOf(err) != Unknown ||
		!strings.Contains(err.Error(), "no whole answer within 50ms") {
		t.Errorf("a dripping answer: %v; want a timeout, unknown", err)
	}

	for _, status := range []int{200, 400} {
		var written atomic.Int64
		flood := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			for chunk := bytes.Repeat([]byte(" "), 1<<16); ; written.Add(1 << 16) {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}
		c, _ = serving(t, flood, func(cfg *Config) { cfg.MaxBody = 1 << 20 })
		_, err = c.Mutate(t.Context(), create)
		if err == nil || asError(t, err).Status != status ||
			errors.Is(err, ErrUnreadable) != (status == 200) || asError(t, err).Attempts != 1 {
			t.Errorf("an endless answer %d: %v; want one attempt, and a success is unreadable", status, err)
		}
		if written.Load() > 64<<20 {
			t.Errorf("%d bytes were read of an endless answer %d", written.Load(), status)
		}
	}
}

// N15: a small compressed answer that is large.
func TestGzipBomb(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(bytes.Repeat([]byte(" "), 32<<20))
	_, _ = io.WriteString(z, `{"id":"c1"}`)
	_ = z.Close()
	handler := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bomb.Bytes())
	}
	c, _ := serving(t, handler, func(cfg *Config) { cfg.MaxBody = 1 << 20 })
	if _, err := c.Mutate(t.Context(), create); !errors.Is(err, ErrUnreadable) || AppliedOf(err) != Unknown {
		t.Fatalf("a gzip bomb of %d bytes: %v; want unreadable", bomb.Len(), err)
	}
	c, _ = serving(t, handler)
	if record, err := c.Mutate(t.Context(), create); err != nil || record.ID != "c1" {
		t.Fatalf("the same answer within the bound: %v; want c1", err)
	}
}

// N16: a redirect is not followed, to another host or another scheme.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var stolen atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stolen.Add(1)
		respond(w, 200, `{"id":"c1"}`)
	}))
	defer thief.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL+"/v1/campaigns", code)
		})
		_, err := c.Mutate(t.Context(), create)
		if err == nil || asError(t, err).Status != code ||
			AppliedOf(err) != Unknown || !strings.Contains(err.Error(), "redirects are not followed") {
			t.Errorf("Mutate answered %d = %v; want an error that says so", code, err)
		}
		if _, err := c.Read(t.Context(), "campaigns", "c1", nil); err == nil || asError(t, err).Status != code {
			t.Errorf("Read answered %d = %v; want an error", code, err)
		}
	}
	if stolen.Load() != 0 {
		t.Fatalf("%d requests followed a redirect", stolen.Load())
	}
}

// N5: what answers is not the service.
func TestAnswerOfAProxy(t *testing.T) {
	for kind, body := range map[string]string{
		"text/html":                "<html>please log in</html>",
		"text/plain; charset=utf8": `{"id":"c1"}`,
		"application/octet-stream": `{"id":"c1"}`,
	} {
		c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		})
		if _, err := c.Mutate(t.Context(), create); !errors.Is(err, ErrUnreadable) || AppliedOf(err) != Unknown {
			t.Errorf("Mutate answered %s = %v; want unreadable, unknown", kind, err)
		}
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrUnreadable) || !errors.Is(err, ErrUnavailable) {
			t.Errorf("Account answered %s = %v; want unreadable", kind, err)
		}
	}
	for _, kind := range []string{"application/json; charset=utf-8", "application/vnd.ads+json", "Application/JSON"} {
		c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, `{"id":"c1"}`)
		})
		if _, err := c.Mutate(t.Context(), create); err != nil {
			t.Errorf("Mutate answered %s = %v; want success", kind, err)
		}
	}
}

// N12: a revoked key stops at once.
func TestRevokedKey(t *testing.T) {
	count := 0
	c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		count++
		respond(w, 401, `{"error":{"message":"revoked"}}`)
	})
	_, err := c.Mutate(t.Context(), create)
	if !errors.Is(err, ErrUnauthorized) || AppliedOf(err) != Never || count != 1 {
		t.Fatalf("Mutate = %v after %d requests; want unauthorized at once", err, count)
	}
}

// N21: a certificate that is not trusted, expired, or too old a protocol.
func TestTLS(t *testing.T) {
	start := func(change func(*tls.Config)) (*httptest.Server, *atomic.Int32) {
		var seen atomic.Int32
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			seen.Add(1)
			respond(w, 200, `{"id":"c1"}`)
		}))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.TLS = &tls.Config{}
		change(server.TLS)
		server.StartTLS()
		t.Cleanup(server.Close)
		return server, &seen
	}
	trusting := func(server *httptest.Server) *http.Transport {
		transport := newTransport(nil)
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
		return transport
	}
	good, _ := start(func(*tls.Config) {})
	old, oldSeen := start(func(cfg *tls.Config) { cfg.MaxVersion = tls.VersionTLS11 })
	foreign, foreignSeen := start(func(*tls.Config) {})
	expired := trusting(good)
	expired.TLSClientConfig.Time = func() time.Time { return time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC) }

	call := func(address string, transport http.RoundTripper) error {
		c, _ := serving(t, nil, func(cfg *Config) { cfg.BaseURL, cfg.Transport = address+"/v1", transport })
		_, err := c.Mutate(t.Context(), create)
		return err
	}
	if err := call(good.URL, trusting(good)); err != nil {
		t.Fatalf("trusted certificate: %v", err)
	}
	if err := call(foreign.URL, nil); AppliedOf(err) != Never ||
		asError(t, err).Attempts != 1 || !errors.Is(err, ErrUnavailable) {
		t.Errorf("unknown authority: %v; want one refused attempt", err)
	}
	if err := call(good.URL, expired); AppliedOf(err) != Never || !strings.Contains(err.Error(), "expired") {
		t.Errorf("expired certificate: %v; want a refusal that says so", err)
	}
	if err := call(old.URL, trusting(old)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("TLS 1.1: %v; want a refusal", err)
	}
	if foreignSeen.Load()+oldSeen.Load() != 0 {
		t.Error("a request, and the key in it, went over a connection that must be refused")
	}
}

// N25: unknown, missing and null fields and numbers of other types pass
// through whole.
func TestRecordIsKeptAsItCame(t *testing.T) {
	body := "{ \"id\" : \"c1\", \"status\":\"hibernating\", \"budget\":null, \"n\":1.0e3,\"é\":\"\\u00e9\" }\n"
	c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, body) })
	record, err := c.Read(t.Context(), "campaigns", "c1", nil)
	if err != nil || string(record.JSON) != body {
		t.Fatalf("Read = %s, %v; want %s", record.JSON, err, body)
	}
}

func TestErrorBodyIsBounded(t *testing.T) {
	c, _ := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		respond(w, 400, strings.Repeat("x", 10<<20))
	})
	_, err := c.Mutate(t.Context(), create)
	if len(err.Error()) > 600 || !strings.Contains(err.Error(), "x…") {
		t.Fatalf("error of %d bytes; want a short excerpt", len(err.Error()))
	}
}
