package reconcile

import (
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/people"
)

// sendRoom brings one step to its end.
type sendRoom struct {
	*people.Members
	*keyring
	*requests
	*duplicates
	*payers
	*finisher
	*follower
	*sender
	*retries
	*singles
}

func newSendRoom(env *env.Env, polls *pollEstimator, live *live.Room) *sendRoom {
	x := &sendRoom{}
	x.Members = &people.Members{Env: env}
	x.keyring = &keyring{Env: env}
	x.requests = &requests{Env: env}
	x.duplicates = &duplicates{Env: env, requests: x.requests}
	x.payers = &payers{Env: env, Actors: live.Actors}
	x.finisher = &finisher{Env: env, keyring: x.keyring, duplicates: x.duplicates, payers: x.payers}
	x.follower = &follower{Env: env, polls: polls}
	x.sender = &sender{Env: env, requests: x.requests, follower: x.follower, finisher: x.finisher}
	x.retries = &retries{Env: env, Lists: live.Lists, keyring: x.keyring, finisher: x.finisher}
	x.singles = &singles{
		Env: env, Lists: live.Lists, requests: x.requests, finisher: x.finisher, keyring: x.keyring, Members: x.Members,
	}
	return x
}
