package oracle

import "fmt"

// Version is a state after a write that was acknowledged, or that was under way
// when its process died.
type Version struct {
	Serial  int64
	Lineage string
	Wrote   bool   // the write cannot have left everything as it was
	Digest  string // of all the state holds; "" where nobody looked
}

// Load is what became of a state that was opened: as a process that was killed
// left it, or damaged on purpose.
type Load struct {
	Agent   int
	Damage  string  // "" for none
	Before  int     // the last version that was acknowledged by then, counted from 0
	Due     Version // what a write that was under way would have made of it
	Refused string  // why it was not opened, or what it says it has lost
	Got     Version
}

// StateIntegrity is invariant 19.
func StateIntegrity(h *History) error {
	for agent, versions := range h.Versions {
		for i := 1; i < len(versions); i++ {
			if err := follows(versions[i-1], versions[i]); err != nil {
				return fmt.Errorf("the state of agent %d: %w", agent, err)
			}
		}
	}
	for _, l := range h.Loads {
		if err := h.loaded(l); err != nil {
			return fmt.Errorf("the state of agent %d, with %q done to it: %w", l.Agent, l.Damage, err)
		}
	}
	return nil
}

// follows holds a version against the one before it. Two states of one serial are
// one state.
func follows(before, v Version) error {
	looked := before.Digest != "" && v.Digest != ""
	switch {
	case v.Lineage != before.Lineage:
		return fmt.Errorf("its lineage goes from %q to %q", before.Lineage, v.Lineage)
	case v.Serial < before.Serial || v.Wrote && v.Serial == before.Serial:
		return fmt.Errorf("its serial goes from %d to %d", before.Serial, v.Serial)
	case looked && v.Serial == before.Serial && v.Digest != before.Digest:
		return fmt.Errorf("it changes and stays at serial %d", v.Serial)
	}
	return nil
}

// loaded says whether what was opened is a state that was there: the newest, or,
// with the loss said, one before it. What was not damaged is never refused.
func (h *History) loaded(l Load) error {
	versions := h.Versions[l.Agent]
	if l.Refused != "" && l.Got == (Version{}) {
		if l.Damage == "" {
			return fmt.Errorf("it is refused: %s", l.Refused)
		}
		return nil
	}
	for _, v := range append([]Version{l.Due}, versions[:l.Before+1]...) {
		switch {
		case v.Digest == "" || v.Serial != l.Got.Serial || v.Lineage != l.Got.Lineage || v.Digest != l.Got.Digest:
		case v.Serial >= versions[l.Before].Serial || l.Refused != "":
			return nil
		default:
			return fmt.Errorf("it gives serial %d without a word; %d was acknowledged",
				v.Serial, versions[l.Before].Serial)
		}
	}
	return fmt.Errorf("it gives serial %d of lineage %q, digest %q, which it never was",
		l.Got.Serial, l.Got.Lineage, l.Got.Digest)
}
