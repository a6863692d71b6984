package main

import (
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/state"
)

// TestS14TheStateOfAnotherAccountSendsNothing has the real command run on the
// folder of another account, or of one with this one's id in another currency or
// time zone: it is refused, and says so.
func TestS14TheStateOfAnotherAccountSendsNothing(t *testing.T) {
	for name, other := range map[string]state.Account{
		"another id":        {ID: "adacct_other", Currency: "USD", TimeZone: "America/New_York"},
		"another currency":  {ID: "adacct_kills", Currency: "EUR", TimeZone: "America/New_York"},
		"another time zone": {ID: "adacct_kills", Currency: "USD", TimeZone: "Europe/Paris"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newDiskHistory(t)
			s, err := state.Open(t.Context(), filepath.Join(h.dir, ".adsync"), state.Options{})
			noError(t, err)
			noError(t, s.Bind(t.Context(), other))
			noError(t, s.Close())
			for _, args := range [][]string{{"plan"}, {"apply", "--yes"}, {"resume"}} {
				c, said := h.command(args...)
				_ = c.Run()
				if code := c.ProcessState.ExitCode(); code != console.ExitUsage ||
					!strings.Contains(said.String(), "ADS3003") || !strings.Contains(said.String(), other.ID) {
					t.Errorf("%v: code %d; want %d, ADS3003 and the account of the state\n%s",
						args, code, console.ExitUsage, said)
				}
			}
			if n := len(h.created()); n != 0 {
				t.Errorf("%d resources were created; want none", n)
			}
		})
	}
}
