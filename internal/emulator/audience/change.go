package audience

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/emulator/ads"
	"adsync/internal/emulator/population"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

func addMembers(c *service.Call) (any, error)    { return changeMembers(c, kindAdd, readMembers) }
func removeMembers(c *service.Call) (any, error) { return changeMembers(c, kindRemove, readMembers) }
func replaceMembers(c *service.Call) (any, error) {
	return changeMembers(c, kindReplace, readReplacement)
}

// wanted is what a membership request asks for.
type wanted struct {
	revision wire.Opt[int64]
	file     fileChoice
	inline   world.AudienceInput // when there is no file
}

// changeMembers accepts an operation, or gives the one that an earlier request
// with this key was given.
func changeMembers(c *service.Call, kind string, readBody func(*wire.Object) wanted) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	want := readBody(o)
	if err := o.Err(); err != nil {
		return nil, err
	}
	id := c.Path("custom_audience_id")
	err = c.Update(func(tx *world.Tx) error {
		key := keyOf(c, kind+"/"+id)
		op, again, err := earlier(tx, key)
		if again || err != nil {
			view = showOperation(op)
			return err
		}
		d, err := find(tx.Account, id)
		if err != nil {
			return err
		}
		if err := mayChange(tx.Account, d); err != nil {
			return err
		}
		if err := checkRevision(d, kind, want.revision); err != nil {
			return err
		}
		in := want.inline
		if want.file.id != "" {
			if in, err = fileInput(tx.Account, want.file); err != nil {
				return err
			}
		}
		op = accept(tx, world.AudienceOperation{AudienceID: id, Kind: kind}, in)
		key.Remember(tx, op.ID)
		view = showOperation(op)
		return nil
	})
	return view, err
}

// keyOf is the use of the request's key; keys of different audiences and kinds
// of operations are different keys.
func keyOf(c *service.Call, scope string) ads.KeyUse {
	return ads.KeyUse{Via: ads.ViaHeader, Resource: "custom_audience_" + scope, Key: c.Key, BodyHash: c.BodyHash}
}

// earlier finds the operation a key was given before. Sending the original
// request again also resumes an operation that has stopped, as resume does.
func earlier(tx *world.Tx, key ads.KeyUse) (world.AudienceOperation, bool, error) {
	id, err := key.Find(tx, tx.Account.Points(), func(string) world.Status { return world.Active })
	if err != nil || id == "" {
		return world.AudienceOperation{}, false, err
	}
	op, _ := tx.Account.AudienceOperations.Get(id)
	return goOn(tx, op), true, nil
}

func checkRevision(d world.Audience, kind string, want wire.Opt[int64]) error {
	if !want.Given() || want.V == d.Revision {
		return nil
	}
	code := "custom_audience_mutation_conflict"
	if kind == kindReplace {
		code = "custom_audience_replacement_revision_conflict"
	}
	return wire.Conflictf(code, "The membership of %s is at revision %d, not %d.", d.ID, d.Revision, want.V)
}

// readMembers reads an add or remove: exactly one of file_id and identifiers.
func readMembers(o *wire.Object) wanted {
	want := wanted{revision: readRevision(o), file: readFileChoice(o)}
	if o.Has("file_id") == o.Has("identifiers") {
		o.Fail("identifiers", "invalid_value", "Want exactly one of 'file_id' and 'identifiers'.")
	}
	want.inline = readIdentifiers(o)
	return want
}

// readReplacement reads a replace: a file, and the revision it replaces.
func readReplacement(o *wire.Object) wanted {
	o.Require("file_id", "expected_revision")
	return wanted{revision: readRevision(o), file: readFileChoice(o)}
}

func readRevision(o *wire.Object) wire.Opt[int64] { return o.Int("expected_revision", 0, 1<<53) }

// readIdentifiers reads inline identifiers. What cannot be read as the type it
// is said to be is counted as invalid. No error repeats an identifier.
func readIdentifiers(o *wire.Object) world.AudienceInput {
	var in world.AudienceInput
	seen := map[string]bool{}
	for _, each := range o.Objects("identifiers", 1, 0).V {
		each.Require("identifier_type", "identifier")
		kind, text := quietText(each, "identifier_type"), quietText(each, "identifier")
		if !slices.Contains(identifierTypes, kind) {
			each.Fail("identifier_type", "invalid_value",
				"Invalid '%s': want one of %s.", each.At("identifier_type"), strings.Join(identifierTypes, ", "))
			return in
		}
		shape, hash := population.Read(text)
		this := fmt.Sprintf("%s/%x", kind, hash)
		if shape != population.Unreadable && seen[this] {
			continue
		}
		seen[this] = true
		in = withCell(in, newCell(shape, hash), kind)
	}
	if len(in.Cells) == 0 {
		in.Problem = "the input has no identifier that can be read"
	}
	return in
}

// quietText takes a string and does not repeat it in an error.
func quietText(o *wire.Object, name string) (text string) {
	if raw := o.Raw(name); raw.Given() && (raw.V[0] != '"' || json.Unmarshal(raw.V, &text) != nil) {
		o.Fail(name, "invalid_type", "Invalid type for '%s': expected a string.", o.At(name))
	}
	return text
}
