package console

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrReaderGone says that nobody reads standard output any more, such as head
// that has had its lines.
var ErrReaderGone = errors.New("nobody reads the output any more")

// Outlet is standard output where it is no terminal.
type Outlet struct{ *os.File }

// Write tells a reader that has gone from an output that fails.
func (o Outlet) Write(p []byte) (int, error) {
	n, err := o.File.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = fmt.Errorf("%w: %w", ErrReaderGone, err)
	}
	return n, err
}

// WriteString is Write.
func (o Outlet) WriteString(s string) (int, error) { return o.Write([]byte(s)) }
