// Package send brings one step of the journal to its end: a job (submit.go, follow.go), a single
// request (request.go), what became of each operation (results.go), what a lost answer
// did, where the same run can tell (inferlost.go; after a kill reconcile/recover does), what goes once more
// (retryset.go) and what came into being twice (duplicate.go). Open room.go first.
//
// Its invariant: the exact bytes of a step and its key are durable before the first is sent.
package send

import (
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/people"
)

// Room brings one step to its end.
type Room struct {
	*people.Members
	*Keyring
	*Requests
	*Duplicates
	*Payers
	*Finisher
	*Follower
	*Sender
	*Retries
	*Singles
}

func New(env *env.Env, polls *PollEstimator, live *live.Room) *Room {
	x := &Room{}
	x.Members = &people.Members{Env: env}
	x.Keyring = &Keyring{Env: env}
	x.Requests = &Requests{Env: env}
	x.Duplicates = &Duplicates{Env: env, Requests: x.Requests}
	x.Payers = &Payers{Env: env, Actors: live.Actors}
	x.Finisher = &Finisher{Env: env, Keyring: x.Keyring, Duplicates: x.Duplicates, Payers: x.Payers}
	x.Follower = &Follower{Env: env, polls: polls}
	x.Sender = &Sender{Env: env, Requests: x.Requests, Follower: x.Follower, Finisher: x.Finisher}
	x.Retries = &Retries{Env: env, Lists: live.Lists, Keyring: x.Keyring, Finisher: x.Finisher}
	x.Singles = &Singles{
		Env: env, Lists: live.Lists, Requests: x.Requests, Finisher: x.Finisher, Keyring: x.Keyring, Members: x.Members,
	}
	return x
}
