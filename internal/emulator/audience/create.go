package audience

import (
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// fileChoice is which file a request means, and how to read it.
type fileChoice struct {
	id string // "" is none
	reading
	size int64 // as said; 0: not said
}

// create makes an audience from an uploaded file, or an empty one where the
// account has small audiences (part 4). It is published later.
func create(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	o.Require("name")
	o.AllowNull("description")
	d := world.Audience{Name: o.Name("name", 3, 1000).V, Description: o.Text("description", 0, 0).Ptr()}
	choice := readDescribedFile(o)
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		var in world.AudienceInput
		switch {
		case choice.id != "":
			if in, err = fileInput(tx.Account, choice); err != nil {
				return err
			}
		case !tx.Account.Profile().Features.SmallAudiences:
			return wire.Refusef(http.StatusForbidden, "small_audiences_not_enabled",
				"file_id", "Creating a custom audience without a file is not enabled for this ad account.")
		}
		made := put(tx, d)
		accept(tx, world.AudienceOperation{AudienceID: made.ID, Kind: kindCreate}, in)
		view = show(tx.Account, made, tx.Now, false)
		return nil
	})
	return view, err
}

// put adds an audience that is not published yet.
func put(tx *world.Tx, d world.Audience) world.Audience {
	d.ID, d.Status = tx.NewID("caud_"), making
	d.CreatedAt, d.UpdatedAt = tx.Now.Unix(), tx.Now.Unix()
	tx.Account.Audiences.Put(tx, d)
	tx.Record(world.Mutation{Action: "create", Resource: "custom_audience", ResourceID: d.ID}, nil, d)
	return d
}

// readDescribedFile reads the file of a create: all of its description, or none.
func readDescribedFile(o *wire.Object) fileChoice {
	description := []string{"filename", "mimetype", "file_size"}
	choice := readFileChoice(o)
	if choice.id != "" {
		o.Require(description...)
	}
	o.Text("filename", 1, 255)
	o.Choice("mimetype", "text/csv", "text/plain")
	choice.size = o.Int("file_size", 1, MaxFile).V
	for _, name := range description {
		if choice.id == "" && o.Has(name) {
			o.Fail(name, "invalid_value", "Invalid '%s': it goes with file_id only.", name)
		}
	}
	return choice
}

// readFileChoice reads file_id and how to read the file: identifier_type (email
// when nothing is said) or identifier_resolution auto.
func readFileChoice(o *wire.Object) fileChoice {
	choice := fileChoice{id: o.Text("file_id", 1, 255).V}
	kind := o.Choice("identifier_type", identifierTypes...)
	resolution := o.Choice("identifier_resolution", auto)
	choice.identifierType = kind.Or(resolution.Or(typeEmail))
	if kind.Given() && resolution.Given() {
		o.Fail("identifier_resolution", "invalid_value",
			"Only one of 'identifier_type' and 'identifier_resolution' can be given.")
	}
	for _, name := range []string{"identifier_type", "identifier_resolution"} {
		if choice.id == "" && o.Has(name) {
			o.Fail(name, "invalid_value", "Invalid '%s': it goes with file_id only.", name)
		}
	}
	return choice
}

// fileInput reads the chosen file. assumption: file_size is the file's size.
func fileInput(a *world.Account, choice fileChoice) (world.AudienceInput, error) {
	f, ok := a.AudienceFiles.Get(choice.id)
	if !ok {
		return world.AudienceInput{},
			wire.Invalidf("file_id", "file_not_found", "No audience file found with id '%s'.", choice.id)
	}
	if choice.size != 0 && choice.size != f.Size {
		return world.AudienceInput{}, wire.Invalidf("file_size",
			"invalid_value", "Invalid 'file_size': %d; the file has %d bytes.", choice.size, f.Size)
	}
	return choice.of(f), nil
}

func archive(c *service.Call) (view any, err error) {
	err = c.Update(func(tx *world.Tx) error {
		d, err := find(tx.Account, c.Path("custom_audience_id"))
		if err != nil {
			return err
		}
		if d.Status == archived {
			view = show(tx.Account, d, tx.Now, false)
			if c.Points.Is(openpoint.ArchivedRepeat, "refused") {
				return wire.Conflictf("status_unchanged", "The custom audience %s is already archived.", d.ID)
			}
			return nil
		}
		if err := mayArchive(tx.Account, d); err != nil {
			return err
		}
		after := d
		after.Status, after.UpdatedAt = archived, tx.Now.Unix()
		tx.Account.AudienceMembers.Delete(tx, d.ID)
		putAudience(tx, "archive", d, after)
		view = show(tx.Account, after, tx.Now, false)
		return nil
	})
	return view, err
}

// mayArchive refuses while an operation is under way; a failed audience can go.
func mayArchive(a *world.Account, d world.Audience) error {
	if d.Status == failed {
		return nil
	}
	return mayChange(a, d)
}
