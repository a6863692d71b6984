package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// onText calls once when a text is written.
type onText struct {
	text   string
	once   func()
	before bytes.Buffer
}

func (o *onText) Write(b []byte) (int, error) {
	if o.before.Write(b); o.once != nil && strings.Contains(o.before.String(), o.text) {
		o.once()
		o.once = nil
	}
	return len(b), nil
}

// TestARevertWritesTheFilesBeforeItGivesTheAccountBack: a daemon that went on before they are written
// would read the files of before, and do again what was taken back.
func TestARevertWritesTheFilesBeforeItGivesTheAccountBack(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, _ := ownQuickstart(t)
	applies := func() int {
		c := s.command("apply", "--yes", dir)
		said, _ := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != console.ExitDone && code != console.ExitLocked {
			t.Errorf("apply ends with %d\n%s", code, said)
		}
		return c.ProcessState.ExitCode()
	}
	applies()
	saveEdit(t, dir, "bid: {max: 1.25}", "bid: {max: 1.20}")
	applies()
	code := -1
	said := &onText{text: "wrote the former values into", once: func() { code = applies() }}
	settings := map[string]string{session.EnvBaseURL: s.url, session.EnvKey: canaryKey}
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: said, Getenv: func(n string) string { return settings[n] }}}
	ended := execute(t.Context(), env, []string{"revert", "last", "--write", "--yes", dir})
	if ended != console.ExitDone {
		t.Fatalf("revert ends with %d\n%s", ended, said.before.String())
	}
	if code != console.ExitLocked {
		t.Errorf("an apply while the revert writes the files ends with %d; want %d, locked", code, console.ExitLocked)
	}
}
