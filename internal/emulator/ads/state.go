package ads

import (
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// mayChange decides whether an object in status from takes a change. to is the
// status asked for, "" when the change is of something else. Archiving cannot be
// undone; what a change of an archived object answers is an open point.
func mayChange(points *openpoint.Settings, what, id string, from, to world.Status) error {
	if from != world.Archived || to == world.Archived {
		return nil
	}
	switch points.Of(openpoint.ArchivedChange) {
	case "allowed":
		return nil
	case "bad_request":
		return wire.Invalidf("", "resource_archived", "The %s %s is archived and cannot be changed.", what, id)
	}
	return wire.Conflictf("resource_archived", "The %s %s is archived and cannot be changed.", what, id)
}

// again decides what an action does that asks for the status the object has
// already: true leaves the object as it is.
func again(points *openpoint.Settings, what, id string, from, to world.Status) (bool, error) {
	if from != to {
		return false, nil
	}
	point := openpoint.StatusRepeat
	if to == world.Archived {
		point = openpoint.ArchivedRepeat
	}
	if points.Is(point, "refused") {
		return false, wire.Conflictf("status_unchanged", "The %s %s is already %s.", what, id, to)
	}
	return true, nil
}

// underParent refuses a create below an archived parent.
func underParent(points *openpoint.Settings, what, id string, status world.Status) error {
	if status == world.Archived && points.Is(openpoint.ArchivedParent, "refused") {
		return wire.Conflictf("parent_archived", "The %s %s is archived; nothing can be created under it.", what, id)
	}
	return nil
}

// createStatus reads the status of a create: active or paused.
func createStatus(o *wire.Object, points *openpoint.Settings) world.Status {
	if points.Is(openpoint.StatusRequired, "yes") {
		o.Require("status")
	}
	return world.Status(o.Choice("status", "active", "paused").Or("paused"))
}

// updateStatus reads the status of an update, which may also be archived.
func updateStatus(o *wire.Object) *world.Status {
	v := o.Choice("status", "active", "paused", "archived")
	if !v.Given() {
		return nil
	}
	status := world.Status(v.V)
	return &status
}

// immutable refuses fields that exist but cannot be changed after creation.
func immutable(o *wire.Object, names ...string) {
	for _, name := range names {
		if o.Has(name) {
			o.Ignore(name)
			o.Fail(name, "immutable_parameter", "'%s' cannot be changed after creation.", o.At(name))
		}
	}
}

// notEmpty refuses an update without a field.
func notEmpty(o *wire.Object) {
	if o.Len() == 0 {
		o.Fail("", "missing_required_parameter", "The body has no field to change.")
	}
}
