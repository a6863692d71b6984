package plan

// IsForeign says that what is live of the field was written by someone else
// since adsync applied it last.
func (f *Field) IsForeign() bool {
	return !f.Last().IsAbsent() && !f.Live().IsAbsent() && !same(f.Last(), f.Live())
}

// IsGone says that the resource was archived or removed outside adsync.
func (c *Change) IsGone() bool {
	return c.Held != nil && c.Held.Hazard == RemovedByHand
}

// IsForeign says that someone else changed or removed what adsync applied.
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
