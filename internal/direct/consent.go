package direct

import (
	"context"
	"fmt"
)

// Attendance is who looks on.
type Attendance struct {
	Yes bool // --yes was given
	// Ask puts the question to a person; nil where there is no terminal.
	Ask func(ctx context.Context, question string) error
	// Allowed returns whose allowance of the operator's file is this word, and still good; "" where
	// none is.
	Allowed func(word string) (owner string)
}

// UnattendedError is a verb that nobody looks on to and nothing allows; nothing was sent.
type UnattendedError struct{ Verb Verb }

func (e *UnattendedError) Error() string {
	text := fmt.Sprintf("adsync %s asks before it sends anything, and there is no terminal to ask at; want --yes",
		e.Verb.Name)
	if e.Verb.Allowable {
		text += fmt.Sprintf(", or in the operator's file under allow: "+
			"{allow: %s, until: 2026-12-01, owner: Ann, reason: the sale}", e.Verb.Word())
	}
	return text
}

// Consent returns whose word the verb goes on: "" is the person who runs it, otherwise the owner
// of an allowance.
func (v Verb) Consent(ctx context.Context, a Attendance, question string) (owner string, err error) {
	if a.Yes {
		return "", nil
	}
	if a.Ask != nil {
		return "", a.Ask(ctx, question)
	}
	if v.Allowable && a.Allowed != nil {
		if owner := a.Allowed(v.Word()); owner != "" {
			return owner, nil
		}
	}
	return "", &UnattendedError{v}
}
