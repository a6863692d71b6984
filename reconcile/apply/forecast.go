package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/live"
	"adsync/reconcile/people"
	"adsync/reconcile/send"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Foresee goes through the waves, and notes each request instead of sending it.
func (r *Run) Foresee(ctx context.Context) (*plan.Requests, error) {
	r.Store, r.asks, r.started, r.forecast = quiet{r.Store}, r.foreseeing, r.Now(), &forecast{}
	files, err := r.Store.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the uploaded images: %w", err)
	}
	r.files = files
	if err := r.findCapabilities(ctx); err != nil {
		return nil, err
	}
	if _, err := r.preflight(ctx); err != nil {
		return nil, err
	}
	if err := r.waves(ctx); err != nil {
		return nil, err
	}
	return r.forecast.sum(), nil
}

// foreseeing is the form of a run that notes what an apply would send.
type foreseeing struct {
	*env.Env
	*run
	*parts
	*preflighting
}

// forecast notes requests.
type forecast struct{ requests []plan.Request }

// note adds requests to those that are like them.
func (f *forecast) note(q plan.Request) {
	i := slices.IndexFunc(f.requests, func(o plan.Request) bool {
		return o.Wave == q.Wave && o.Method == q.Method && o.Path == q.Path && o.Why == q.Why && o.AtLeast == q.AtLeast
	})
	if i < 0 {
		q.FollowUp = q.Wave == "follow-up"
		f.requests = append(f.requests, q)
		return
	}
	o := &f.requests[i]
	o.Count, o.Bytes, o.Operations = o.Count+q.Count, o.Bytes+q.Bytes, append(o.Operations, q.Operations...)
}

func (f *forecast) read(wave, path string, count int) {
	if count > 0 {
		f.note(plan.Request{Wave: wave, Method: "GET", Path: path, Count: count, AtLeast: true})
	}
}

// sum adds up, and gives the time the limits of the service dictate.
func (f *forecast) sum() *plan.Requests {
	all := &plan.Requests{Requests: f.requests}
	if all.Requests == nil {
		all.Requests = []plan.Request{}
	}
	limits := adsapi.DefaultLimits()
	endpoints, submitted := map[string]int{}, 0
	for _, q := range f.requests {
		all.Total += q.Count
		endpoints[q.Path] += q.Count
		if q.Path == jobsPath && q.Method == "POST" {
			submitted += q.Count
			if q.Wave != "check" {
				all.Jobs += q.Count
			}
		}
	}
	longest := limits.Least(all.Total, submitted)
	for _, n := range endpoints {
		longest = max(longest, limits.LeastOf(n))
	}
	all.Seconds = int((longest + time.Second - 1) / time.Second)
	return all
}

// placeholder stands for an id the service has not given yet.
func placeholder(address resource.Address) string {
	return "id-of-" + string(address.Kind) + "-" + strings.ReplaceAll(address.Key, "/", "-")
}

// predict settles operations as an apply does when the service agrees.
func (r *run) predict(p wire.Part) {
	address := p.Change.Address
	id := r.ids[address]
	if id == "" {
		id = placeholder(address)
	}
	r.setOutcome(p, state.OperationOutcome{Address: address, ResourceID: id, Outcome: state.OutcomeApplied})
}

// predictJobs notes jobs, and what is asked after each.
func (r *jobs) predictJobs(ctx context.Context, wave string, batches []wire.Batch) error {
	for _, b := range batches {
		step, err := r.jobStep(ctx, wave, b)
		if err != nil {
			return err
		}
		r.forecast.note(plan.Request{
			Wave: wave, Method: "POST", Path: jobsPath, Count: 1, Operations: []int{len(b)}, Bytes: len(step.Body),
		})
		if send.NeedsResults(step) {
			r.forecast.read(wave, jobsPath+"/{id}/operations", (len(b)+99)/100)
		} else {
			r.forecast.read(wave, jobsPath+"/{id}", 1)
		}
		for _, p := range b {
			if p.Repeat {
				r.caps[resource.RepeatParent] = true
				continue
			}
			r.predict(p.Part)
		}
	}
	return nil
}

// predictSteps notes single requests.
func (r *singleRequests) predictSteps(wave string, steps []state.Step, parts []wire.Part) {
	for i, step := range steps {
		r.forecast.note(plan.Request{
			Wave: wave, Method: "POST", Path: r.pattern(parts[i], step.Path),
			Count: 1, Bytes: len(step.Body), Why: r.whyAlone(parts[i]),
		})
		r.predict(parts[i])
	}
}

// pattern is a path with {id} for the id in it.
func (r *run) pattern(p wire.Part, path string) string {
	return "/" + strings.TrimPrefix(strings.Join(wire.CallOf(r.Schemas, p).At("{id}"), "/"), "/")
}

// predictReads notes the reads of resources by their ids, or by lists where that
// is fewer.
func (r *run) predictReads(wave string, expected []live.Expectation) {
	kinds, parents := map[resource.Kind]int{}, map[resource.Kind]map[resource.Address]bool{}
	for _, e := range expected {
		kinds[e.Address.Kind]++
		if parents[e.Address.Kind] == nil {
			parents[e.Address.Kind] = map[resource.Address]bool{}
		}
		parents[e.Address.Kind][r.Schemas.Parent(e.Address)] = true
	}
	for _, schema := range r.Schemas {
		n := kinds[schema.Kind]
		pages, fewer := r.Census.ByList(schema.Kind, n, len(parents[schema.Kind]))
		switch {
		case n == 0:
		case schema.Listing.Path != "":
			r.forecast.read(wave, "/"+schema.Listing.Path, 1)
		case schema.Listing.NoRead:
			r.forecast.read(wave, "/"+schema.Collection, 1)
		case fewer:
			r.forecast.read(wave, "/"+schema.Collection, pages)
		default:
			r.forecast.read(wave, "/"+schema.Collection+"/{id}", n)
		}
	}
}

