// Package wire writes and reads what goes over the wire: changes as request bodies
// (encode.go), as operations of bulk jobs (bulk.go), packed into jobs (pack.go, split.go)
// under their keys (keys.go); records as resources (decode.go, pick.go, fact.go).
//
// It is pure: it asks no service, reads no state and knows no clock.
package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
)

// Encoder writes request bodies from descriptions. It holds what a body needs
// beyond the fields of its change.
type Encoder struct {
	Schemas resource.Schemas
	Zone    *time.Location
	Files   func(upload string) string // id of an uploaded image by its UploadName, "" before it is there
	People  map[string]Uploaded        // file of people by the digest of its list
	Value   func(resource.Address, string) resource.Value
}

// SingleCreate is the body of a POST on the collection (interface, part 4). The
// parent's id is given; fields that are cleared are left out.
func (e Encoder) SingleCreate(p Part, call resource.Call, parentID string) ([]byte, error) {
	body, err := e.CreateBody(p, call, parentID)
	if err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

func (e Encoder) CreateBody(p Part, call resource.Call, parentID string) (map[string]any, error) {
	c, fields := p.Change, p.Fields
	schema := e.Schemas.Of(c.Address.Kind)
	body := map[string]any{}
	if schema.ParentWire != "" {
		body[schema.ParentWire] = parentID
	}
	for _, f := range fields {
		a, _ := schema.Attribute(f.Name)
		if a.Wire.Path == "" || !f.Desired.IsSet() {
			continue
		}
		w, err := e.wire(a, f.Desired)
		if err != nil {
			return nil, err
		}
		put(body, a.Wire.Path, w)
	}
	if err := e.putPeople(schema, fields, body); err != nil {
		return nil, err
	}
	e.putFixed(schema, c.Address, body, true)
	e.nameAfterTitle(schema, fields, body)
	if call.ID != "" {
		body[call.ID] = nil // null, said aloud, makes one; to leave it out could edit another
	}
	putRevision(body, call, p)
	return body, nil
}

// nameAfterTitle sets the name that the service wants of a create where the files have
// none: the first naming attribute that is set.
func (e Encoder) nameAfterTitle(schema *resource.Schema, fields []plan.Field, body map[string]any) {
	first, _ := schema.Attribute(schema.NameFrom[0])
	if At(body, first.Wire.Path) != nil || first.Clearable {
		return
	}
	for _, f := range fields {
		if slices.Contains(schema.NameFrom, f.Name) && f.Desired.IsSet() {
			put(body, first.Wire.Path, f.Desired.Text())
			return
		}
	}
}

// SingleUpdate is the body of a POST on a resource: plain fields as they are,
// nested settings whole, on top of what the service holds.
func (e Encoder) SingleUpdate(p Part, call resource.Call, id string, record json.RawMessage) ([]byte, error) {
	c, fields := p.Change, p.Fields
	schema := e.Schemas.Of(c.Address.Kind)
	if call.NoBody {
		return nil, nil
	}
	live, err := Object(record)
	if err != nil {
		return nil, fmt.Errorf("read the live %s: %w", c.Address, err)
	}
	body := map[string]any{}
	if call.ID != "" {
		body[call.ID] = id
	}
	putRevision(body, call, p)
	e.putAlways(schema, call, live, body)
	for _, f := range fields {
		if schema.CallOf(f.Name, f.Desired) != nil {
			continue // the path says it
		}
		a, _ := schema.Attribute(f.Name)
		group, whole := schema.Group(a)
		if whole && body[group.Wire] == nil {
			body[group.Wire] = e.base(schema, group, live)
		}
		if err := e.putField(a, f.Desired, body); err != nil {
			return nil, err
		}
	}
	for i := range schema.Groups {
		dropEmpty(body, &schema.Groups[i])
	}
	e.putFixed(schema, c.Address, body, false)
	return json.Marshal(body)
}

// putRevision names the revision a write starts from.
func putRevision(body map[string]any, call resource.Call, p Part) {
	if call.Revision != "" && p.Revision != nil {
		body[call.Revision] = p.Revision
	}
}

// putAlways adds what a call wants although it stays as it is.
func (e Encoder) putAlways(schema *resource.Schema, call resource.Call, live, body map[string]any) {
	for _, name := range call.Always {
		if a, ok := schema.Attribute(name); ok && At(live, a.Wire.Path) != nil {
			put(body, a.Wire.Path, At(live, a.Wire.Path))
		}
	}
}

// base is what a nested setting starts from, so that what no file manages stays
// as it is. A choice that the service shows and does not take stays out, or the
// whole setting would be refused.
func (e Encoder) base(schema *resource.Schema, group *resource.Group, live map[string]any) map[string]any {
	held, _ := live[group.Wire].(map[string]any)
	if held == nil || group.Exclusive {
		return map[string]any{}
	}
	base := withoutKeys(held, group.ReadOnly)
	for i := range schema.Attributes {
		if a := &schema.Attributes[i]; strings.HasPrefix(a.Wire.Path, group.Wire+".") && !a.Takes(shown(live, a)) {
			remove(base, strings.TrimPrefix(a.Wire.Path, group.Wire+"."))
		}
	}
	return base
}

// shown is the text the service shows of an attribute; of what is no text, none.
func shown(live map[string]any, a *resource.Attribute) resource.Value {
	text, _ := At(live, a.Wire.Path).(string)
	return resource.Text(text)
}

func withoutKeys(held map[string]any, keys []string) map[string]any {
	kept := make(map[string]any, len(held))
	for key, value := range held {
		if slices.Contains(keys, key) {
			continue
		}
		kept[key] = withoutKeysIn(value, keys)
	}
	return kept
}

func withoutKeysIn(value any, keys []string) any {
	switch v := value.(type) {
	case map[string]any:
		return withoutKeys(v, keys)
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutKeysIn(v[i], keys)
		}
		return kept
	}
	return value
}

