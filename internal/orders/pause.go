package orders

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"adsync/state/kv"

	"adsync/internal/words/catalogue"
)

// The records of a pause. Who orders it writes the first, who ends it the second; the daemon of the account alone
// writes the third. The pause stands while the first lies there.
const (
	pausePrefix  = "pause-"  // pause-ID.json: a Pause
	goOnPrefix   = "go-on-"  // go-on-ID.json: a GoOn
	pausedPrefix = "paused-" // paused-ID.json: a Paused
)

// Pause is an order to pause what delivers, before anything else is sent. It stands until a GoOn has been carried out.
type Pause struct {
	ID       string    `json:"id"`
	By       string    `json:"by"`
	From     string    `json:"-"` // as of Ordered, which keeps it
	Reason   string    `json:"reason"`
	Since    time.Time `json:"since"`
	Resource string    `json:"resource,omitempty"` // id of the one that is paused; "" pauses all
	Name     string    `json:"name,omitempty"`     // of that one, for people
}

// String returns `paused by ann on 2026-01-02 15:04 UTC: reason`.
func (p Pause) String() string {
	text := "paused"
	if p.By != "" {
		text += " by " + p.By
	}
	if !p.Since.IsZero() {
		text += " on " + minute(p.Since)
	}
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return text
}

// What names what it pauses.
func (p Pause) What() string {
	if p.Resource == "" {
		return "everything"
	}
	return cmp.Or(p.Name, p.Resource)
}

// GoOn is an order to start again what a pause has paused.
type GoOn struct {
	By     string    `json:"by"`
	From   string    `json:"-"` // as of Ordered, which keeps it
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
}

// Paused is what became of a pause.
type Paused struct {
	Settled bool      `json:"settled,omitempty"` // all is paused, and nothing sent before can start it any more
	At      time.Time `json:"at,omitzero"`       // when that was so first
	All     []Was     `json:"all,omitempty"`     // what it has paused, noted before it is sent
	Said    string    `json:"said,omitempty"`    // why it, or the last order to go on, was not carried out whole
	Could   Possible  `json:"could,omitzero"`    // what All could spend until then; zero where that is not known
}

// Possible is what could be spent, in micros of a currency.
type Possible struct {
	Currency string `json:"currency,omitempty"`
	Day      int64  `json:"day_micros,omitempty"`      // of daily budgets
	Lifetime int64  `json:"lifetime_micros,omitempty"` // of lifetime budgets, with what they had spent
}

// Was is something that delivered before it was paused.
type Was struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// StandingPause is a pause that stands, with what became of it.
type StandingPause struct {
	Pause
	Paused
	Begun bool  `json:"-"`               // the daemon has sent what pauses
	GoOn  *GoOn `json:"go_on,omitempty"` // somebody ordered to go on, and that is not carried out yet
}

// ErrNoPause says that a pause does not stand.
var ErrNoPause error = catalogue.Text("failed.no-pause")

// Pause gives the order.
func (p Place) Pause(o Pause) error {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	o.ID, o.Since = hex.EncodeToString(id[:]), o.Since.UTC().Truncate(time.Second)
	if err := p.write(pausePrefix+o.ID+".json", o); err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	err := errors.Join(p.Ring(ringing, o.Since),
		p.note(Ordered{Time: o.Since, Order: Pausing, By: o.By, From: o.From, Reason: o.Reason, Of: o.Name}))
	if err != nil {
		return fmt.Errorf("the pause stands, and who ordered it cannot be noted: %w", err)
	}
	return nil
}

// ringing is why an account is woken by an order: a daemon.Trigger.
const ringing = "asked"

// GoOn orders to end a pause. It is ErrNoPause where that does not stand.
func (p Place) GoOn(id string, g GoOn) error {
	if raw, err := hex.DecodeString(id); err != nil || len(raw) > 8 { // it comes from a form, and is no path
		return ErrNoPause
	}
	o, err := pauseOf(p, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNoPause
	case err != nil:
		return fmt.Errorf("go on: %w", err)
	}
	g.Since = g.Since.UTC().Truncate(time.Second)
	// who did so is noted first
	err = p.note(Ordered{Time: g.Since, Order: GoingOn, By: g.By, From: g.From, Reason: g.Reason, Of: o.Name})
	if err == nil {
		err = p.write(goOnPrefix+id+".json", g)
	}
	if err == nil {
		err = p.Ring(ringing, g.Since)
	}
	if err != nil {
		return fmt.Errorf("go on: %w", err)
	}
	return nil
}

// Pauses returns the pauses that stand, the oldest first. One that cannot be read stands, and is of all.
func (p Place) Pauses() (all []StandingPause, err error) {
	names, err := p.Names(pausePrefix)
	if err != nil {
		return nil, fmt.Errorf("read which pauses stand: %w", err)
	}
	for _, name := range names {
		id, whole := strings.CutSuffix(strings.TrimPrefix(name, pausePrefix), ".json")
		if !whole {
			continue
		}
		s, err := pauseOf(p, id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it ended meanwhile
		case err != nil:
			return nil, fmt.Errorf("read which pauses stand: %w", err)
		default:
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b StandingPause) int {
		return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

func pauseOf(p Place, id string) (s StandingPause, err error) {
	text, err := p.Get(pausePrefix+id+".json", largest)
	if err != nil {
		return s, err
	}
	if json.Unmarshal(text, &s.Pause) != nil {
		s.Pause = Pause{Reason: p.Where(pausePrefix+id+".json") +
			" cannot be read; as nobody can say otherwise, it is of all"}
	}
	s.ID = id
	switch text, err = p.Get(pausedPrefix+id+".json", mostPaused); {
	case err == nil:
		if s.Begun = json.Unmarshal(text, &s.Paused) == nil; !s.Begun {
			return s, fmt.Errorf("%s cannot be read", p.Where(pausedPrefix+id+".json"))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	var g GoOn
	switch err := p.read(goOnPrefix+id+".json", &g); {
	case err == nil:
		s.GoOn = &g
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	return s, nil
}

// mostPaused is how many bytes are read of what a pause has paused.
const mostPaused = 64 << 20

// KeepPaused notes what became of a pause. Only the daemon of the account does.
func (p Place) KeepPaused(id string, d Paused) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return p.fenced().Put(pausedPrefix+id+".json", append(text, '\n'))
}

// DropGoOn takes away an order to go on that was carried out as far as it could be.
func (p Place) DropGoOn(id string) error { return p.fenced().Delete(goOnPrefix + id + ".json") }

// EndPause takes a pause away of which nothing is left. The first record ends it, wherever this is cut off.
func (p Place) EndPause(id string) error {
	for _, prefix := range []string{pausePrefix, goOnPrefix, pausedPrefix} {
		if err := p.fenced().Delete(prefix + id + ".json"); err != nil {
			return err
		}
	}
	return nil
}

// fenced is where only the daemon of the account writes.
func (p Place) fenced() kv.Store {
	if p.Fenced != nil {
		return p.Fenced
	}
	return p.Store
}

// PauseFirst is ErrSuspended while a pause stands that nothing was sent of yet: it goes before anything else.
func (p Place) PauseFirst() error {
	all, err := p.Pauses()
	if err != nil {
		return order{ErrSuspended, fmt.Sprintf("nobody can say whether a pause stands, so nothing is sent: %v", err)}
	}
	for i := range all {
		if !all[i].Begun {
			return order{ErrSuspended, all[i].String() + "; the daemon of the account does that before " +
				"anything else is sent (" + p.Where(pausePrefix+all[i].ID+".json") + ")"}
		}
	}
	return nil
}
