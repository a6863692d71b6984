package adsapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// maxErrorBody bounds what is read of an answer that is not a success.
const maxErrorBody = 64 << 10

// request is one request to the service, sent any number of times as the
// same bytes.
type request struct {
	method      string
	endpoint    endpoint
	query       url.Values
	body        []byte // nil = no body
	contentType string
	key         string // Idempotency-Key, "" = none
	bulk        bool   // counts against the bulk submission limit
	repeatable  bool   // may be sent again when the outcome is unknown
}

// do sends the request until it succeeds, cannot succeed, or the attempts
// are used up. decode reads the body of a success; its error makes the
// answer unreadable, which is not success.
func (c *caller) do(ctx context.Context, r request, decode func([]byte) error) error {
	last := r.failure(Error{})
	c.budget.earn()
	renewed := false
	for attempt := 1; ; attempt++ {
		if err := c.breaker.enter(ctx); err != nil {
			return last.stopped(err)
		}
		failed, err := c.limited(ctx, r, decode)
		if err != nil {
			return last.stopped(err)
		}
		if failed == nil {
			c.logger.DebugContext(ctx, "request answered",
				"method", r.method, "path", r.endpoint.path, "attempt", attempt)
			return nil
		}
		failed.Attempts = attempt
		failed.renewed = failed.renewed && !renewed // a new token that is refused too is the end
		renewed = renewed || failed.renewed
		failed.uncertain = failed.uncertain || attempt > 1 && last.Applied() == Unknown
		wait, err := c.pause(r, failed)
		if err != nil {
			return err
		}
		c.logRetry(ctx, failed, wait)
		if err := c.sleep(ctx, wait); err != nil {
			return failed.stopped(err)
		}
		last = failed
	}
}

// mutates reports whether the request could change something.
func (r request) mutates() bool {
	return r.method != http.MethodGet && r.endpoint.path != conversionsPath &&
		(r.endpoint.path != bulkPath || !saysValidateOnly(r.body))
}

// limited makes one attempt as soon as the limits let it, unless an order stands
// against it by then. err is why there was none.
func (c *caller) limited(ctx context.Context, r request, decode func([]byte) error) (failed *Error, err error) {
	neither := &Error{fault: faultLocal} // says nothing of the service
	failed = neither
	defer func() { c.breaker.leave(failed) }()
	if err := c.limiter.wait(ctx, r.endpoint.template(r.method), r.bulk); err != nil {
		return neither, err
	}
	if r.mutates() {
		if err := c.Halted(); err != nil {
			return neither, err
		}
	}
	if c.lease != nil {
		if err := c.lease(); err != nil {
			return neither, unleased(err)
		}
	}
	if r.bulk {
		if err := c.submissions.tell(ctx, c.now()); err != nil {
			return neither, err
		}
	}
	c.around(ctx, func() { failed = c.attempt(ctx, r, decode) })
	return failed, nil
}

// stopped is the error of a call that ended while it waited, after e or
// before its first attempt.
func (e *Error) stopped(cause error) *Error {
	stop := &Error{Method: e.Method, Path: e.Path, Attempts: e.Attempts, fault: faultStopped, cause: cause}
	if e.Attempts > 0 {
		stop.uncertain = e.Applied() == Unknown
		stop.RequestID = e.RequestID
		why := cause.Error()
		if errors.Is(cause, context.Canceled) {
			why = interrupted
		}
		stop.Message = fmt.Sprintf("%s, after: %s", why, e.happened())
	}
	return stop
}

func (c *caller) logRetry(ctx context.Context, failed *Error, wait time.Duration) {
	c.logger.WarnContext(ctx, "request failed, will be repeated", "method", failed.Method, "path", failed.Path,
		"status", failed.Status, "request_id", failed.RequestID, "attempt", failed.Attempts, "wait", wait,
		slog.String("error", failed.Error()))
}

// pause returns the time until the next attempt, or the error that ends the
// call. A Retry-After holds the whole account, not this call alone.
func (c *caller) pause(r request, failed *Error) (time.Duration, error) {
	wait := delay(failed, c.rand())
	c.holdAccount(failed, wait)
	if failed.RetryAfter > c.maxRetryAfter {
		failed.Message = strings.TrimPrefix(fmt.Sprintf("%s; it asks to wait %s, and at most %s is waited for",
			failed.Message, failed.RetryAfter.Round(time.Second), c.maxRetryAfter), "; ")
		return 0, failed
	}
	if failed.Attempts >= c.maxAttempts || !r.mayRepeat(failed) {
		return 0, failed
	}
	if !c.budget.spend() {
		failed.Message = strings.TrimPrefix(failed.Message+
			"; too many requests had to be repeated, and none is any more", "; ")
		return 0, failed
	}
	if r.key != "" && r.mutates() && failed.attemptUnknown() && wait < c.keyLag {
		wait = c.keyLag
		c.waits.tell("a request may have been done, and its key is not known to the service at once", wait)
	}
	return wait, nil
}

// holdAccount keeps every request back after the service said that there are
// too many, or when to come again.
func (c *caller) holdAccount(failed *Error, wait time.Duration) {
	asked := min(failed.RetryAfter, c.maxRetryAfter)
	if asked == 0 && failed.fault == faultStatus && failed.Status == http.StatusTooManyRequests {
		asked = wait
	}
	if asked == 0 {
		return
	}
	c.limiter.hold(asked)
	c.waits.tell(fmt.Sprintf("the service answered %d and wants no requests for now", failed.Status), asked)
}

// failure completes an error with the request it is about.
func (r request) failure(e Error) *Error {
	e.Method, e.Path = r.method, r.endpoint.path
	return &e
}

