package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"
)

// commandMost is how long a command that prints a secret may take: long enough for
// a person who is asked for a passphrase, and an end where nobody is.
const commandMost = 2 * time.Minute

// commandOutput is what a command of the shell prints, without white space around it.
// Its errors quote nothing of that.
func commandOutput(ctx context.Context, command string, most time.Duration) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most,
		fmt.Errorf("no end after %s; want the secret in that time", most))
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.WaitDelay = time.Second // for what it began and left behind
	content, err := c.Output()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return string(bytes.TrimSpace(content)), err
}
