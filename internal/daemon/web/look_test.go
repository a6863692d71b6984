package web

import (
	"testing"
	"testing/synctest"
	"time"
)

// A file that was dropped is in memory for as long as is said, whether or not somebody
// asks for it.
func TestADroppedFileIsKeptAsLongAsIsSaid(t *testing.T) {
	for _, row := range []struct {
		name  string
		said  time.Duration
		lasts time.Duration
	}{
		{"nothing is said", 0, 15 * time.Minute},
		{"a minute", time.Minute, time.Minute},
		{"an hour", time.Hour, time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l looks
				l.keep(look{account: "shop", content: []byte("names of people")}, time.Now(), row.said)
				time.Sleep(row.lasts - time.Second)
				synctest.Wait()
				if len(l.all) != 1 {
					t.Errorf("it is gone after %s; want it to last %s", row.lasts-time.Second, row.lasts)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if len(l.all) != 0 {
					t.Errorf("it is in memory after %s", row.lasts)
				}
			})
		})
	}
}
