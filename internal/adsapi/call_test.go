package adsapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var (
	okRecord    = answer{status: 200, body: `{"id":"c1","name":"n"}`}
	unreachable = answer{err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	reset       = answer{err: &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}}
	silent      = answer{status: 200, body: `{"id":"c1"}`, after: time.Hour}
	html        = answer{
		status: 200, body: "<html>log in</html>", header: map[string]string{"Content-Type": "text/html"},
	}
	noID      = answer{status: 200, body: `{}`}
	truncated = answer{status: 200, body: `{"id":"c1","na`, cut: io.ErrUnexpectedEOF}
)

func status(code int) answer {
	return answer{status: code, body: `{"error":{"message":"no","code":"c","param":"p"}}`}
}

// A row says what a request does about an answer: how often it is sent when
// the same answer comes every time, and what is then known.
func TestWhatIsRepeated(t *testing.T) {
	const all = 6
	create := Mutation{Path: "/campaigns", Body: []byte(`{"name":"n"}`)}
	keyed := Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{"name":"n"}`)}
	update := Mutation{Path: "/campaigns/c1", Body: []byte(`{"name":"n"}`)}
	pause := Mutation{Path: "/campaigns/c1/pause"}
	for _, tc := range []struct {
		name                                 string
		answer                               answer
		read, create, keyed, update, pausing int
		upload                               int // 0: as an update
		applied                              Applied
		class                                error
	}{
		{name: "400", answer: status(400), read: 1, create: 1, keyed: 1, update: 1, pausing: 1, applied: Never},
		{name: "401", answer: status(401), read: 1,
			create: 1, keyed: 1, update: 1, pausing: 1, applied: Never, class: ErrUnauthorized},
		{name: "403", answer: status(403), read: 1,
			create: 1, keyed: 1, update: 1, pausing: 1, applied: Never, class: ErrUnauthorized},
		{name: "404", answer: status(404), read: 1,
			create: 1, keyed: 1, update: 1, pausing: 1, applied: Never, class: ErrNotFound},
		{name: "409", answer: status(409), read: 1,
			create: 1, keyed: 1, update: 1, pausing: 1, applied: Never, class: ErrConflict},
		{name: "413", answer: status(413), read: 1, create: 1, keyed: 1, update: 1, pausing: 1, applied: Never},
		{name: "422", answer: status(422), read: 1, create: 1, keyed: 1, update: 1, pausing: 1, applied: Never},
		{name: "408", answer: status(408), read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "429", answer: status(429), read: all,
			create: all, keyed: all, update: all, pausing: all, applied: Never, class: ErrUnavailable},
		{name: "500", answer: status(500), read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "502", answer: status(502), read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "503", answer: status(503), read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "504", answer: status(504), read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "307", answer: answer{status: 307, header: map[string]string{"Location": "https://elsewhere.example/"}},
			read: 1, create: 1, keyed: 1, update: 1, pausing: 1, applied: Unknown, class: ErrUnavailable},
		{name: "connection refused", answer: unreachable,
			read: all, create: all, keyed: all, update: all, pausing: all, applied: Never, class: ErrUnavailable},
		{name: "connection refused, said without more", answer: answer{err: syscall.ECONNREFUSED},
			read: all, create: all, keyed: all, update: all, pausing: all, applied: Never, class: ErrUnavailable},
		{name: "reset", answer: reset, read: all, create: 1,
			keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "timeout", answer: silent, read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "cut off", answer: truncated, read: all,
			create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "cut off by a proxy that could not go on", answer: answer{status: 200, cut: syscall.ECONNREFUSED},
			read: all, create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnavailable},
		{name: "HTML", answer: html, read: all, create: 1,
			keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnreadable},
		{name: "no id", answer: noID, read: 1, create: 1,
			keyed: all, update: all, pausing: all, upload: 1, applied: Unknown, class: ErrUnreadable},
		{name: "empty body", answer: answer{status: 200},
			read: all, create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnreadable},
		{name: "garbage after JSON", answer: answer{status: 200, body: `{"id":"c1"}x`},
			read: all, create: 1, keyed: all, update: all, pausing: all, applied: Unknown, class: ErrUnreadable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check := func(kind string, want int, applied Applied, call func(*Client) error) {
				synctest.Test(t, func(t *testing.T) {
					w := &wire{answers: []answer{tc.answer}}
					err := call(clientOf(t, w))
					e := asError(t, err)
					if got := len(w.requests()); got != want || e.Attempts != want {
						t.Errorf("%s: sent %d times, Attempts %d; want %d", kind, got, e.Attempts, want)
					}
					if e.Applied() != applied {
						t.Errorf("%s: Applied = %s; want %s", kind, e.Applied(), applied)
					}
					if tc.class != nil && !errors.Is(err, tc.class) {
						t.Errorf("%s: %v is not %v", kind, err, tc.class)
					}
					if tc.class == nil && (errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnauthorized)) {
						t.Errorf("%s: %v has a class; want none", kind, err)
					}
				})
			}
			mutate := func(m Mutation) func(*Client) error {
				return func(c *Client) error { _, err := c.Mutate(context.Background(), m); return err }
			}
			check("read", tc.read, Never, func(c *Client) error {
				_, err := c.Read(context.Background(), "campaigns", "c1", nil)
				return err
			})
			check("create", tc.create, tc.applied, mutate(create))
			check("create with a key", tc.keyed, tc.applied, mutate(keyed))
			check("update", tc.update, tc.applied, mutate(update))
			check("pause", tc.pausing, tc.applied, mutate(pause))
			check("upload", cmp.Or(tc.upload, tc.update), tc.applied, func(c *Client) error {
				_, err := c.Upload(context.Background(), "a.png", []byte("x"), "")
				return err
			})
			check("job without a key", tc.create, tc.applied, func(c *Client) error {
				_, err := c.SubmitJob(context.Background(), "", []byte(`{}`))
				return err
			})
			check("job with a key", tc.keyed, tc.applied, func(c *Client) error {
				_, err := c.SubmitJob(context.Background(), "k", []byte(`{}`))
				return err
			})
		})
	}
}

func TestRepetitionIsTheSameBytesAndKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answer{reset, status(502), html, truncated, status(429), okRecord}}
		body := []byte(`{"name":"n",  "x":[1]}`)
		record, err := clientOf(t, w).Mutate(t.Context(), Mutation{Path: "/campaigns", Key: "key-1", Body: body})
		if err != nil || record.ID != "c1" || string(record.JSON) != okRecord.body {
			t.Fatalf("Mutate = %+v, %v; want c1 whole", record, err)
		}
		for i, s := range w.requests() {
			if s.key != "key-1" || s.body != string(body) || s.url != "https://ads.example/v1/campaigns" {
				t.Errorf("request %d: key %q, body %q, url %q; want what was given", i+1, s.key, s.body, s.url)
			}
			if i > 0 && !s.at.After(w.requests()[i-1].at) {
				t.Errorf("request %d went out without a wait", i+1)
			}
		}
	})
}

// Once an attempt may have been applied, no later refusal says otherwise.
func TestUnknownStaysUnknown(t *testing.T) {
	for _, later := range []answer{status(409), status(404), status(400), status(429), unreachable} {
		synctest.Test(t, func(t *testing.T) {
			w := &wire{answers: []answer{status(429), reset, later}}
			_, err := clientOf(t, w).Mutate(t.Context(), Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{}`)})
			if AppliedOf(err) != Unknown {
				t.Errorf("Applied = %s after a reset and then %v; want unknown", AppliedOf(err), err)
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	w := &wire{answers: []answer{okRecord}}
	c := clientOf(t, w)
	if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1", Body: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1/pause"}); err != nil {
		t.Fatal(err)
	}
	withBody, without := w.requests()[0], w.requests()[1]
	for _, s := range w.requests() {
		if s.header.Get("Authorization") != "Bearer "+canary ||
			s.header.Get("User-Agent") != "adsync" || s.account != "" {
			t.Errorf("headers %v; want the bearer key, a user agent, and no account selector", s.header)
		}
		if _, sent := s.header["Idempotency-Key"]; sent {
			t.Error("a request without a key has the header")
		}
	}
	if withBody.header.Get("Content-Type") != "application/json" ||
		without.header.Get("Content-Type") != "" || without.body != "" {
		t.Errorf("content types %q and %q; want JSON with a body only",
			withBody.header.Get("Content-Type"), without.header.Get("Content-Type"))
	}
}

