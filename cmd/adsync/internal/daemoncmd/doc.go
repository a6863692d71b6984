// Package daemoncmd wires the daemon: it reads its configuration, gives each account
// a worker and its files, and connects the loops of internal/daemon with the page,
// webhooks, notifications and systemd.
//
// A worker does one run from files to report (worker.go). When it runs is decided
// by internal/daemon, what is sent by reconcile.
//
// daemon.go starts all, account.go makes what the loop of an account needs, carryout.go is a
// run that the daemon watches; folder.go and git.go notice new files, look.go plans with a file
// that was dropped on the page, upload.go commits it, copies.go and writeback.go give workbooks
// their results, notify.go tells people, listen.go opens the page.
package daemoncmd