// accountHeader selects the account of a login; with an API key it must not be sent (interface, part 5,
// rule 6, and the published selector).
const accountHeader = "OpenAI-Ad-Account"

// attempt sends the request once and reads the whole answer within the
// request timeout.
func (c *caller) attempt(ctx context.Context, r request, decode func([]byte) error) *Error {
	token, err := c.credential.of(ctx, Secret{})
	if err != nil {
		return c.withoutToken(ctx, r, err)
	}
	return c.renewed(ctx, r, token, c.send(ctx, r, token, decode))
}

func (c *caller) send(ctx context.Context, r request, token Secret, decode func([]byte) error) *Error {
	once, cancel := context.WithTimeout(ctx, c.requestTimeout)
	defer cancel()
	req, err := c.newRequest(once, r, token)
	if err != nil {
		return r.failure(Error{fault: faultLocal, cause: c.blotError(err)})
	}
	sent := c.now()
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return c.unanswered(ctx, r, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		c.compareClocks(sent.Round(0).Sub(date), c.now().Round(0).Sub(date))
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return c.refused(r, resp)
	}
	return c.accept(ctx, r, resp, decode)
}

// compareClocks takes in by how much this clock was ahead of an answer's date as the request went, and as the answer
// came. What was known stands where it is between them: an answer that took long tells no more.
func (c *caller) compareClocks(gone, come time.Duration) {
	known := time.Duration(c.ahead.Load())
	c.ahead.Store(int64(max(min(known, max(gone, come)), min(gone, come))))
}

func (c *caller) newRequest(ctx context.Context, r request, token Secret) (*http.Request, error) {
	address := c.base.Scheme + "://" + c.base.Host + c.base.EscapedPath() + r.endpoint.escaped()
	if query := encodeQuery(r.query); query != "" {
		address += "?" + query
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	if c.account != "" {
		req.Header.Set(accountHeader, c.account)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if r.body != nil {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
		req.GetBody = nil // net/http sends a request with this header again by itself, at once
	}
	return req, nil
}

// unanswered sorts an error of the transport. ctx is the caller's, without
// the timeout of the attempt.
func (c *caller) unanswered(ctx context.Context, r request, err error) *Error {
	cause := c.blotError(err)
	if errors.Is(err, ErrReadOnly) || errors.Is(err, errNarrowed) {
		return r.failure(Error{fault: faultLocal, cause: cause})
	}
	if stopped := ctx.Err(); stopped != nil {
		return r.failure(Error{fault: faultStopped, uncertain: true, cause: stopped})
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return r.failure(Error{
			fault: faultNetwork, cause: cause, Message: fmt.Sprintf("no whole answer within %s", c.requestTimeout),
		})
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return r.failure(Error{fault: faultNotSent, permanent: true, cause: cause})
	}
	op, ok := errors.AsType[*net.OpError](err)
	if ok && (op.Op == "dial" || op.Op == "proxyconnect") || errors.Is(err, syscall.ECONNREFUSED) {
		return r.failure(Error{fault: faultNotSent, cause: cause})
	}
	return r.failure(Error{fault: faultNetwork, cause: cause})
}

// refused reads an answer that is not a success.
func (c *caller) refused(r request, resp *http.Response) *Error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // whatever could be read helps
	words := decodeRefusal(resp.Header.Get("Content-Type"), body)
	e := c.answered(r, resp)
	e.Message = clean(c.blot(words.message), maxMessage)
	e.Code = clean(c.blot(words.code), maxExcerpt)
	e.Field = clean(c.blot(words.field), maxExcerpt)
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		e.RetryAfter = retryAfter(resp.Header, c.now())
	}
	if resp.StatusCode < 400 {
		e.Message = strings.TrimSuffix("redirects are not followed; "+e.Message, "; ")
	}
	return e
}

// answered is an Error with what the head of the answer says.
func (c *caller) answered(r request, resp *http.Response) *Error {
	return r.failure(Error{
		Status:    resp.StatusCode,
		RequestID: clean(c.blot(resp.Header.Get("X-Request-Id")), maxExcerpt),
	})
}

// accept reads an answer of success. It is a success only when the whole
// body came, is JSON, and decode finds in it what the endpoint promises.
func (c *caller) accept(ctx context.Context, r request, resp *http.Response, decode func([]byte) error) *Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBody+1))
	if err != nil {
		e := c.unanswered(ctx, r, err)
		if e.fault != faultStopped {
			e.fault = faultNetwork // the request was sent, whatever the error is
		}
		e.Status, e.RequestID = resp.StatusCode, c.answered(r, resp).RequestID
		return e
	}
	unreadable := c.answered(r, resp)
	unreadable.fault = faultUnreadable
	if int64(len(body)) > c.maxBody {
		unreadable.permanent = true
		unreadable.Message = fmt.Sprintf("it is longer than %d bytes", c.maxBody)
		return unreadable
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "" && kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		// A page of something on the way, such as a proxy: the next attempt may reach the service.
		unreadable.Message = fmt.Sprintf("content type is %q; want application/json: %s",
			clean(kind, maxExcerpt), clean(c.blot(string(body[:min(len(body), maxShown)])), maxExcerpt))
		return unreadable
	}
	if err := decode(body); err != nil {
		// A body cut short may come whole next time; a whole one that lacks
		// something will lack it again, and only a key may bring it back.
		unreadable.permanent = (r.method == http.MethodGet || errors.Is(err, errNoFileID)) && json.Valid(body)
		unreadable.Message = clean(c.blot(err.Error()), maxMessage)
		return unreadable
	}
	return nil
}
