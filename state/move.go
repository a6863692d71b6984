package state

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"adsync/internal/resource"
)

// keptMoves is how long a move is remembered: longer than any limit looks back.
const keptMoves = 72 * time.Hour

// Move is what an apply set out to do to spend: what was there before, so that
// limits hold for a day and not for each plan.
type Move struct {
	Run     string
	At      time.Time
	Before  int64 // possible spend of the account, in micros
	After   int64
	Amounts []Amount
}

// Amount is an amount as it was before a move.
type Amount struct {
	Address   resource.Address
	Attribute string
	Micros    int64
}

type moveRecord struct {
	At      time.Time      `json:"at"`
	Before  int64          `json:"before"`
	After   int64          `json:"after"`
	Amounts []amountRecord `json:"amounts,omitempty"`
}

type amountRecord struct {
	Address   string `json:"address"`
	Attribute string `json:"attribute"`
	Micros    int64  `json:"micros"`
}

// RecordMove writes a move, and drops those too old to count.
func (l history) RecordMove(_ context.Context, move Move) error {
	r := moveRecord{At: move.At.UTC(), Before: move.Before, After: move.After}
	for _, a := range move.Amounts {
		r.Amounts = append(r.Amounts, amountRecord{a.Address.String(), a.Attribute, a.Micros})
	}
	value, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record move of %s: %w", move.Run, err)
	}
	return l.change(func(b *batch) error {
		var old []string
		err := b.engine.each(classMove, func(run, value string) error {
			m, err := decodeMove(run, value)
			if err == nil && m.At.Before(move.At.Add(-keptMoves)) {
				old = append(old, run)
			}
			return err
		})
		for _, run := range old {
			b.remove(classMove, run)
		}
		b.put(classMove, move.Run, string(value))
		return err
	})
}

// Moves returns the moves since a moment, oldest first.
func (l history) Moves(_ context.Context, since time.Time) ([]Move, error) {
	var moves []Move
	err := l.each(classMove, func(run, value string) error {
		m, err := decodeMove(run, value)
		if err == nil && m.At.After(since) {
			moves = append(moves, m)
		}
		return err
	})
	slices.SortFunc(moves, func(a, b Move) int { return a.At.Compare(b.At) })
	return moves, err
}

func decodeMove(run, value string) (Move, error) {
	var r moveRecord
	if json.Unmarshal([]byte(value), &r) != nil {
		return Move{}, unreadable(record{classMove, run})
	}
	m := Move{Run: run, At: r.At, Before: r.Before, After: r.After}
	for _, a := range r.Amounts {
		address, ok := resource.ParseAddress(a.Address)
		if !ok {
			return Move{}, unreadable(record{classMove, run})
		}
		m.Amounts = append(m.Amounts, Amount{address, a.Attribute, a.Micros})
	}
	return m, nil
}

// Credit is what an apply left for the rest of its own plan: what was to be sent from
// where, and what its changes were shown to do to possible spend.
type Credit struct {
	Run   string
	At    time.Time
	Lost  int64 // micros of decreases that pay no longer
	Shown []Shown

	Desired, Last, Live *resource.Snapshot
}

// Shown is what a change was shown to do to possible spend, in micros.
type Shown struct {
	Address    resource.Address
	Rise, Fall int64
}

// Credits returns what applies left since a moment, oldest first.
func (l history) Credits(_ context.Context, since time.Time) ([]Credit, error) {
	var credits []Credit
	err := l.each(classCredit, func(run, value string) error {
		c, err := decodeCredit(run, value)
		if err == nil && c.At.After(since) {
			credits = append(credits, c)
		}
		return err
	})
	slices.SortFunc(credits, func(a, b Credit) int { return a.At.Compare(b.At) })
	return credits, err
}

// RecordCredits puts credits in the place of all there are. Where there are none
// before and after, nothing is written.
func (l history) RecordCredits(_ context.Context, credits []Credit) error {
	return l.change(func(b *batch) error {
		err := b.engine.each(classCredit, func(run, _ string) error {
			b.remove(classCredit, run)
			return nil
		})
		for i := range credits {
			value, failure := encodeCredit(&credits[i])
			if failure != nil {
				return fmt.Errorf("record credit of %s: %w", credits[i].Run, failure)
			}
			b.put(classCredit, credits[i].Run, value)
		}
		return err
	})
}

func encodeCredit(c *Credit) (string, error) {
	e := &encoder{}
	e.number(c.At.UnixMilli())
	e.number(c.Lost)
	e.count(len(c.Shown))
	for _, s := range c.Shown {
		e.text(s.Address.String())
		e.number(s.Rise)
		e.number(s.Fall)
	}
	for _, s := range []*resource.Snapshot{c.Desired, c.Last, c.Live} {
		e.count(s.Len())
		for r := range s.All() {
			e.text(r.Address.String())
			e.attributes(r.Attributes)
		}
	}
	return string(e.bytes), e.err
}

func decodeCredit(run, value string) (Credit, error) {
	d := &decoder{rest: value}
	c := Credit{Run: run, At: time.UnixMilli(d.number()).UTC(), Lost: d.number()}
	for range d.count() {
		c.Shown = append(c.Shown, Shown{Address: d.address(), Rise: d.number(), Fall: d.number()})
	}
	for _, s := range []**resource.Snapshot{&c.Desired, &c.Last, &c.Live} {
		*s = &resource.Snapshot{}
		for range d.count() {
			(*s).Add(&resource.Resource{Address: d.address(), Attributes: d.attributes()})
		}
	}
	return c, d.end(record{classCredit, run})
}
