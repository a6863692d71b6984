package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errReaderGone says that nobody reads standard output any more, such as head
// that has had its lines.
var errReaderGone = errors.New("nobody reads the output any more")

// outlet is standard output where it is no terminal.
type outlet struct{ *os.File }

// Write tells a reader that has gone from an output that fails.
func (o outlet) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = fmt.Errorf("%w: %w", errReaderGone, err)
	}
	return n, err
}

// WriteString is Write.
func (o outlet) WriteString(s string) (int, error) { return o.Write([]byte(s)) }
