package daemoncmd

import (
	"slices"
	"testing"

	"adsync/sources"
)

// What a new configuration says and only a restart takes over is named, and nothing
// else is.
func TestWhatARestartAloneTakesOverIsNamed(t *testing.T) {
	setting := func(text string) sources.Setting { return sources.Setting{Value: text} }
	p := &page{config: sources.Daemon{Hosts: []sources.Setting{setting("ads.example.com")}}}
	for name, change := range map[string]func(*sources.Daemon){
		"listen":       func(d *sources.Daemon) { d.Listen = setting("127.0.0.1:1") },
		"token":        func(d *sources.Daemon) { d.Token = sources.KeyReference{From: "env", Setting: setting("T")} },
		"tls":          func(d *sources.Daemon) { d.Key = setting("key.pem") },
		"behind_proxy": func(d *sources.Daemon) { d.BehindProxy = true },
		"user_header":  func(d *sources.Daemon) { d.UserHeader = setting("X-User") },
		"hosts":        func(d *sources.Daemon) { d.Hosts = nil },
		"pprof":        func(d *sources.Daemon) { d.Pprof = true },
		"places":       func(d *sources.Daemon) { d.Places = 4 },
	} {
		config := p.config
		change(&config)
		if got := p.moved(config); !slices.Equal(got, []string{name}) {
			t.Errorf("where %s is another, a restart is wanted for %q", name, got)
		}
	}
	same := p.config
	same.Hosts = []sources.Setting{{Value: "ads.example.com"}}
	same.Accounts = []sources.DaemonAccount{{Folder: "/srv/ads/shop"}}
	if got := p.moved(same); got != nil {
		t.Errorf("where an account came, a restart is wanted for %q", got)
	}
}
