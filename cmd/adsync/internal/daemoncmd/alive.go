package daemoncmd

import (
	"context"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/notify"
	"adsync/internal/secret"
	"adsync/sources/config"
)

// alive is what tells a monitor that the daemon moves; nil where none is named.
func (d *daemonRun) alive(config config.Daemon) (*notify.Alive, error) {
	if config.Alive.URL.From == "" {
		return nil, nil
	}
	url, err := d.secret(config.Alive.URL)
	if err != nil {
		return nil, err
	}
	moved := func(since time.Time) bool { return d.hub.Moved(since) }
	alive, err := notify.NewAlive(secret.New(url), config.Alive.Every, notify.AliveOptions{Log: d.log, Moved: moved})
	if err != nil {
		return nil, console.Configuration("%v", err)
	}
	return alive, nil
}

// checkAlive says what keeps a monitor from being told, before anything runs.
func (d *daemonRun) checkAlive(config config.Daemon) error {
	_, err := d.alive(config)
	return err
}

// askOnce tells the monitor of a daemon with --once that each account had its run.
func (d *daemonRun) askOnce(alive *notify.Alive) {
	if alive == nil || !d.flags.once {
		return
	}
	if err := alive.Ask(context.Background()); err != nil {
		d.log.Warn("the address of alive does not answer", "error", err)
	}
}
