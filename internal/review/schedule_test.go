package review

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestHowOftenReviewsAreRead: in virtual time, each row is what the reads find, in order,
// when an apply rings, and the minutes at which the service is asked.
func TestHowOftenReviewsAreRead(t *testing.T) {
	quiet, waits, failed, left := Pass{}, Pass{Waits: true}, Pass{Failed: true}, Pass{Left: true, Waits: true}
	tests := []struct {
		name   string
		finds  []Pass // the last goes on
		rings  []time.Duration
		within time.Duration
		want   []int
	}{
		{"hourly while nothing is in review", []Pass{quiet}, nil, 150 * time.Minute, []int{0, 60, 120}},
		{"every 5 minutes while something is", []Pass{waits, waits, quiet}, nil, 80 * time.Minute, []int{0, 5, 10, 70}},
		{"after an apply", []Pass{quiet, waits, quiet},
			[]time.Duration{20 * time.Minute}, 90 * time.Minute, []int{0, 20, 25, 85}},
		{"an apply right after a read waits for its minute",
			[]Pass{quiet}, []time.Duration{10 * time.Second}, 70 * time.Minute, []int{0, 1, 61}},
		{"many applies are read once a minute", []Pass{quiet}, []time.Duration{time.Second,
			time.Minute + time.Second, time.Minute + 2*time.Second}, 5 * time.Minute, []int{0, 1, 2}},
		{"a service that fails is asked again in 5 minutes",
			[]Pass{failed, quiet}, nil, 70 * time.Minute, []int{0, 5, 65}},
		{"what one share of the budget did not read",
			[]Pass{left, left, waits, quiet}, nil, 20 * time.Minute, []int{0, 1, 2, 7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				bell := make(chan struct{}, 1)
				var read []int
				w := &Watch{Bell: bell, Read: func(context.Context) Pass {
					read = append(read, int(time.Since(began)/time.Minute))
					return tt.finds[min(len(read), len(tt.finds))-1]
				}}
				ctx, stop := context.WithTimeout(t.Context(), tt.within)
				defer stop()
				for _, at := range tt.rings {
					time.AfterFunc(at, func() {
						select {
						case bell <- struct{}{}:
						default:
						}
					})
				}
				w.Run(ctx)
				if !slices.Equal(read, tt.want) {
					t.Errorf("the service was asked at minutes %v; want %v", read, tt.want)
				}
			})
		})
	}
}
