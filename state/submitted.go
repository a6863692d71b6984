package state

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// keptSubmissions is how many submissions of jobs are remembered: as many as the
// service takes within ten seconds (interface, part 8).
const keptSubmissions = 10

var submissions = record{classSubmitted, "jobs"}

// Submitted gives when jobs were last submitted, oldest first.
func (l *ledger) Submitted(_ context.Context) ([]time.Time, error) {
	var millis []int64
	err := l.view(func(b *batch) (err error) {
		millis, err = b.submitted()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read when jobs were submitted: %w", err)
	}
	times := make([]time.Time, len(millis))
	for i, at := range millis {
		times[i] = time.UnixMilli(at)
	}
	return times, nil
}

// RecordSubmitted adds a submission.
func (l *ledger) RecordSubmitted(_ context.Context, at time.Time) error {
	return l.change(func(b *batch) error {
		millis, err := b.submitted()
		if err != nil {
			return err
		}
		millis = append(millis, at.UnixMilli())
		value, err := json.Marshal(millis[max(0, len(millis)-keptSubmissions):])
		if err == nil {
			b.put(submissions.class, submissions.key, string(value))
		}
		return err
	})
}

func (b *batch) submitted() (millis []int64, err error) {
	value, there, err := b.get(submissions)
	if err == nil && there && json.Unmarshal([]byte(value), &millis) != nil {
		err = unreadable(submissions)
	}
	return millis, err
}
