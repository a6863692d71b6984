package people

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/state"
)

// inlineType marks the steps whose bytes the journal does not hold; inlineSent is the
// type they are sent with.
const (
	InlineType = "application/vnd.adsync.people+json"
	InlineSent = "application/json"
)

// InlineNote is what the journal holds of a request with people in it.
type InlineNote struct {
	People string `json:"people"` // the digest of the list
	From   int    `json:"from"`   // of the hashes in ascending order
	To     int    `json:"to"`     // the first that is not in it
	Sum    string `json:"sum"`    // SHA-256 of the body
	// of a list that is to be all: the revision at which it still is when it is added
	Fills *int64 `json:"fills,omitempty"`
}

// StillFills reports whether a list that is to be all of an audience still is when it is
// added: whether the revision is the one that its step was made at. Others may always go.
// Where an operation has just ended, raised is true: its revision may show late.
func (a *Members) StillFills(ctx context.Context, step state.Step, raised bool) (bool, error) {
	var note InlineNote
	if step.ContentType != InlineType || json.Unmarshal(step.Body, &note) != nil || note.Fills == nil {
		return true, nil
	}
	operation := step.Operations[0]
	seen, err := a.readRaised(ctx, a.Schemas.Of(operation.Address.Kind), operation.ResourceID, *note.Fills, raised)
	return seen.Revision == *note.Fills, err
}

// MadeAgain is the request of a step: its bytes, or those that are made again from the
// members file where the journal does not hold them.
func (a *Members) MadeAgain(step state.Step) (adsapi.Mutation, error) {
	m := MembersMutation(step)
	if step.ContentType != InlineType {
		return m, nil
	}
	var note InlineNote
	if err := json.Unmarshal(step.Body, &note); err != nil {
		return m, fmt.Errorf("read step %s: %w", step.ID, err)
	}
	people, err := a.People(note.People)
	if err != nil {
		return m, err
	}
	hashes := bytes.Fields(people.Content)
	if note.From < 0 || note.From > note.To || note.To > len(hashes) {
		return m, fmt.Errorf("step %s is for people %d to %d of a list of %d", step.ID, note.From, note.To, len(hashes))
	}
	m.ContentType = InlineSent
	if m.Body, err = InlineBody(people.As, hashes[note.From:note.To]); err == nil && SumOfBody(m.Body) != note.Sum {
		err = fmt.Errorf("step %s was sent with other bytes than its members file gives", step.ID)
	}
	return m, err
}

// InlineBody is the body of a request with people in it (service facts, 8.2).
func InlineBody(as string, hashes [][]byte) ([]byte, error) {
	type identifier struct {
		Type       string `json:"identifier_type"`
		Identifier string `json:"identifier"`
	}
	identifiers := make([]identifier, len(hashes))
	for i, hash := range hashes {
		identifiers[i] = identifier{as, string(hash)}
	}
	return json.Marshal(map[string]any{"identifiers": identifiers})
}

func SumOfBody(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}