// predictMembers notes an operation on people: what is read before, the request,
// and what is asked for until it has ended.
func (r *memberWaves) predictMembers(ctx context.Context,
	wave string, p wire.Part, step func() (state.Step, error)) error {
	collection := "/" + r.Schemas.Of(p.Change.Address.Kind).Collection
	r.forecast.read(wave, collection+"/{id}", 1)
	if step == nil {
		r.predict(p)
		return nil
	}
	_, file := r.membershipOf(p.Change)
	if file != nil && r.goesInline(file) {
		return r.predictInline(ctx, wave, p, file)
	}
	if file != nil && !wire.IsNew(p.Change) {
		if err := r.uploadPeople(ctx, wire.Part{Change: p.Change, Fields: []plan.Field{*file}}); err != nil {
			return err
		}
	}
	s, err := step()
	if err != nil {
		return err
	}
	r.forecast.note(plan.Request{
		Wave: wave, Method: "POST", Path: strings.Replace(s.Path, "/"+r.ids[p.Change.Address]+"/", "/{id}/", 1),
		Count: 1, Bytes: len(s.Body),
	})
	r.forecast.read(wave, collection+"/{id}/operations/{id}", 1)
	r.predict(p)
	return nil
}

// predictInline notes the requests of a list whose people go in them.
func (r *memberWaves) predictInline(ctx context.Context, wave string, p wire.Part, file *plan.Field) error {
	live := r.view.Live.Snapshot.Get(p.Change.Address)
	var seen people.Progressed
	if live != nil && !wire.IsNew(p.Change) {
		seen.Revision, _ = live.Value(r.Schemas.Of(p.Change.Address.Kind).Membership.Revision).Number()
	}
	list, obstacle, err := r.inlineListOf(p, file, seen)
	if err != nil || obstacle != "" {
		r.predict(p)
		return err
	}
	collection := "/" + r.Schemas.Of(p.Change.Address.Kind).Collection
	for ; list.done < len(list.hashes); list = list.after() {
		_, m, err := r.inlineStep(ctx, p, list, seen.Revision)
		if err != nil {
			return err
		}
		r.forecast.note(plan.Request{
			Wave: wave, Method: "POST", Path: collection + "/{id}/" + list.operation.Name, Count: 1, Bytes: len(m.Body),
		})
		r.forecast.read(wave, collection+"/{id}/operations/{id}", 1)
	}
	r.predict(p)
	return nil
}

// supposeJobs asks at once, as no preflight is sent that tells.
func (r *foreseeing) supposeJobs(ctx context.Context) error {
	r.caps[resource.BulkJobs] = true
	noted := r.forecast.requests
	r.forecast.requests = slices.Clone(noted)
	err := r.probe(ctx, resource.BulkJobs, "lifetime")
	r.forecast.requests = noted
	r.supposed = r.caps[resource.BulkJobs]
	if err != nil || r.supposed {
		return err
	}
	return r.predictRefusal(ctx)
}

// dryRun asks now, and notes that an apply asks once more.
func (r *foreseeing) dryRun(ctx context.Context, body []byte) (validation, error) {
	r.forecast.note(plan.Request{
		Wave: "check", Method: "POST", Path: jobsPath, Count: 1, Operations: []int{1}, Bytes: len(body),
	})
	r.forecast.read("check", jobsPath+"/{id}", 1)
	return r.preflighting.dryRun(ctx, body)
}

// validateCreates notes the jobs of a preflight.
func (r *foreseeing) validateCreates(_ context.Context,
	checks []wire.Batch, _ map[resource.Address]string) ([]diag.Problem, error) {
	for _, b := range checks {
		body, err := b.Body(true)
		if err != nil {
			return nil, err
		}
		r.forecast.note(plan.Request{
			Wave: "check", Method: "POST", Path: jobsPath, Count: 1, Operations: []int{len(b)}, Bytes: len(body),
		})
		r.forecast.read("check", jobsPath+"/{id}", 1)
	}
	r.supposed = r.supposed && len(checks) == 0
	return nil, nil
}

// predictRefusal notes the job by which an apply learns that the account has none:
// the first of its preflight, or one that only asks.
func (r *foreseeing) predictRefusal(ctx context.Context) error {
	r.caps[resource.BulkJobs] = true
	checks, _, err := r.preflightJobs(ctx)
	r.caps[resource.BulkJobs] = false
	if err != nil {
		return err
	}
	check, err := probeBatch("lifetime")
	if len(checks) > 0 {
		check = checks[0]
	}
	if err != nil {
		return err
	}
	body, err := check.Body(true)
	if err != nil {
		return err
	}
	r.forecast.note(plan.Request{
		Wave: "check", Method: "POST", Path: jobsPath, Count: 1, Operations: []int{len(check)}, Bytes: len(body),
	})
	return nil
}
