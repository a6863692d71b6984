package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

const uploadPath = "/upload"

// uploadNote is what the journal holds of an upload instead of its bytes.
type uploadNote struct {
	Source string `json:"source"` // "sha256:…" or the image's address
	Name   string `json:"name"`
}

// uploads brings images and lists of people to the service.
type uploads struct {
	*env.Env
	*run
	*parts
}

// uploadWave uploads every image a single request or an update will name, once
// per content and account. Images that bulk creates name by address are
// fetched by the service itself.
func (r *uploads) uploadWave(ctx context.Context) error {
	inBulk := map[resource.Address]bool{}
	for _, p := range r.saidInJobs() { // one that no job has room for brings its image as it goes alone
		inBulk[p.Change.Address] = true
	}
	if err := r.uploadImages(ctx, r.changes, inBulk); err != nil {
		return err
	}
	return r.uploadNewPeople(ctx)
}

// uploadImages uploads those the changes name, but for those of creates in jobs.
func (r *uploads) uploadImages(ctx context.Context, changes []*plan.Change, inBulk map[resource.Address]bool) error {
	needed := map[string][]wire.Part{}
	var order []string
	for _, c := range changes {
		for _, f := range c.Fields {
			a, _ := r.Schemas.Of(c.Address.Kind).Attribute(f.Name)
			name := wire.UploadName(a, f.Desired)
			if a.Wire.Codec != resource.FileID || !f.Desired.IsSet() ||
				inBulk[c.Address] || strings.HasPrefix(f.Desired.Text(), "file:") || r.files[name] != "" {
				continue
			}
			if needed[name] == nil {
				order = append(order, name)
			}
			needed[name] = append(needed[name], wire.Part{Change: c, Fields: []plan.Field{f}})
		}
	}
	for _, name := range order {
		if err := r.upload(ctx, name, needed[name]); err != nil {
			return err
		}
	}
	return nil
}

// upload brings one image to the service. A failure fails the changes that need
// it, and nothing else.
func (r *uploads) upload(ctx context.Context, name string, users []wire.Part) error {
	id, err := r.sendImage(ctx, users[0])
	if err == nil {
		r.files[name] = id
		return r.Store.RecordFile(context.WithoutCancel(ctx), name, id)
	}
	switch {
	case stopsUploads(err):
		return err
	case ctx.Err() != nil: // nothing is wrong with the image: the next wave says that it was interrupted
		return nil
	}
	for _, p := range users {
		r.failOnFile(p, p.Fields[0], err)
	}
	return nil
}

// failOnFile fails a part for a file, at the cell that names it.
func (r *run) failOnFile(p wire.Part, file plan.Field, err error) {
	r.setOutcome(p, state.OperationOutcome{
		Address: p.Change.Address, ResourceID: r.ids[p.Change.Address],
		Outcome: state.OutcomeFailed, Code: string(diag.BadFile), Message: err.Error(),
	})
	r.progressOf[p.Change.Address].cell = file.Desired.Position
}

// notUploaded is what kept an upload from being sent or written down: nothing is
// wrong with the file.
type notUploaded struct{ error }

func (e notUploaded) Unwrap() error { return e.error }

// stopsUploads reports whether nothing more is to be uploaded. One whose answer was lost
// stops nothing; of an interrupt the next wave says so.
func stopsUploads(err error) bool {
	if kept := (notUploaded{}); errors.As(err, &kept) && !errors.Is(err, context.Canceled) {
		return true
	}
	return errors.Is(err, adsapi.ErrHalted) || errors.Is(err, adsapi.ErrUnleased) ||
		env.Stops(err) && adsapi.AppliedOf(err) == adsapi.Never
}

// sendImage journals and sends an upload. An upload has no key: one whose answer
// was lost leaves at worst a file nobody uses.
func (r *uploads) sendImage(ctx context.Context, user wire.Part) (string, error) {
	image := &user.Fields[0]
	a, _ := r.Schemas.Of(user.Change.Address.Kind).Attribute(image.Name)
	step, send, err := r.uploadStep(image.Desired.Text(), a.Wire.Purpose)
	if err != nil {
		return "", err
	}
	return r.world.sendUpload(ctx, step, send)
}

// sendUpload journals an upload and sends it, and returns the id of the file.
func (r *carryOut) sendUpload(ctx context.Context, step state.Step,
	send func(context.Context) (string, error)) (string, error) {
	if err := r.Store.Begin(ctx, step); err != nil {
		return "", notUploaded{fmt.Errorf("journal %s: %w", step.ID, err)}
	}
	ctx, done, err := r.BeginRequest(ctx, step)
	if err != nil {
		return "", notUploaded{err}
	}
	defer done()
	id, err := send(ctx)
	if err != nil {
		return "", r.endUpload(ctx, step, state.Abandoned, err)
	}
	if err := r.Store.Finish(ctx, step.ID, nil, nil); err != nil {
		return "", notUploaded{fmt.Errorf("journal %s: %w", step.ID, err)}
	}
	return id, nil
}

