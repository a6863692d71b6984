package reconcile

import (
	"context"
	"encoding/json"
	"fmt"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// People is what is uploaded of a members file.
type People struct {
	Content []byte // one hash a line
	As      string // the sort of identifier that was hashed
}

// uploaded is a file of people at the service. It is used in the run that
// uploaded it and then forgotten: nothing says how long the service keeps it.
type uploaded struct {
	adsapi.MembersFile
	as string
}

const peoplePath = "/uploads"

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

// uploadNewPeople uploads the people of what is created: its create names the
// file. A failure fails that create alone. Where the account takes no files, the people
// follow the create.
func (r *uploads) uploadNewPeople(ctx context.Context) error {
	counted := len(r.newInline())
	for _, c := range r.changes {
		_, file := r.membershipOf(c)
		if file == nil || !isNew(c) || !r.fine(c.Address) {
			continue
		}
		if err := r.uploadPeople(ctx, part{change: c, fields: []plan.Field{*file}}); err != nil {
			return err
		}
	}
	for _, p := range r.newInline()[counted:] { // all of them, where it was just found out
		r.progressOf[p.change.Address].pending++
	}
	return nil
}

// uploadPeople brings one list of people to the service. What it cannot bring
// fails its change at the cell that names the file.
func (r *uploads) uploadPeople(ctx context.Context, p part) error {
	digest := p.fields[0].Desired.Text()
	if _, there := r.people[digest]; there || r.goesInline(&p.fields[0]) {
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
	r.setOutcome(p, opOutcome{
		Address: p.change.Address, ResourceID: r.ids[p.change.Address],
		Outcome: state.OutcomeFailed, Code: string(diag.BadFile), Message: err.Error(),
	})
	r.progressOf[p.change.Address].cell = p.fields[0].Desired.Position
	return nil
}

// sendPeople journals and sends an upload. The journal holds the digest of the
// list and nothing of the people in it: the bytes are made again from the
// members file, and only from one that holds the same list.
func (r *uploads) sendPeople(ctx context.Context, digest string) (uploaded, error) {
	people, err := r.People(digest)
	if err != nil {
		return uploaded{}, err
	}
	note, err := json.Marshal(uploadNote{Source: digest, Name: "members"})
	if err != nil {
		return uploaded{}, err
	}
	file := uploaded{as: people.As}
	_, err = r.sendUpload(ctx, r.step("upload", state.Upload, peoplePath, "", note),
		func(ctx context.Context) (string, error) {
			file.MembersFile, err = r.Service.UploadMembers(ctx, people.Content)
			return file.ID, err
		})
	return file, err
}

// putPeople says in a create which file its people are in (service facts, 8.2).
func (e encoder) putPeople(schema *resource.Schema, fields []plan.Field, body map[string]any) error {
	m := schema.Membership
	if m == nil {
		return nil
	}
	for _, f := range fields {
		if f.Name != m.File || !f.Desired.IsSet() {
			continue
		}
		file, there := e.people[f.Desired.Text()]
		if !there {
			return fmt.Errorf("its members file was not uploaded")
		}
		body["file_id"], body["filename"], body["mimetype"] = file.ID, file.Name, file.Type
		body["file_size"], body["identifier_type"] = file.Size, file.as
	}
	return nil
}

// membersBody is the body of a membership operation. It names a file and holds
// nobody.
func membersBody(file uploaded, operation resource.MembershipOperation, revision int64) ([]byte, error) {
	body := map[string]any{"file_id": file.ID, "identifier_type": file.as}
	if operation.Whole {
		body["expected_revision"] = revision
	}
	return json.Marshal(body)
}

// noteKnown records beside what is sent how many people adsync then knows of,
// and the revision the operation starts from.
func (r *run) noteKnown(set *resource.Attributes, p part) {
	m, _ := r.membershipOf(p.change)
	if m == nil || !set.Value(m.File).IsSet() {
		return
	}
	people, _ := set.Value(m.People).Number()
	known := int64(0)
	if last := r.view.Last.Get(p.change.Address); last != nil && !p.create {
		known, _ = last.Value(m.Known).Number()
	}
	operation := m.Operation(set.Value(m.Do))
	switch {
	case p.create, operation.Whole:
		known = people
	case operation.Adds:
		known += people
	}
	set.Set(m.Known, resource.Number(known))
}

// carriesPeople reports whether an attribute reaches the service with the people it is
// about.
func carriesPeople(schema *resource.Schema, attribute string) bool {
	return schema.Membership != nil && schema.Membership.Has(attribute)
}
