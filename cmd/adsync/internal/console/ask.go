package console

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// Confirmed reads one line, or stops waiting for it when it is interrupted.
func Confirmed(ctx context.Context, in io.Reader) error {
	lines := make(chan string, 1)
	go func() { // ends with the process at the latest
		line, _ := bufio.NewReader(in).ReadString('\n') // what came before an error is the answer
		lines <- line
	}()
	answer := ""
	select {
	case answer = <-lines:
	case <-ctx.Done():
	}
	if answer == "" {
		return ExitWith(ExitInterrupted, "no answer; nothing was changed")
	}
	if strings.TrimSpace(strings.ToLower(answer)) != "yes" {
		return ExitWith(ExitRefused, "not confirmed; nothing was changed")
	}
	return nil
}
