package fault

import (
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// readVisibility: {"for": "60s"}. A list that is struck does not show what was
// created less than that ago; a create or a bulk job that is struck does not
// find its keys when they were first used less than that ago.
func readVisibility(o *wire.Object) action {
	d := duration(o, "for")
	return action{request: func(x *exchange) service.Response {
		x.call.Points = x.call.Points.With(openpoint.ListLag, d.String())
		return x.withoutKeys(x.sentKeys(), func(age time.Duration) bool { return age < d })
	}}
}

// sentKeys are the keys that the request carries.
func (x *exchange) sentKeys() map[string]bool {
	keys := map[string]bool{}
	if x.call.Key != "" {
		keys[x.call.Key] = true
	}
	for _, op := range submittedOperations(x.call) {
		if op.Key != "" {
			keys[op.Key] = true
		}
	}
	return keys
}

// withoutKeys carries a request out as if those of its keys were not known. A
// key that the request does not bind anew is known again afterwards, unless a
// job that is still to run was accepted: it would find it.
func (x *exchange) withoutKeys(keys map[string]bool, hidden func(age time.Duration) bool) service.Response {
	if len(keys) == 0 || x.call.Account == nil {
		return x.next()
	}
	forgotten, err := x.forget(func(key string, age time.Duration) bool { return keys[key] && hidden(age) })
	if err != nil {
		x.armed.failed(err.Error())
		return x.next()
	}
	resp := x.next()
	if resp.Status == 202 {
		return resp
	}
	if err := x.remember(forgotten); err != nil {
		x.armed.failed(err.Error())
	}
	return resp
}

// forgotten is what the account knew of keys.
type forgotten struct {
	keys []world.CreateKey
	jobs []world.Job
}

// forget takes keys away from creates and jobs. What a key is bound to is no
// resource, so the mutation log has no entry.
func (x *exchange) forget(gone func(key string, age time.Duration) bool) (f forgotten, err error) {
	a := x.call.Account
	err = a.Update(x.call.Cause(), func(tx *world.Tx) error {
		age := func(at int64) time.Duration { return tx.Now.Sub(time.UnixMilli(at)) }
		for _, row := range a.Keys.All() {
			if gone(row.Key, age(row.At)) {
				f.keys = append(f.keys, row)
				a.Keys.Delete(tx, world.CreateKeyID(row.Via, row.Resource, row.Key))
			}
		}
		for _, job := range a.Jobs.All() {
			if job.Key != "" && gone(job.Key, age(job.CreatedAt)) {
				f.jobs = append(f.jobs, job)
				job.Key = ""
				a.Jobs.Put(tx, job)
			}
		}
		return nil
	})
	return f, err
}

// remember puts back what nobody bound anew.
func (x *exchange) remember(f forgotten) error {
	if len(f.keys)+len(f.jobs) == 0 {
		return nil
	}
	a := x.call.Account
	return a.Update(x.call.Cause(), func(tx *world.Tx) error {
		for _, row := range f.keys {
			if _, bound := a.Keys.Get(world.CreateKeyID(row.Via, row.Resource, row.Key)); !bound {
				a.Keys.Put(tx, row)
			}
		}
		for _, was := range f.jobs {
			if job, ok := a.Jobs.Get(was.ID); ok && len(a.JobsByKey.Of(was.Key)) == 0 {
				job.Key = was.Key
				a.Jobs.Put(tx, job)
			}
		}
		return nil
	})
}