func TestKeysThatTheServiceWouldRefuse(t *testing.T) {
	w := &wire{answers: []answer{okRecord}}
	c := clientOf(t, w)
	for _, key := range []string{" ", "\t", strings.Repeat("k", 256), "a\r\nX-Evil: 1", "clé", " k"} {
		_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns", Key: key})
		if !errors.Is(err, errInvalidRequest) || AppliedOf(err) != Never {
			t.Errorf("Mutate with key %q = %v; want a refusal here", key, err)
		}
		if _, err := c.SubmitJob(t.Context(), key, []byte(`{}`)); !errors.Is(err, errInvalidRequest) {
			t.Errorf("SubmitJob with key %q = %v; want a refusal here", key, err)
		}
	}
	if len(w.requests()) != 0 {
		t.Fatalf("%d requests were sent", len(w.requests()))
	}
}

// N7: a Retry-After holds every request of the account, seconds or date.
func TestRetryAfterStopsTheAccount(t *testing.T) {
	for _, header := range []map[string]string{
		{"Retry-After": "20"},
		{"Retry-After": "Sat, 01 Jan 2000 00:00:20 GMT"}, // a synctest clock begins at that day
		{"Retry-After": "Fri, 31 Dec 1999 00:00:20 GMT", "Date": "Fri, 31 Dec 1999 00:00:00 GMT"},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			w := &wire{answers: []answer{{status: 429, header: header}, okRecord}}
			c := clientOf(t, w)
			var group sync.WaitGroup
			for i := range 4 {
				group.Go(func() {
					time.Sleep(time.Duration(i) * time.Second) // the first is told; the others come later
					if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1/pause"}); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			for i, s := range w.requests()[1:] {
				if waited := s.at.Sub(start); waited < 20*time.Second {
					t.Errorf("request %d went out after %s; want 20 s at least", i+2, waited)
				}
			}
		})
	}
}

func TestRetryAfterBeyondTheBoundIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &wire{answers: []answer{{status: 429, header: map[string]string{"Retry-After": "1000000000"}}, okRecord}}
		c := clientOf(t, w)
		_, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1/pause"})
		e := asError(t, err)
		if len(w.requests()) != 1 || time.Since(start) != 0 ||
			e.RetryAfter != 1e9*time.Second || !errors.Is(err, ErrUnavailable) {
			t.Fatalf("Mutate = %v after %s and %d requests; want an error at once",
				err, time.Since(start), len(w.requests()))
		}
		if !strings.Contains(err.Error(), "it asks to wait 277777h46m40s, and at most 5m0s is waited for") {
			t.Fatalf("error %q does not say what was asked", err)
		}
		if _, err := c.Mutate(t.Context(), Mutation{Path: "/campaigns/c1/pause"}); err != nil ||
			time.Since(start) != 5*time.Minute {
			t.Fatalf("the next request: %v after %s; want success after the bound of 5m0s", err, time.Since(start))
		}
	})
}

// N8: the limits are counted over a minute, so waiting milliseconds is no use.
func TestLimitedWithoutRetryAfterWaitsLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := clientOf(t, &wire{answers: []answer{status(429)}}).Mutate(t.Context(), Mutation{Path: "/ads"})
		if want := 30 * time.Second; time.Since(start) != want { // halves of 2, 4, 8, 16 and 30 seconds
			t.Fatalf("gave up with %v after %s; want %s", err, time.Since(start), want)
		}
	})
}

func TestStoppedByTheCaller(t *testing.T) {
	for _, tc := range []struct {
		name     string
		answer   answer
		applied  Applied
		attempts int
	}{
		{name: "in mid-request", answer: silent, applied: Unknown, attempts: 1},
		{name: "while waiting after 429", answer: answer{status: 429, header: map[string]string{"Retry-After": "100"}},
			applied: Never, attempts: 1},
		{name: "while waiting after 503", answer: answer{status: 503, header: map[string]string{"Retry-After": "100"}},
			applied: Unknown, attempts: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(5*time.Second, cancel)
				_, err := clientOf(t, &wire{answers: []answer{tc.answer}}).Mutate(ctx, Mutation{Path: "/ads", Key: "k"})
				e := asError(t, err)
				if !errors.Is(err, context.Canceled) ||
					errors.Is(err, ErrUnavailable) || e.Applied() != tc.applied || e.Attempts != tc.attempts {
					t.Fatalf("Mutate = %v, applied %s, %d attempts; want canceled, %s, %d",
						err, e.Applied(), e.Attempts, tc.applied, tc.attempts)
				}
			})
		})
	}
	w := &wire{answers: []answer{okRecord}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := clientOf(t, w).Mutate(ctx, Mutation{Path: "/ads", Key: "k"})
	if !errors.Is(err, context.Canceled) || AppliedOf(err) != Never || len(w.requests()) != 0 {
		t.Fatalf("Mutate with an ended context = %v, applied %s; want canceled, never, nothing sent",
			err, AppliedOf(err))
	}
}

