// Package recover ends what an earlier run left open: rule.go has one rule a point of the journal,
// recover.go carries them out, decide.go reads back what a lost answer did, and resolve.go has
// a person decide. Open rule.go first.
//
// It never sends other bytes than those in the journal, and leaves open what nothing decides.
package recover

import (
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/send"
)

// Room ends and decides what earlier runs left open.
type Room struct {
	*recovering
	*deciding
	*membersRecovery
	*recovery
	*send.OpenSteps
	*resolver
}

func New(env *env.Env, live *live.Room, sent *send.Room) *Room {
	x := &Room{}
	x.recovering = &recovering{Env: env}
	x.deciding = &deciding{
		Env: env, Lists: live.Lists, Log: live.Log,
		Finisher: sent.Finisher, Keyring: sent.Keyring, recovering: x.recovering,
	}
	x.membersRecovery = &membersRecovery{
		Env: env, Members: sent.Members, recovering: x.recovering, deciding: x.deciding, Lists: live.Lists,
	}
	x.recovery = &recovery{
		Env: env, Lists: live.Lists, Members: sent.Members, Requests: sent.Requests, Follower: sent.Follower,
		Finisher: sent.Finisher, Sender: sent.Sender, Retries: sent.Retries, recovering: x.recovering,
		deciding: x.deciding, membersRecovery: x.membersRecovery, Payers: sent.Payers, Duplicates: sent.Duplicates,
	}
	x.OpenSteps = &send.OpenSteps{Env: env}
	x.resolver = &resolver{
		Env: env, Lists: live.Lists, Log: live.Log, recovery: x.recovery,
		recovering: x.recovering, OpenSteps: x.OpenSteps, Finisher: sent.Finisher, deciding: x.deciding,
	}
	return x
}
