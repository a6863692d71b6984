package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// Only yes goes on; an interrupt at the question is an answer.
func TestConfirmed(t *testing.T) {
	for answer, code := range map[string]int{
		"yes\n": 0, " YES \n": 0, "y\n": ExitRefused,
		"no\n": ExitRefused, "\n": ExitRefused, "": ExitInterrupted, "yes": 0,
	} {
		if got := codeOf(t, Confirmed(t.Context(), strings.NewReader(answer))); got != code {
			t.Errorf("%q: code %d; want %d", answer, got, code)
		}
	}
	waiting, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := codeOf(t, Confirmed(ctx, waiting)); got != ExitInterrupted {
		t.Errorf("interrupted: code %d; want %d", got, ExitInterrupted)
	}
}

func codeOf(t *testing.T, err error) int {
	t.Helper()
	var known *Exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &known):
		return known.Code
	}
	t.Fatalf("error %v has no code", err)
	return 0
}
