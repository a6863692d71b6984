package postgres

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

// A pull counts the accounts that nobody looks after. Where as many are there as before, one was given back and another
// taken, it finds that one all the same, a few pulls later.
func TestAPullFindsWhatIsFreeInThePlaceOfAnother(t *testing.T) {
	address := pgtest.Database(t)
	var daemons []*Attendance
	for range 3 {
		daemons = append(daemons, open(t, address, 5*time.Minute).Attendance())
		_, err := daemons[len(daemons)-1].Pull(t.Context(), nil)
		noError(t, err)
	}
	noError(t, daemons[0].Configure(t.Context(), []string{"a", "b", "of another configuration"}))
	names := []string{"a", "b"}
	var held []string
	for _, d := range daemons {
		s, err := d.Pull(t.Context(), names)
		noError(t, err)
		held = append(held, s.Held...)
	}
	slices.Sort(held)
	if !slices.Equal(held, names) {
		t.Fatalf("three daemons hold %v; want %v", held, names)
	}
	noError(t, daemons[0].GiveBack(t.Context(), held[0]))
	noError(t, daemons[1].GiveBack(t.Context(), held[0])) // whoever has it
	_, err := daemons[0].database.pool.Exec(t.Context(), `UPDATE adsync.attendance SET worker = $1
		WHERE name = 'of another configuration'`, daemons[1].attends)
	noError(t, err)
	for range unheldAgain {
		s, err := daemons[2].Pull(t.Context(), names)
		noError(t, err)
		if slices.Equal(s.Held, held[:1]) {
			return
		}
	}
	t.Errorf("after %d pulls the third daemon does not have what was given back", unheldAgain)
}

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
