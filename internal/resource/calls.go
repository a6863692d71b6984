package resource

import "strings"

// Listing is where the resources of a kind are read. The zero Listing is pages
// of the collection, and one resource by its id beneath it.
type Listing struct {
	Path     string // of the one answer that holds them: "ad_account/spend_limit_windows"; "" is the collection
	Array    string // field of that answer with the records; "" where the answer is the one record there is
	ID       string // field of a record with its id; "" is "id"
	Revision string // field of that answer with the revision that writes name
	NoRead   bool   // no call reads one by its id: the list is looked through
	Optional bool   // not every service has the list: without it a resource is taken to be as it was last sent
}

// Call is one request that changes a resource.
type Call struct {
	Path     string   // with {id}: "custom_audiences/{id}/archive"; "" is the collection's own
	NoBody   bool     // the path says everything
	ID       string   // field of the body with the id, null for a create: "window_id"
	Revision string   // field of the body with the revision that was read right before
	Always   []string // attributes that go along, whatever changes
	Deletes  bool     // what it is done to is not shown again
}

// Calls are the requests that change the resources of a kind. The zero Calls
// are a POST on the collection and a POST on the resource.
type Calls struct {
	Create  Call
	Update  Call
	Keyless bool // creates take no Idempotency-Key: reading back alone tells whether one happened
}

// IDField is the field of a record, and of the answer to a write, with the id.
func (l Listing) IDField() string {
	if l.ID == "" {
		return "id"
	}
	return l.ID
}

// CreateCall is the request that makes a resource.
func (s *Schema) CreateCall() Call {
	call := s.Calls.Create
	if call.Path == "" {
		call.Path = s.Collection
	}
	return call
}

// UpdateCall is the request that changes the attributes without a call of
// their own.
func (s *Schema) UpdateCall() Call {
	call := s.Calls.Update
	if call.Path == "" {
		call.Path = s.Collection + "/{id}"
	}
	return call
}

// CallOf is the request of its own that sets an attribute to a value, nil where
// an update does.
func (s *Schema) CallOf(attribute string, v Value) *Call {
	a, ok := s.Attribute(attribute)
	if !ok {
		return nil
	}
	if call, own := a.Calls[v.Text()]; own && v.IsSet() {
		return &call
	}
	return nil
}

// RemovalAttribute is the attribute whose value Removal removes a resource, nil
// for a kind nothing removes.
func (s *Schema) RemovalAttribute() *Attribute {
	if s.Removal == "" {
		return nil
	}
	for i := range s.Attributes {
		if a := &s.Attributes[i]; a.Type == TypeChoice && a.Chooses(s.Removal) {
			return a
		}
	}
	return nil
}

// Removed reports whether the resource's own status removes it.
func (s *Schema) Removed(r *Resource) bool {
	a := s.RemovalAttribute()
	return a != nil && r.Value(a.Name).Text() == s.Removal
}

// Takes reports whether the service takes a value it shows. A choice that it only
// shows, such as the strategy it gave an ad group itself, cannot be sent back.
func (a *Attribute) Takes(v Value) bool {
	return a.Type != TypeChoice || v.Text() == "" || a.Chooses(v.Text())
}

// Chooses reports whether a value is one of the attribute's choices.
func (a *Attribute) Chooses(value string) bool {
	for _, c := range a.Choices {
		if c.Value == value {
			return true
		}
	}
	return false
}

// Deletes reports whether removing a resource leaves nothing to read.
func (s *Schema) Deletes() bool {
	a := s.RemovalAttribute()
	return a != nil && a.Calls[s.Removal].Deletes
}

// Paged reports whether the collection is listed page by page.
func (s *Schema) Paged() bool { return s.Listing.Path == "" }

// At puts an id into the path of a call, segment by segment.
func (c Call) At(id string) []string {
	segments := strings.Split(c.Path, "/")
	for i := range segments {
		if segments[i] == "{id}" {
			segments[i] = id
		}
	}
	return segments
}
