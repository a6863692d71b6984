package plan

import "adsync/internal/resource"

// Field is one attribute of a change. A plan of 15,000 creates has 75,000 of
// them, so it carries what it was before only where something is known of that.
type Field struct {
	Name    string
	Desired resource.Value // null clears
	Cause   Cause
	Phase   Phase
	Pending bool // the plan of the base has it too; see Since
	Held    *Hold

	Known *Known // nil where nothing is; never changed once a field has it, as copies of the field share it
}

// beside is what is known of a field beside what the files say: its values in the
// other two snapshots, and who changed it.
type Known struct {
	Last, Live resource.Value
	edited     *Edited
	foreign    *Foreign
	Counted    *Counted
}

// Last is the value adsync applied last, absent where it is not recorded.
func (f *Field) Last() resource.Value {
	if f.Known == nil {
		return resource.Value{}
	}
	return f.Known.Last
}

// Live is the value at the service, absent where it is not known.
func (f *Field) Live() resource.Value {
	if f.Known == nil {
		return resource.Value{}
	}
	return f.Known.Live
}

// Edited says who changed the field in the files, nil where that is not known.
func (f *Field) Edited() *Edited {
	if f.Known == nil {
		return nil
	}
	return f.Known.edited
}

// Foreign says who changed the field at the service, nil where that is not known.
func (f *Field) Foreign() *Foreign {
	if f.Known == nil {
		return nil
	}
	return f.Known.foreign
}

// Counted returns what the people of a file do, nil of other fields and where they are all
// there are.
func (f *Field) Counted() *Counted {
	if f.Known == nil {
		return nil
	}
	return f.Known.Counted
}

// EditedBy notes who changed the field in the files.
func (f *Field) EditedBy(e *Edited) { f.know(func(b *Known) { b.edited = e }) }

// ChangedBy notes who changed the field at the service.
func (f *Field) ChangedBy(by *Foreign) { f.know(func(b *Known) { b.foreign = by }) }

// know notes something more of a field, and of no copy of it.
func (f *Field) know(note func(*Known)) {
	var b Known
	if f.Known != nil {
		b = *f.Known
	}
	note(&b)
	f.Known = &b
}

// KnownOf returns what stands beside the value of the files, nil where nothing does.
func KnownOf(last, live resource.Value) *Known {
	if last.IsAbsent() && live.IsAbsent() {
		return nil
	}
	return &Known{Last: last, Live: live}
}

// Counted says what a file does to how many people there are, where it is not all of them.
type Counted struct {
	Does string `json:"does"` // add or remove
	// the most there are afterwards; absent where adsync does not know how many there are
	Most *int64 `json:"most,omitempty"`
}

// Edited says who last changed a value in the files: the commit of its line or
// cell, where the files are in a git repository.
type Edited struct {
	Commit string `json:"commit"` // 40 hexadecimal digits; "" where it is not committed
	Author string `json:"author"` // the author's name, never the address
	At     int64  `json:"at"`     // Unix seconds
}

// Foreign says who changed a value at the service, as its audit log has it.
type Foreign struct {
	Actor string `json:"actor"`
	At    int64  `json:"at"` // Unix seconds
}

// IsForeign reports whether what is live of the field was written by someone else
// since adsync applied it last.
func (f *Field) IsForeign() bool {
	return !f.Last().IsAbsent() && !f.Live().IsAbsent() && !Same(f.Last(), f.Live())
}

// IsGone reports whether the resource was archived or removed outside adsync.
func (c *Change) IsGone() bool {
	return c.Held != nil && c.Held.Hazard == RemovedByHand
}

// IsForeign reports whether someone else changed or removed what adsync applied.
func (c *Change) IsForeign() bool {
	if c.IsGone() {
		return true
	}
	for i := range c.Fields {
		if c.Fields[i].IsForeign() {
			return true
		}
	}
	return false
}

// Lowers reports whether a field only pauses, ends or lowers something. Such a field
// passes the guards but for the three that guard.New names. Each rule asks for itself.
func (f *Field) Lowers() bool { return f.Phase == Lower }
