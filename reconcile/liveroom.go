package reconcile

import "adsync/reconcile/env"

// liveRoom reads what the service holds.
type liveRoom struct {
	*lists
	*auditLog
	*actors
	*mirroring
	*refreshing
	*insights
	*reviewing
}

func newLiveRoom(env *env.Env, known *memory, incremental, whole bool) *liveRoom {
	x := &liveRoom{}
	x.lists = &lists{Env: env, memory: known}
	x.auditLog = &auditLog{Env: env, lists: x.lists}
	x.actors = &actors{Env: env}
	x.mirroring = &mirroring{Env: env, lists: x.lists, auditLog: x.auditLog, whole: whole}
	x.refreshing = &refreshing{Env: env, lists: x.lists, mirroring: x.mirroring, incremental: incremental}
	x.insights = &insights{Env: env}
	x.reviewing = &reviewing{Env: env, lists: x.lists}
	return x
}
