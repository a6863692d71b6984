// Package daemoncmd wires the daemon: it reads its configuration, gives each account
// a worker and its files, and connects the loops of internal/daemon with the page,
// webhooks, notifications and systemd.
//
// A worker does one run from files to report (worker.go). When it runs is decided
// by internal/daemon, what is sent by reconcile.
package daemoncmd
