// Package web is the daemon for those who are not at its machine: health and
// metrics for programs that watch, /api/v1 for programs that give orders, and a
// page for people.
//
// It refuses to decide anything: every answer comes from a daemon.Desk, and every
// order goes to it. It asks no address, writes no file, and keeps nothing that
// has to outlive it. Its one invariant: no order without the token, or of
// somebody without the role, from wherever it comes (faults.md X13).
//
// server.go has the routes; api.go and api_orders.go answer programs, page_account.go and
// page_forms.go people; guard.go, named.go and session.go ask who it is and slow tries,
// orders.go has what people and programs order alike, look.go keeps the marked copies of looks
// at a file, health.go is for probes, events.go streams. What a view computes is in a package of
// its own below this one, which has its template and knows no request: campaigns is a model.
package web