func TestErrorIsASentence(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer answer
		want   string
	}{
		{
			name: "the service's error",
			answer: answer{
				status: 422, body: `{"error":{"message":"name\u001b[31m ` +
					`is\n  too short","type":"t","param":"name","code":"too_short"}}`,
			},
			want: `POST /ads/a1: the service answered ` +
				`422 Unprocessable Entity: name\u001b[31m is   too short (code too_short, field name, request req_7)`,
		},
		{
			name:   "an error that is a string",
			answer: answer{status: 400, body: `{"error":"nope"}`},
			want:   "POST /ads/a1: the service answered 400 Bad Request: nope (request req_7)",
		},
		{
			name:   "a message at the top, no request id",
			answer: answer{status: 404, body: `{"message":"Not found"}`, header: map[string]string{"X-Request-Id": ""}},
			want:   "POST /ads/a1: the service answered 404 Not Found: Not found (no request id)",
		},
		{
			name: "a page of a proxy",
			answer: answer{
				status: 403, body: "<html>\u202eerror 1010</html>",
				header: map[string]string{"Content-Type": "text/html"},
			},
			want: `POST /ads/a1: the service ` +
				`answered 403 Forbidden: an HTML page: <html>\u202eerror 1010</html> (request req_7)`,
		},
		{
			name:   "nothing said",
			answer: answer{status: 418},
			want:   "POST /ads/a1: the service answered 418 I'm a teapot (request req_7)",
		},
		{
			name:   "another resource",
			answer: answer{status: 200, body: `{"id":"a2"}`},
			want: `POST /ads/a1: answer 200 cannot ` +
				`be read: its id is "a2"; want "a1" (request req_7, 6 attempts, it may have been applied)`,
		},
		{
			name:   "no connection",
			answer: unreachable,
			want:   "POST /ads/a1: no connection: dial tcp: connection refused (no request id, 6 attempts)",
		},
		{
			name:   "a timeout",
			answer: silent,
			want: "POST /ads/a1: connection broke: " +
				"no whole answer within 1m0s (no request id, 6 attempts, it may have been applied)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, err := clientOf(t, &wire{answers: []answer{tc.answer}}).Mutate(t.Context(),
					Mutation{Path: "/ads/a1", Body: []byte(`{}`)})
				if err == nil || err.Error() != tc.want {
					t.Fatalf("error\n got %v\nwant %s", err, tc.want)
				}
			})
		})
	}
}

// X1: whatever repeats the key, no error and no log shows it.
func TestTheKeyIsNeverShown(t *testing.T) {
	echo := "wrong key " + canary + " given"
	long := strings.Repeat("x", maxMessage-len("sk-canary")) + canary
	for name, a := range map[string]answer{
		"in the message": {status: 401, body: `{"error":{"message":"` +
			echo + `","code":"` + canary + `","param":"` + canary + `"}}`},
		"escaped in the message": {status: 401, body: `{"error":{"message":"\u0073k-canary-7Zq9w2Xe"}}`},
		"at the cut":             {status: 500, body: `{"message":"` + long + `"}`},
		"in a text":              {status: 503, body: echo},
		"in HTML": {status: 502, body: "<p>" + echo,
			header: map[string]string{"Content-Type": "text/html"}},
		"in HTML of success": {status: 200, body: "<p>" + echo,
			header: map[string]string{"Content-Type": "text/html"}},
		"in broken JSON":       {status: 200, body: `{"key":"` + canary + `"`},
		"as another id":        {status: 200, body: `{"id":"` + canary + `"}`},
		"in the request id":    {status: 500, header: map[string]string{"X-Request-Id": canary}},
		"in a transport error": {err: errors.New("bad header: Bearer " + canary)},
		"in a body error":      {status: 200, body: "{", cut: errors.New("bad header: Bearer " + canary)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				c := clientOf(t, &wire{answers: []answer{a}}, func(cfg *Config) {
					cfg.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				})
				_, err := c.Mutate(t.Context(), Mutation{Path: "/ads/a1", Key: "k", Body: []byte(`{}`)})
				shown := log.String()
				for e := err; e != nil; e = errors.Unwrap(e) {
					shown += e.Error()
				}
				if err == nil || strings.Contains(shown, canary) || strings.Contains(shown, "sk-canary") {
					t.Fatalf("the key shows in %v\n%s", err, log.String())
				}
			})
		})
	}
}
