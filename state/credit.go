package state

import (
	"context"
	"fmt"
	"slices"
	"time"

	"adsync/internal/resource"
)

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
func (l *ledger) Credits(_ context.Context, since time.Time) ([]Credit, error) {
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
func (l *ledger) RecordCredits(_ context.Context, credits []Credit) error {
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
