package main

import (
	"log/slog"
	"testing"
	"time"

	"adsync/sources"
)

// The accounts of a daemon share the limits of the address they ask from, those of
// one service among each other; a single command has nobody to share them with.
func TestAccountsOfADaemonShareTheLimitsOfTheirAddress(t *testing.T) {
	d := &daemonRun{
		app: &app{console: console{env: func(string) string { return "" }}}, log: slog.New(slog.DiscardHandler),
	}
	var shared []*addresses
	for _, name := range []string{"spring", "summer"} {
		config := sources.DaemonAccount{Folder: t.TempDir()}
		config.Name.Value = name
		account := d.account(sources.Daemon{}, config)
		shared = append(shared, account.Worker.(*reviewer).of.app.addresses)
	}
	one := shared[0].of("https://ads.example/v1", time.Now)
	if one == nil || one != shared[1].of("https://ads.example/v1", time.Now) {
		t.Error("two accounts of one service do not share its limits")
	}
	if one == shared[1].of("https://other.example/v1", time.Now) {
		t.Error("accounts of two services share limits; want each its own")
	}
	if new(app).addresses.of("https://ads.example/v1", time.Now) != nil {
		t.Error("a command shares limits with nobody; want none")
	}
}
