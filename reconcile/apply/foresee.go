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
	r.Store, r.asks, r.world, r.started = quiet{r.Store}, r.foreseeing, r.foreseeing, r.Now()
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
	return r.foreseeing.sum(), nil
}

// foreseeing is the form of a run that notes what an apply would send.
type foreseeing struct {
	*env.Env
	*run
	*parts
	*jobs
	*singleRequests
	*readback
	*memberWaves
	*preflighting

	requests []plan.Request
}

// note adds requests to those that are like them.
func (r *foreseeing) note(q plan.Request) {
	i := slices.IndexFunc(r.requests, func(o plan.Request) bool {
		return o.Wave == q.Wave && o.Method == q.Method && o.Path == q.Path && o.Why == q.Why && o.AtLeast == q.AtLeast
	})
	if i < 0 {
		q.FollowUp = q.Wave == "follow-up"
		r.requests = append(r.requests, q)
		return
	}
	o := &r.requests[i]
	o.Count, o.Bytes, o.Operations = o.Count+q.Count, o.Bytes+q.Bytes, append(o.Operations, q.Operations...)
}

// noteCheck notes a validate_only job.
func (r *foreseeing) noteCheck(operations int, body []byte) {
	r.note(plan.Request{
		Wave: "check", Method: "POST", Path: jobsPath, Count: 1, Operations: []int{operations}, Bytes: len(body),
	})
}

func (r *foreseeing) noteRead(wave, path string, count int) {
	if count > 0 {
		r.note(plan.Request{Wave: wave, Method: "GET", Path: path, Count: count, AtLeast: true})
	}
}

