package apply

import "adsync/internal/resource"

// Options are how an apply goes.
type Options struct {
	Bulk  Bulk
	Image func(source string) (name string, content []byte, err error) // the file behind a "sha256:…" value
	Watch func(Event)                                                  // is told what happens; nil where nobody looks

	// Superseded says why a change that is not sent yet is left out, "" where it goes: files
	// that came while an apply goes on say otherwise of it. It is asked before each is
	// journalled, by several goroutines; nil: nobody looks.
	Superseded func(resource.Address) string
}

// Bulk is how bulk jobs are used. The zero Bulk is what adsync.yaml means by
// auto.
type Bulk struct {
	NeverRepeat bool      // bulk.repeat_parent: never
	Preflight   Preflight // bulk.rehearse
	Most        int       // operations in a job; 0 is as many as the service takes
}

// Preflight says which creates are sent as validate_only jobs before the first
// mutation of an apply.
type Preflight string

// The preflights. What is left out is found out at apply: an operation that is
// refused then fails alone, and its tree stays paused.
const (
	PreflightAuto   Preflight = ""       // one job: all creates where it holds them, else one tree of every shape
	PreflightAlways Preflight = "always" // every create
	PreflightNever  Preflight = "never"
)
