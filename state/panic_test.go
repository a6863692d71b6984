package state

import (
	"testing"
	"time"

	"adsync/internal/resource"
)

// What breaks off while a state is written or closed, in a process that goes on,
// leaves neither a lock nor an open transaction: it can be closed, and the next run
// finds what was written before.
func TestWhatBreaksOffGivesTheStateBack(t *testing.T) {
	for name, sabotage := range map[string]func(d *database){
		"in a transaction": func(d *database) { d.tables["record"].upsert = nil },
		"behind a commit":  func(d *database) { d.entries = &entries{} },
		"as it is closed":  func(d *database) { d.conn = nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(t.Context(), dir, options())
			must(t, err)
			must(t, s.Bind(t.Context(), acme))
			sabotage(s.(*held).engine.(*database))
			breaking(t, func() {
				defer breaking(t, func() { _ = s.Close() })
				_ = s.Advance(t.Context(), []resource.Address{address("campaign/a")})
			})
			again := openFolder(t, dir)
			if got := again.Header().Account; got != acme {
				t.Errorf("the state is of %v, want %v", got, acme)
			}
		})
	}
}

// breaking does something that may break off, and fails the test where it does
// not return.
func breaking(t *testing.T, do func()) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer func() { _ = recover() }()
		do()
	}()
	select {
	case <-over:
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
}
