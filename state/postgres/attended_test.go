package postgres

import (
	"errors"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

// A process that was frozen until another looks after its account changes nothing of what is kept beside the account
// for who does, by its own clock or by the database's.
func TestWhoFrozeChangesNothingBesideAnAccount(t *testing.T) {
	address := pgtest.Database(t)
	froze, other := open(t, address, 5*time.Minute), open(t, address, 5*time.Minute)
	noError(t, froze.Attendance().Configure(t.Context(), []string{"a"}))
	pull(t, froze, []string{"a"})
	late := froze.Attended("a")
	noError(t, late.Put("ahead.json", []byte("seven")))
	noError(t, late.Put("ahead.json", []byte("eight")))
	froze.worker.stop()
	froze.worker.beaten.Wait()
	_, err := other.pool.Exec(t.Context(), `UPDATE adsync.worker SET ends = clock_timestamp() - interval '1 s'
		WHERE id = $1`, froze.attendance.worker())
	noError(t, err)
	if err := late.Put("ahead.json", []byte("late")); !errors.Is(err, ErrFenced) {
		t.Errorf("Put() once the lease has ended = %v; want ErrFenced", err)
	}
	if s := pull(t, other, []string{"a"}); len(s.Held) != 1 {
		t.Fatalf("the other holds %q; want a", s.Held)
	}
	noError(t, other.Attended("a").Put("ahead.json", []byte("nine")))
	for what, err := range map[string]error{
		"Put()": late.Put("ahead.json", []byte("late")), "Delete()": late.Delete("ahead.json"),
		"Put() of an account of nobody": other.Attended("b").Put("ahead.json", nil),
	} {
		if !errors.Is(err, ErrFenced) {
			t.Errorf("%s = %v; want ErrFenced", what, err)
		}
	}
	if content, err := late.Get("ahead.json", 100); err != nil || string(content) != "nine" {
		t.Errorf("beside the account is %q, %v; want what the other put there", content, err)
	}
	noError(t, other.Attended("a").Delete("ahead.json"))
	if content, err := late.Get("ahead.json", 100); err == nil {
		t.Errorf("beside the account is %q; want nothing", content)
	}
}