// sum adds up, and gives the time the limits of the service dictate.
func (r *foreseeing) sum() *plan.Requests {
	all := &plan.Requests{Requests: r.requests}
	if all.Requests == nil {
		all.Requests = []plan.Request{}
	}
	limits := adsapi.DefaultLimits()
	endpoints, submitted := map[string]int{}, 0
	for _, q := range r.requests {
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
func (r *foreseeing) predict(p wire.Part) {
	address := p.Change.Address
	id := r.ids[address]
	if id == "" {
		id = placeholder(address)
	}
	r.setOutcome(p, state.OperationOutcome{Address: address, ResourceID: id, Outcome: state.OutcomeApplied})
}

// sendJobs notes jobs, and what is asked after each.
func (r *foreseeing) sendJobs(ctx context.Context, wave string, batches []wire.Batch) error {
	for _, b := range batches {
		step, err := r.jobStep(ctx, wave, b)
		if err != nil {
			return err
		}
		r.note(plan.Request{
			Wave: wave, Method: "POST", Path: jobsPath, Count: 1, Operations: []int{len(b)}, Bytes: len(step.Body),
		})
		if send.NeedsResults(step) {
			r.noteRead(wave, jobsPath+"/{id}/operations", (len(b)+99)/100)
		} else {
			r.noteRead(wave, jobsPath+"/{id}", 1)
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

// sendSteps notes single requests.
func (r *foreseeing) sendSteps(_ context.Context, wave string, steps []state.Step, parts []wire.Part) error {
	for i, step := range steps {
		r.note(plan.Request{
			Wave: wave, Method: "POST", Path: r.pattern(parts[i]),
			Count: 1, Bytes: len(step.Body), Why: r.whyAlone(parts[i]),
		})
		r.predict(parts[i])
	}
	return nil
}

// sendRevised notes what is read before a write that names a revision, and the write.
func (r *foreseeing) sendRevised(ctx context.Context, wave string, p wire.Part) error {
	r.predictReads(wave, []live.Expectation{{Address: p.Change.Address}})
	return r.sendSingles(ctx, wave, []wire.Part{p})
}

// sendUpload notes an upload.
func (r *foreseeing) sendUpload(_ context.Context,
	step state.Step, _ func(context.Context) (string, error)) (string, error) {
	r.note(plan.Request{Wave: "upload", Method: "POST", Path: step.Path, Count: 1})
	return "file", nil
}

// pattern is the path of a single request with {id} for the id in it.
func (r *foreseeing) pattern(p wire.Part) string {
	return "/" + strings.TrimPrefix(strings.Join(wire.CallOf(r.Schemas, p).At("{id}"), "/"), "/")
}

// readAgain notes the reads: nothing is taken to have moved since the plan.
func (r *foreseeing) readAgain(_ context.Context,
	expected []live.Expectation, parts []wire.Part) ([]wire.Part, error) {
	r.predictReads("read again", expected)
	return parts, nil
}

// readNew notes the read of what the run creates.
func (r *foreseeing) readNew(_ context.Context, address resource.Address) error {
	r.noteRead("follow-up", r.pathOf(address), 1)
	return nil
}

// compareAll notes the reads, and takes everything to read back as it was sent.
func (r *foreseeing) compareAll(_ context.Context, waiting []*changeProgress) error {
	r.predictReads("read back", r.expectations(waiting))
	for _, s := range waiting {
		s.verified = true
	}
	return nil
}

// parentsStand takes it that they do.
func (r *foreseeing) parentsStand(wire.Batch) (bool, error) { return true, nil }

// predictReads notes the reads of resources by their ids, or by lists where that
// is fewer.
func (r *foreseeing) predictReads(wave string, expected []live.Expectation) {
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
			r.noteRead(wave, "/"+schema.Listing.Path, 1)
		case schema.Listing.NoRead:
			r.noteRead(wave, "/"+schema.Collection, 1)
		case fewer:
			r.noteRead(wave, "/"+schema.Collection, pages)
		default:
			r.noteRead(wave, "/"+schema.Collection+"/{id}", n)
		}
	}
}

// publish notes that what was created is looked at.
func (r *foreseeing) publish(_ context.Context, p wire.Part) error {
	r.noteRead("publish", r.pathOf(p.Change.Address), 1)
	r.predict(p)
	return nil
}

// changeMembers notes the operations, and what is uploaded for them.
func (r *foreseeing) changeMembers(ctx context.Context, parts []wire.Part) error {
	for _, p := range parts {
		_, file := r.membershipOf(p.Change)
		if err := r.predictMembers(ctx, "members",
			p, func() (state.Step, error) { return r.membersStep(ctx, p, file, 0) }); err != nil {
			return err
		}
	}
	return nil
}

// merge notes a merge.
func (r *foreseeing) merge(ctx context.Context, p wire.Part) error {
	return r.predictMembers(ctx, "merge",
		p, func() (state.Step, error) { return r.mergeStep(ctx, p, r.sourcesOf(p.Change)) })
}

// pathOf is the path of one resource.
func (r *foreseeing) pathOf(address resource.Address) string {
	return "/" + r.Schemas.Of(address.Kind).Collection + "/{id}"
}

// predictMembers notes an operation on people: what is read before, the request,
// and what is asked for until it has ended.
func (r *foreseeing) predictMembers(ctx context.Context,
	wave string, p wire.Part, step func() (state.Step, error)) error {
	r.noteRead(wave, r.pathOf(p.Change.Address), 1)
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
	r.note(plan.Request{
		Wave: wave, Method: "POST", Path: strings.Replace(s.Path, "/"+r.ids[p.Change.Address]+"/", "/{id}/", 1),
		Count: 1, Bytes: len(s.Body),
	})
	r.noteRead(wave, r.pathOf(p.Change.Address)+"/operations/{id}", 1)
	r.predict(p)
	return nil
}

// predictInline notes the requests of a list whose people go in them.
func (r *foreseeing) predictInline(ctx context.Context, wave string, p wire.Part, file *plan.Field) error {
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
	for ; list.done < len(list.hashes); list = list.after() {
		_, m, err := r.inlineStep(ctx, p, list, seen.Revision)
		if err != nil {
			return err
		}
		r.note(plan.Request{
			Wave: wave, Method: "POST", Path: r.pathOf(p.Change.Address) + "/" + list.operation.Name,
			Count: 1, Bytes: len(m.Body),
		})
		r.noteRead(wave, r.pathOf(p.Change.Address)+"/operations/{id}", 1)
	}
	r.predict(p)
	return nil
}

// supposeJobs asks at once, as no preflight is sent that tells.
func (r *foreseeing) supposeJobs(ctx context.Context) error {
	r.caps[resource.BulkJobs] = true
	noted := r.requests
	r.requests = slices.Clone(noted)
	err := r.probe(ctx, resource.BulkJobs, "lifetime")
	r.requests = noted
	r.supposed = r.caps[resource.BulkJobs]
	if err != nil || r.supposed {
		return err
	}
	return r.predictRefusal(ctx)
}

// dryRun asks now, and notes that an apply asks once more.
func (r *foreseeing) dryRun(ctx context.Context, body []byte) (validation, error) {
	r.noteCheck(1, body)
	r.noteRead("check", jobsPath+"/{id}", 1)
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
		r.noteCheck(len(b), body)
		r.noteRead("check", jobsPath+"/{id}", 1)
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
	r.noteCheck(len(check), body)
	return nil
}
