// Package wire is the language of the service on the line: errors, strict JSON
// objects, query parameters, lists. It refuses every field it was not asked for.
// Its invariant: a body that passes has no field that nobody read.
package wire

import (
	"errors"
	"fmt"
	"net/http"
)

// Error is a refusal as the service words it (interface, part 7; body shape as published).
type Error struct {
	Status     int // HTTP
	Message    string
	Type       string
	Param      string // "" is null on the wire
	Code       string // "" is null on the wire
	RetryAfter int    // seconds; 0 sends no header
}

func (e *Error) Error() string { return e.Message }

// Refusef is an error of the caller: HTTP status, code, the field it is about ("" for none), and a sentence.
func Refusef(status int, code, param, format string, args ...any) *Error {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	return &Error{Status: status, Type: kind, Code: code, Param: param, Message: fmt.Sprintf(format, args...)}
}

// Invalidf is a 400 about one field.
func Invalidf(param, code, format string, args ...any) *Error {
	return Refusef(http.StatusBadRequest, code, param, format, args...)
}

// NotFoundf is a 404.
func NotFoundf(format string, args ...any) *Error {
	return Refusef(http.StatusNotFound, "not_found", "", format, args...)
}

// Conflictf is a conflict; its status code is an open point and set on the way out.
func Conflictf(code, format string, args ...any) *Error {
	return Refusef(http.StatusConflict, code, "", format, args...)
}

// AsError is err as the service shows it. What is no refusal is a fault of the
// emulator's own: 503, because the caller cannot know what happened.
func AsError(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return Refusef(http.StatusServiceUnavailable, "service_unavailable",
		"", "The service could not finish the request: %v", err)
}

// Body is the published error body.
func (e *Error) Body() any {
	type inner struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	return struct {
		Error inner `json:"error"`
	}{inner{e.Message, e.Type, orNull(e.Param), orNull(e.Code)}}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
