// Package live reads what the service holds: whole (refresh.go), by what changed (incremental.go),
// by lists and ids (listing.go, beneath.go, missing.go), back after a write (readback.go); the
// audit log (auditlog.go), figures (figures.go), reviews (reviews.go) and which audiences are too
// small (sizes.go). Open room.go first.
//
// It changes nothing at the service. A list that breaks off is never taken for a whole one.
package live

import "adsync/reconcile/env"

// Room reads what the service holds.
type Room struct {
	*Lists
	*Log
	*Actors
	*mirroring
	*refreshing
	*insights
	*reviewing
	*sizes
}

func New(env *env.Env, known *Memory, incremental, whole bool) *Room {
	x := &Room{}
	x.Lists = &Lists{Env: env, Memory: known}
	x.Log = &Log{Env: env, Lists: x.Lists}
	x.Actors = &Actors{Env: env}
	x.mirroring = &mirroring{Env: env, Lists: x.Lists, Log: x.Log, whole: whole}
	x.refreshing = &refreshing{Env: env, Lists: x.Lists, mirroring: x.mirroring, incremental: incremental}
	x.insights = &insights{Env: env}
	x.reviewing = &reviewing{Env: env, Lists: x.Lists}
	x.sizes = &sizes{Env: env}
	return x
}