func (r *uploads) endUpload(ctx context.Context, step state.Step, to state.Point, cause error) error {
	if err := r.Store.Move(ctx, step.ID, to, state.Update{Note: cause.Error()}); err != nil {
		return notUploaded{fmt.Errorf("journal %s: %w", step.ID, err)}
	}
	return cause
}

// uploadStep makes the journal's record of an upload and the request itself:
// the bytes of a file, or the address the service fetches.
func (r *uploads) uploadStep(source, purpose string) (state.Step, func(context.Context) (string, error), error) {
	name, content := source, []byte(nil)
	send := func(ctx context.Context) (string, error) { return r.Service.UploadURL(ctx, source, purpose) }
	if strings.HasPrefix(source, "sha256:") {
		var err error
		if name, content, err = r.Image(source); err != nil {
			return state.Step{}, nil, fmt.Errorf("read the image: %w", err)
		}
		send = func(ctx context.Context) (string, error) { return r.Service.Upload(ctx, name, content, purpose) }
	}
	note, err := json.Marshal(uploadNote{Source: source, Name: name})
	if err != nil {
		return state.Step{}, nil, err
	}
	return r.step("upload", state.Upload, uploadPath, "", note), send, nil
}

// uploadNewPeople uploads the people of what is created: its create names the
// file. A failure fails that create alone. Where the account takes no files, the people
// follow the create.
func (r *uploads) uploadNewPeople(ctx context.Context) error {
	counted := len(r.newInline())
	for _, c := range r.changes {
		_, file := r.membershipOf(c)
		if file == nil || !wire.IsNew(c) || !r.fine(c.Address) {
			continue
		}
		if err := r.uploadPeople(ctx, wire.Part{Change: c, Fields: []plan.Field{*file}}); err != nil {
			return err
		}
	}
	for _, p := range r.newInline()[counted:] { // all of them, where it was just found out
		r.progressOf[p.Change.Address].pending++
	}
	return nil
}

// uploadPeople brings one list of people to the service. What it cannot bring
// fails its change at the cell that names the file.
func (r *uploads) uploadPeople(ctx context.Context, p wire.Part) error {
	digest := p.Fields[0].Desired.Text()
	if _, there := r.people[digest]; there || r.goesInline(&p.Fields[0]) {
		return nil
	}
	file, err := r.sendPeople(ctx, digest)
	switch {
	case err == nil:
		r.people[digest] = file
		return nil
	case takesNoFiles(err):
		return r.remember(ctx, resource.PeopleFiles, false)
	}
	switch {
	case stopsUploads(err):
		return err
	case ctx.Err() != nil: // nothing is wrong with the file: the next wave says that it was interrupted
		return nil
	}
	r.failOnFile(p, p.Fields[0], err)
	return nil
}

// sendPeople journals and sends an upload. The journal holds the digest of the
// list and nothing of the people in it: the bytes are made again from the
// members file, and only from one that holds the same list.
func (r *uploads) sendPeople(ctx context.Context, digest string) (wire.Uploaded, error) {
	people, err := r.People(digest)
	if err != nil {
		return wire.Uploaded{}, err
	}
	note, err := json.Marshal(uploadNote{Source: digest, Name: "members"})
	if err != nil {
		return wire.Uploaded{}, err
	}
	file := wire.Uploaded{As: people.As}
	_, err = r.world.sendUpload(ctx, r.step("upload", state.Upload, wire.PeoplePath, "", note),
		func(ctx context.Context) (string, error) {
			file.MembersFile, err = r.Service.UploadMembers(ctx, people.Content)
			return file.ID, err
		})
	return file, err
}

// noteKnown records beside what is sent how many people adsync then knows of,
// and the revision the operation starts from.
func (r *run) noteKnown(set *resource.Attributes, p wire.Part) {
	m, _ := r.membershipOf(p.Change)
	if m == nil || !set.Value(m.File).IsSet() {
		return
	}
	people, _ := set.Value(m.People).Number()
	known := int64(0)
	if last := r.view.Last.Get(p.Change.Address); last != nil && !p.Create {
		known, _ = last.Value(m.Known).Number()
	}
	operation := m.Operation(set.Value(m.Do))
	switch {
	case p.Create, operation.Whole:
		known = people
	case operation.Adds:
		known += people
	}
	set.Set(m.Known, resource.Number(known))
}

// membershipOf returns how people reach the resource of a change, and the field
// with the file of them; nil where the change brings none.
func (r *run) membershipOf(c *plan.Change) (*resource.Membership, *plan.Field) {
	m := r.Schemas.Of(c.Address.Kind).Membership
	if m == nil {
		return nil, nil
	}
	for i := range c.Fields {
		if c.Fields[i].Name == m.File && c.Fields[i].Desired.IsSet() {
			return m, &c.Fields[i]
		}
	}
	return m, nil
}
