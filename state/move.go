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
func (l *ledger) RecordMove(_ context.Context, move Move) error {
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

// Moves gives the moves since a moment, oldest first.
func (l *ledger) Moves(_ context.Context, since time.Time) ([]Move, error) {
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