func (e Encoder) putField(a *resource.Attribute, v resource.Value, body map[string]any) error {
	if v.IsNull() {
		clearPath(body, a)
		return nil
	}
	w, err := e.wire(a, v)
	if err != nil {
		return err
	}
	put(body, a.Wire.Path, w)
	return nil
}

// clearPath removes a value: a list becomes empty, a plain field null, a field
// of a nested setting goes, as the setting is sent whole.
func clearPath(body map[string]any, a *resource.Attribute) {
	holder, _, nested := CutLast(a.Wire.Path)
	switch {
	case a.Wire.Empty || !nested && a.Type.IsList():
		put(body, a.Wire.Path, []string{})
	case !nested:
		put(body, a.Wire.Path, nil)
	case a.Wire.Null:
		put(body, holder, nil)
	default:
		remove(body, a.Wire.Path)
	}
}

func CutLast(path string) (holder, key string, nested bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// dropEmpty drops containers that became empty; a setting that holds nothing any
// more is null.
func dropEmpty(body map[string]any, group *resource.Group) {
	held, ok := body[group.Wire].(map[string]any)
	if !ok {
		return
	}
	for key, value := range held {
		if inner, isMap := value.(map[string]any); isMap && len(inner) == 0 {
			delete(held, key)
		}
	}
	if len(held) == 0 {
		body[group.Wire] = nil
	}
}

func put(body map[string]any, path string, value any) {
	key, rest, nested := strings.Cut(path, ".")
	if !nested {
		body[key] = value
		return
	}
	inner, ok := body[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		body[key] = inner
	}
	put(inner, rest, value)
}

func remove(body map[string]any, path string) {
	key, rest, nested := strings.Cut(path, ".")
	if !nested {
		delete(body, key)
		return
	}
	if inner, ok := body[key].(map[string]any); ok {
		remove(inner, rest)
	}
}

// putFixed adds the fields no attribute decides. On an update only settings
// that are sent anyway get theirs.
func (e Encoder) putFixed(schema *resource.Schema, address resource.Address, body map[string]any, create bool) {
	for _, f := range schema.Fixed {
		root, _, nested := strings.Cut(f.Wire, ".")
		if !create && (!nested || body[root] == nil) || At(body, f.Wire) != nil {
			continue
		}
		if value := e.fixed(schema, f, address, body); value != "" {
			put(body, f.Wire, value)
		}
	}
}

func (e Encoder) fixed(schema *resource.Schema, f resource.Fixed,
	address resource.Address, body map[string]any) string {
	if f.If != "" {
		if a, ok := schema.Attribute(f.If); !ok || At(body, a.Wire.Path) == nil {
			return ""
		}
	}
	if f.From == nil {
		return f.Value
	}
	ancestor := e.Schemas.Ancestor(address, f.From.Ancestor)
	return f.Map[e.Value(ancestor, f.From.Attribute).Text()]
}

// wire returns the form of a value on the wire.
func (e Encoder) wire(a *resource.Attribute, v resource.Value) (any, error) {
	switch a.Wire.Codec {
	case resource.StartTime:
		return resource.StartSeconds(v.Text(), e.Zone)
	case resource.EndTime:
		return resource.EndSeconds(v.Text(), e.Zone)
	case resource.SingleItem:
		return []string{v.Text()}, nil
	case resource.IDObjects:
		return idObjects(v.Items()), nil
	case resource.Factors:
		return factorObjects(a, v), nil
	case resource.FileID:
		return e.fileID(a, v)
	case resource.RawJSON:
		return json.RawMessage(v.Text()), nil
	case resource.DayAfter:
		return resource.DayPlus(v.Text(), 1), nil
	case resource.Digits:
		return json.Number(v.Text()), nil
	}
	return plain(v), nil
}

func idObjects(ids []string) []map[string]string {
	objects := make([]map[string]string, len(ids))
	for i, id := range ids {
		objects[i] = map[string]string{"id": id}
	}
	return objects
}

func factorObjects(a *resource.Attribute, v resource.Value) []map[string]any {
	objects := []map[string]any{}
	for _, f := range v.Factors() {
		objects = append(objects, map[string]any{a.Wire.Pair.Name: f.Name, a.Wire.Pair.Micros: f.Micros})
	}
	return objects
}

// UploadName is what the upload of an image is remembered by: its source, and what it was
// uploaded for, as the service takes a file for that alone.
func UploadName(a *resource.Attribute, v resource.Value) string {
	if a.Wire.Purpose == "" {
		return v.Text()
	}
	return a.Wire.Purpose + ":" + v.Text()
}

func (e Encoder) fileID(a *resource.Attribute, v resource.Value) (any, error) {
	if id, ok := strings.CutPrefix(v.Text(), "file:"); ok {
		return id, nil
	}
	if id := e.Files(UploadName(a, v)); id != "" {
		return id, nil
	}
	return nil, fmt.Errorf("image %q is not uploaded", v.Written())
}

func plain(v resource.Value) any {
	if n, ok := v.Number(); ok {
		return n
	}
	if v.Items() != nil {
		return v.Items()
	}
	return v.Text()
}

// Uploaded is a file of people at the service. It is used in the run that
// uploaded it and then forgotten: nothing says how long the service keeps it.
type Uploaded struct {
	adsapi.MembersFile
	As string
}

// MembersBody is the body of a membership operation. It names a file and holds
// nobody.
func MembersBody(file Uploaded, operation resource.MembershipOperation, revision int64) ([]byte, error) {
	body := map[string]any{"file_id": file.ID, "identifier_type": file.As}
	if operation.Whole {
		body["expected_revision"] = revision
	}
	return json.Marshal(body)
}

// putPeople says in a create which file its people are in (service facts, 8.2).
func (e Encoder) putPeople(schema *resource.Schema, fields []plan.Field, body map[string]any) error {
	m := schema.Membership
	if m == nil {
		return nil
	}
	for _, f := range fields {
		if f.Name != m.File || !f.Desired.IsSet() {
			continue
		}
		file, there := e.People[f.Desired.Text()]
		if !there {
			return fmt.Errorf("its members file was not uploaded")
		}
		body["file_id"], body["filename"], body["mimetype"] = file.ID, file.Name, file.Type
		body["file_size"], body["identifier_type"] = file.Size, file.As
	}
	return nil
}

const PeoplePath = "/uploads"
