package reconcile

import (
	"adsync/reconcile/env"
	"adsync/reconcile/live"
)

// recoverRoom ends and decides what earlier runs left open.
type recoverRoom struct {
	*recovering
	*deciding
	*membersRecovery
	*recovery
	*openSteps
	*resolver
}

func newRecoverRoom(env *env.Env, live *live.Room, sent *sendRoom) *recoverRoom {
	x := &recoverRoom{}
	x.recovering = &recovering{Env: env}
	x.deciding = &deciding{
		Env: env, Lists: live.Lists, Log: live.Log,
		finisher: sent.finisher, keyring: sent.keyring, recovering: x.recovering,
	}
	x.membersRecovery = &membersRecovery{
		Env: env, Members: sent.Members, recovering: x.recovering, deciding: x.deciding, Lists: live.Lists,
	}
	x.recovery = &recovery{
		Env: env, Lists: live.Lists, Members: sent.Members, requests: sent.requests, follower: sent.follower,
		finisher: sent.finisher, sender: sent.sender, retries: sent.retries, recovering: x.recovering,
		deciding: x.deciding, membersRecovery: x.membersRecovery, payers: sent.payers, duplicates: sent.duplicates,
	}
	x.openSteps = &openSteps{Env: env}
	x.resolver = &resolver{
		Env: env, Lists: live.Lists, Log: live.Log, recovery: x.recovery,
		recovering: x.recovering, openSteps: x.openSteps, finisher: sent.finisher, deciding: x.deciding,
	}
	return x
}
