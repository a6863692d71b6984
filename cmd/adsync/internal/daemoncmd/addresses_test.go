package daemoncmd

import (
	"log/slog"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/sources/config"
)

// The accounts of a daemon share the limits of the address they ask from, those of
// one service among each other; a single command has nobody to share them with.
func TestAccountsOfADaemonShareTheLimitsOfTheirAddress(t *testing.T) {
	d := &daemonRun{
		env: &session.Env{Console: console.Console{Getenv: func(string) string { return "" }}},
		log: slog.New(slog.DiscardHandler),
	}
	var shared []*session.Addresses
	for _, name := range []string{"spring", "summer"} {
		settings := config.DaemonAccount{Folder: t.TempDir()}
		settings.Name.Value = name
		account := d.account(config.Daemon{}, settings)
		shared = append(shared, account.Worker.(*reviewer).of.env.Addresses)
	}
	one := shared[0].Of("https://ads.example/v1", time.Now, nil)
	if one == nil || one != shared[1].Of("https://ads.example/v1", time.Now, nil) {
		t.Error("two accounts of one service do not share its limits")
	}
	if one == shared[1].Of("https://other.example/v1", time.Now, nil) {
		t.Error("accounts of two services share limits; want each its own")
	}
	if new(session.Env).Addresses.Of("https://ads.example/v1", time.Now, nil) != nil {
		t.Error("a command shares limits with nobody; want none")
	}
}
