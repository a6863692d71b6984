package daemoncmd

import (
	"slices"
	"testing"

	"adsync/sources/config"
)

// What a new configuration says and only a restart takes over is named, and nothing
// else is.
func TestWhatARestartAloneTakesOverIsNamed(t *testing.T) {
	setting := func(text string) config.Setting { return config.Setting{Value: text} }
	p := &page{config: config.Daemon{Hosts: []config.Setting{setting("ads.example.com")}}}
	for name, change := range map[string]func(*config.Daemon){
		"listen":       func(d *config.Daemon) { d.Listen = setting("127.0.0.1:1") },
		"token":        func(d *config.Daemon) { d.Token = config.KeyReference{From: "env", Setting: setting("T")} },
		"tls":          func(d *config.Daemon) { d.Key = setting("key.pem") },
		"behind_proxy": func(d *config.Daemon) { d.BehindProxy = true },
		"user_header":  func(d *config.Daemon) { d.UserHeader = setting("X-User") },
		"people, tokens or login": func(d *config.Daemon) {
			d.Access.Machines = []config.Machine{{Name: setting("nightly")}}
		},
		"hosts":    func(d *config.Daemon) { d.Hosts = nil },
		"pprof":    func(d *config.Daemon) { d.Pprof = true },
		"database": func(d *config.Daemon) { d.Database.From = "env" },
		"places":   func(d *config.Daemon) { d.Places = 4 },
	} {
		config := p.config
		change(&config)
		if got := p.moved(config); !slices.Equal(got, []string{name}) {
			t.Errorf("where %s is another, a restart is wanted for %q", name, got)
		}
	}
	same := p.config
	same.Hosts = []config.Setting{{Value: "ads.example.com"}}
	same.Accounts = []config.DaemonAccount{{Folder: "/srv/ads/shop"}}
	if got := p.moved(same); got != nil {
		t.Errorf("where an account came, a restart is wanted for %q", got)
	}
}
