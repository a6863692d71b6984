package orders

import (
	"fmt"
	"time"
)

// handoverName is the wish of a person's command for the account, while a daemon has a run there.
const handoverName = "handover.json"

// Handover is that wish. Who wishes says so again with another word: one that says nothing more is gone.
type Handover struct {
	By      string    `json:"by"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
	Word    int       `json:"word"`
}

// String returns `anna wants it for adsync apply on host since 2026-01-02 15:04 UTC`.
func (h Handover) String() string {
	return fmt.Sprintf("%s wants it for %s on %s since %s", h.By, h.Command, h.Host, minute(h.Since))
}

// WishHandover leaves the wish, in place of the one before.
func (p Place) WishHandover(h Handover) error { return p.write(handoverName, h) }

// EndHandover takes it away.
func (p Place) EndHandover() error { return p.Delete(handoverName) }

// Handover returns the wish that lies there; where there is none, or it cannot be read, nobody wishes.
func (p Place) Handover() (h Handover, wished bool) {
	err := p.read(handoverName, &h)
	return h, err == nil
}

// Handing follows the wishes for one account. Its zero value has seen none.
type Handing struct {
	seen Handover
	at   time.Time // when it was seen first
}

// goneAfter is how long a wish stands that is not repeated; it is repeated every WishEvery.
const (
	WishEvery = 3 * time.Second
	goneAfter = 5 * WishEvery
)

// Stands returns the wish that stands at a moment. It needs no clock but that of who asks.
func (h *Handing) Stands(p Place, now time.Time) (Handover, bool) {
	wish, wished := p.Handover()
	if !wished {
		h.seen = Handover{}
		return wish, false
	}
	if wish != h.seen {
		h.seen, h.at = wish, now
	}
	return wish, now.Sub(h.at) < goneAfter
}
