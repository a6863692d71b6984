package kv

import (
	"errors"
	"fmt"
)

// ErrUnreachable is what a store gives that cannot be asked: nobody can say what is there.
var ErrUnreachable = errors.New("cannot be asked")

// Unreachable is a store nobody can reach: each call is this error.
type Unreachable struct{ Err error }

// Get is the error, and ErrUnreachable.
func (u Unreachable) Get(name string, _ int) ([]byte, error) {
	return nil, fmt.Errorf("%s %w: %w", name, ErrUnreachable, u.Err)
}

// Put is the error.
func (u Unreachable) Put(string, []byte) error { return u.Err }

// Secret is the error.
func (u Unreachable) Secret(string, []byte) ([]byte, error) { return nil, u.Err }

// Append is the error.
func (u Unreachable) Append(string, []byte) error { return u.Err }

// Rewrite is the error.
func (u Unreachable) Rewrite(string, func([]byte) []byte) error { return u.Err }

// Delete is the error.
func (u Unreachable) Delete(string) error { return u.Err }

// Names is the error.
func (u Unreachable) Names(string) ([]string, error) { return nil, u.Err }

// Where says that it cannot be reached, and why.
func (u Unreachable) Where(name string) string {
	if name == "" {
		return u.Err.Error()
	}
	return name + " (" + u.Err.Error() + ")"
}
