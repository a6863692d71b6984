package adsapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

// While an order stands against it nothing that could change something is sent;
// what only reads or checks is.
func TestHalt(t *testing.T) {
	mutate := func(c *Client) error {
		_, err := c.Mutate(context.Background(), Mutation{Path: "/campaigns/c/pause"})
		return err
	}
	for _, tc := range []struct {
		name   string
		call   func(*Client) error
		passes bool
	}{
		{name: "a pause", call: mutate},
		{name: "a create", call: func(c *Client) error {
			_, err := c.Mutate(context.Background(), Mutation{
				Path: "/campaigns", Key: "k", Body: []byte(`{"validate_only":true}`),
			})
			return err
		}},
		{name: "a job", call: func(c *Client) error {
			_, err := c.SubmitJob(context.Background(), "k", []byte(`{"operations":[]}`))
			return err
		}},
		{name: "an upload", call: func(c *Client) error {
			_, err := c.Upload(context.Background(), "a", []byte("x"), "")
			return err
		}},
		{name: "a list of people", call: func(c *Client) error {
			_, err := c.UploadMembers(context.Background(), []byte("x"))
			return err
		}},
		{name: "a job that only validates", passes: true, call: func(c *Client) error {
			_, err := c.SubmitJob(context.Background(), "k", []byte(`{"validate_only":true,"operations":[]}`))
			return err
		}},
		{name: "reading", passes: true, call: func(c *Client) error {
			_, err := c.Get(context.Background(), "/campaigns", nil)
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &wire{answers: []answer{{status: 202, body: `{"id":"c","status":"pending"}`}}}
			order := errors.New("STOP lies there")
			err := tc.call(clientOf(t, w, func(cfg *Config) { cfg.Halt = func() error { return order } }))
			if sent := len(w.requests()); tc.passes != (sent == 1) || tc.passes != (err == nil) {
				t.Fatalf("%d requests sent, %v; want it to pass: %t", sent, err, tc.passes)
			}
			if !tc.passes && (!errors.Is(err, ErrHalted) ||
				!errors.Is(err, order) || AppliedOf(err) != Never || errors.Is(err, ErrUnavailable)) {
				t.Errorf("error %v, applied %s; want ErrHalted with the order, never applied", err, AppliedOf(err))
			}
		})
	}
}

// An order that comes while a request waits for its next attempt ends it; what
// the attempt before may have done stays unknown.
func TestHaltBetweenAttempts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, tc := range []struct {
		name    string
		first   answer
		applied Applied
	}{
		{"after an answer that nobody knows", answer{status: 500, body: `{}`}, Unknown},
		{"after too many requests", answer{status: http.StatusTooManyRequests, body: `{}`}, Never},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &wire{answers: []answer{tc.first, {status: 200, body: `{"id":"c"}`}}}
			var order error
			c := clientOf(t, w, func(cfg *Config) {
				cfg.Halt = func() error { return order }
				cfg.Sleep = func(context.Context, time.Duration) error {
					order = errors.New("STOP lies there")
					return nil
				}
			})
			_, err := c.Mutate(context.Background(), Mutation{Path: "/campaigns", Key: "k", Body: []byte(`{}`)})
			if len(w.requests()) != 1 || !errors.Is(err, ErrHalted) || AppliedOf(err) != tc.applied {
				t.Fatalf("%d requests sent, %v, applied %s; want 1, ErrHalted, %s",
					len(w.requests()), err, AppliedOf(err), tc.applied)
			}
		})
	}
}
