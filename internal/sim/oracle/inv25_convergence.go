package oracle

import (
	"fmt"
	"maps"
	"slices"
)

// Convergence is invariant 25: what the files say is there, once and as they
// say, but for what was held with a reason because a stranger had touched it.
func Convergence(h *History, excused map[string]string) error {
	files := h.Commits[len(h.Commits)-1]
	touched := h.touched()
	byTag := map[string][]*Entry{}
	for _, e := range h.Live(h.last()) {
		if e.After.text("status") != "archived" {
			byTag[e.After.tag()] = append(byTag[e.After.tag()], e)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(files)) {
		if reason := h.reason(tag, excused); reason != "" && (!h.Alone || h.touchedAbove(tag, touched)) {
			continue
		} else if err := files.reached(tag, byTag[tag], h.KeysHold && !h.Shared); err != nil {
			return fmt.Errorf("%w (agent: %q)", err, reason)
		}
	}
	return nil
}

// touchedAbove says that a stranger touched a resource or one it stands beneath.
func (h *History) touchedAbove(tag string, touched map[string]bool) bool {
	files := h.Commits[len(h.Commits)-1]
	for ; tag != ""; tag = files[tag].Parent {
		if touched[tag] {
			return true
		}
	}
	return false
}

// reason is why a resource, or one it stands beneath, was left out.
func (h *History) reason(tag string, excused map[string]string) string {
	files := h.Commits[len(h.Commits)-1]
	for ; tag != ""; tag = files[tag].Parent {
		if reason := excused[tag]; reason != "" {
			return reason
		}
	}
	return ""
}

func (f Files) reached(tag string, live []*Entry, keysHold bool) error {
	if len(live) == 0 {
		return fmt.Errorf("%s %s is not there", f[tag].Kind, tag)
	}
	if len(live) > 1 && keysHold {
		return fmt.Errorf("%s %s is there %d times", f[tag].Kind, tag, len(live))
	}
	var failure error
	for _, e := range live {
		if failure = f.equals(tag, e); failure == nil {
			return nil
		}
	}
	return failure
}

func (f Files) equals(tag string, e *Entry) error {
	for _, field := range fields[e.Kind] {
		if want, given := f.wants(tag, field.name); given && !same(want, e.After.at(field.path)) {
			return fmt.Errorf("%s of %s %s is %v; the files say %v", field.name, e.Kind, tag, e.After.at(field.path), want)
		}
	}
	return nil
}
