package postgres

import (
	"fmt"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

// BenchmarkPull is a look of one of ten daemons at who looks after which account, in which nothing is to be taken.
func BenchmarkPull(b *testing.B) {
	for _, accounts := range []int{300, 10_000, 100_000} {
		b.Run(fmt.Sprint(accounts), func(b *testing.B) {
			address := pgtest.Database(b)
			names := make([]string, accounts)
			for i := range names {
				names[i] = fmt.Sprintf("client-%06d", i)
			}
			var daemons []*Attendance
			for range 10 { // all are there before there is anything to share
				daemons = append(daemons, open(b, address, 5*time.Minute).Attendance())
				_, err := daemons[len(daemons)-1].Pull(b.Context(), nil)
				noError(b, err)
			}
			noError(b, daemons[0].Configure(b.Context(), names))
			for _, d := range daemons {
				_, err := d.Pull(b.Context(), names)
				noError(b, err)
			}
			for b.Loop() {
				_, err := daemons[0].Pull(b.Context(), names)
				noError(b, err)
			}
		})
	}
}
