// Package web is the daemon for those who are not at its machine: health and
// metrics for programs that watch, /api/v1 for programs that give orders, and a
// page for people.
//
// It refuses to decide anything: every answer comes from a daemon.Desk, and every
// order goes to it. It asks no address, writes no file, and keeps nothing that
// has to outlive it. Its one invariant: no order without the token, from
// wherever it comes (faults.md X13).
package web
