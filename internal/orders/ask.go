package orders

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
)

// Ask is a run that somebody asked for.
type Ask struct {
	ID    string    `json:"id"`
	By    string    `json:"by"`
	From  string    `json:"from,omitempty"` // as of Ordered
	Full  bool      `json:"full,omitempty"` // read the whole account
	Since time.Time `json:"since"`

	Accept string `json:"accept,omitempty"` // a commit to go on with though history was rewritten
	Note   string `json:"note,omitempty"`   // why
	Why    string `json:"why,omitempty"`    // what woke who asks, a daemon.Trigger; "" of a person
}

// Ring leaves the wish for a run of which no name is noted: one for each reason, however often it is wished.
func (p Place) Ring(why string, now time.Time) error {
	return p.write(askPrefix+why+".json", Ask{ID: why, Why: why, Since: now})
}

// Ask leaves the wish for a run, and gives it with its id.
func (p Place) Ask(a Ask) (Ask, error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	a.ID = hex.EncodeToString(id[:])
	if err := p.write(askPrefix+a.ID+".json", a); err != nil || a.Accept != "" { // which is noted as it is taken
		return a, err
	}
	return a, NoteAsk(p, a)
}

// NoteAsk notes a wish that whoever hears it carries out at once. Programs ask every minute: one without a reason is
// left out where the same was noted within an hour.
func NoteAsk(p Place, a Ask) error {
	o := Ordered{Time: a.Since.UTC().Truncate(time.Second), Order: Reconcile, By: a.By, From: a.From, Reason: a.Note}
	if a.Note == "" {
		noted, err := p.Ordered()
		if err != nil {
			return err
		}
		for _, before := range slices.Backward(noted) {
			between := o.Time.Sub(before.Time)
			if before.Time = o.Time; before == o && between >= 0 && between < time.Hour {
				return nil
			}
			if between >= time.Hour {
				break
			}
		}
	}
	return p.note(o)
}

// Asks returns the wishes nobody has taken yet, oldest first. What cannot be read is
// one without words: somebody asked.
func (p Place) Asks() []Ask {
	var asks []Ask
	for _, id := range p.asked() {
		var a Ask
		_ = p.read(askPrefix+id+".json", &a) // who asked is not known then; that somebody did is
		a.ID = id
		asks = append(asks, a)
	}
	slices.SortStableFunc(asks, func(a, b Ask) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID))
	})
	return asks
}

// asked are the ids of the wishes that lie there.
func (p Place) asked() []string {
	names, _ := p.Names(askPrefix) // where nobody can look nobody asked
	var ids []string
	for _, name := range names {
		if id, whole := strings.CutSuffix(strings.TrimPrefix(name, askPrefix), ".json"); whole {
			ids = append(ids, id)
		}
	}
	return ids
}

// Take takes wishes away, as the run that answers them begins.
func (p Place) Take(asks []Ask) error {
	var failed error
	for _, a := range asks {
		failed = errors.Join(failed, p.Delete(askPrefix+a.ID+".json"))
	}
	return failed
}
