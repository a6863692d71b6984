package emulator

import (
	"encoding/json"
	"net/http"
	"time"

	"adsync/internal/emulator/conversion"
	"adsync/internal/emulator/wire"
)

// counted is how many conversion events of all accounts were taken.
type counted struct {
	Events int `json:"events"` // that count
	Twice  int `json:"twice"`  // of them, those that count beside an earlier one of their id
}

func (c *adControls) countEvents(*http.Request) (any, error) {
	var n counted
	for _, a := range c.world.Accounts() {
		err := a.View(func() error {
			n.Events += a.Conversions.Len()
			for _, e := range a.Conversions.All() {
				if e.Again > 0 {
					n.Twice++
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

// EventProblem is why the receiver would refuse a batch with an event in it.
type EventProblem struct {
	Field string // of the event, such as data.amount; "" is the whole
	Code  string
}

// CheckEvent holds one conversion event, as a server sends it, to the rules of the receiver at a
// time. Nothing is kept.
func CheckEvent(event json.RawMessage, now time.Time) []EventProblem {
	var problems []EventProblem
	for _, e := range conversion.Problems(event, now) {
		problems = append(problems, problemOf(e))
	}
	return problems
}

func problemOf(e *wire.Error) EventProblem { return EventProblem{Field: e.Param, Code: e.Code} }
