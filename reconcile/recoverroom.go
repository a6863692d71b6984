package reconcile

import "adsync/reconcile/env"

// recoverRoom ends and decides what earlier runs left open.
type recoverRoom struct {
	*recovering
	*deciding
	*membersRecovery
	*recovery
	*openSteps
	*resolver
}

func newRecoverRoom(env *env.Env, live *liveRoom, sent *sendRoom) *recoverRoom {
	x := &recoverRoom{}
	x.recovering = &recovering{Env: env}
	x.deciding = &deciding{
		Env: env, lists: live.lists, auditLog: live.auditLog,
		finisher: sent.finisher, keyring: sent.keyring, recovering: x.recovering,
	}
	x.membersRecovery = &membersRecovery{
		Env: env, members: sent.members, recovering: x.recovering, deciding: x.deciding, lists: live.lists,
	}
	x.recovery = &recovery{
		Env: env, lists: live.lists, members: sent.members, requests: sent.requests, follower: sent.follower,
		finisher: sent.finisher, sender: sent.sender, retries: sent.retries, recovering: x.recovering,
		deciding: x.deciding, membersRecovery: x.membersRecovery, payers: sent.payers, duplicates: sent.duplicates,
	}
	x.openSteps = &openSteps{Env: env}
	x.resolver = &resolver{
		Env: env, lists: live.lists, auditLog: live.auditLog, recovery: x.recovery,
		recovering: x.recovering, openSteps: x.openSteps, finisher: sent.finisher, deciding: x.deciding,
	}
	return x
}
