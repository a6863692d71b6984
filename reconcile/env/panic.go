package env

import (
	"runtime/debug"
	"sync"
)

// Catch hands a panic of this goroutine to whoever ends the process, or keeps it
// for the goroutine that waits. It is for defer, where a goroutine begins: what
// nobody catches ends the process as well, with an exit code that says something
// else and a text that may quote anything.
func (a *Env) Catch() {
	if a.Crash == nil && a.Breaks == nil {
		return
	}
	if cause := recover(); cause != nil {
		if a.Breaks == nil {
			a.Crash(cause)
			return
		}
		a.Breaks.note(&Broke{cause, debug.Stack()})
	}
}

// Waited goes on with the panic of a goroutine that was waited for: what it was to
// bring about is neither done nor failed, so that nothing may be concluded from it.
// The journal says where to go on.
func (a *Env) Waited() {
	if broke := a.Breaks.Broke(); broke != nil {
		panic(broke)
	}
}

// Breaks keeps what broke off in the goroutines of an Agent, for a process that
// goes on with other work. Nothing is begun after the first.
type Breaks struct {
	mu    sync.Mutex
	first *Broke
}

// Broke is a panic on its way from the goroutine it happened in.
type Broke struct {
	Cause any
	Stack []byte // of that goroutine
}

// Trace returns what it was, and where.
func (b *Broke) Trace() (cause any, stack []byte) { return b.Cause, b.Stack }

func (b *Breaks) note(broke *Broke) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first == nil {
		b.first = broke
	}
}

// Broke returns the first panic, nil where there was none or nobody keeps them.
func (b *Breaks) Broke() *Broke {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.first
}
