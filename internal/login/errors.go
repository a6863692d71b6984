package login

import (
	"errors"
	"fmt"

	"adsync/internal/pattern"

	"golang.org/x/oauth2"
)

// NeededError is a login that is not there, or has ended: a person has to log in.
type NeededError struct{ Why string }

func (e *NeededError) Error() string { return e.Why + "; log in: adsync login" }

// RefusedError is an authorization server that does not take the client, or what it asks.
type RefusedError struct{ Code string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the authorization server refuses (%s); want client_id, token_url and scopes as they "+
		"are registered", e.Code)
}

// errorCode is what a code of RFC 6749 looks like. Other words of an answer are not repeated: they may
// hold what was sent.
var errorCode = pattern.Of(`^[a-z_]{1,40}$`)

// judge tells the ends of a request for tokens apart: the grant is no good any more, the server refuses
// the client, or there was no answer to go by. Its errors quote nothing but a code.
func judge(err error) (ended bool, judged error) {
	refusal, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return false, fmt.Errorf("the authorization server is not reached, or its answer holds no token: %w", err)
	}
	code, status := refusal.ErrorCode, 0
	if refusal.Response != nil {
		status = refusal.Response.StatusCode
	}
	switch {
	case code == "invalid_grant":
		return true, &RefusedError{code}
	case status >= 400 && status < 500 && status != 408 && status != 429 && errorCode.MatchString(code):
		return false, &RefusedError{code}
	}
	return false, fmt.Errorf("the authorization server answered %d without a token", status)
}
