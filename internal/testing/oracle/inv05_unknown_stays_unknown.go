package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// UnknownStaysUnknown is invariant 5: after a write whose answer did not come,
// the resource is read, or the same bytes go again, before anything newer does.
func UnknownStaysUnknown(h *History) error {
	unknown := map[string]*Request{} // by agent and id
	for _, r := range h.Requests {
		if r.Method == "GET" {
			for name, lost := range unknown {
				if lost.Agent == r.Agent && r.covers(lost) {
					delete(unknown, name)
				}
			}
			continue
		}
		for _, id := range r.targets() {
			name := fmt.Sprintf("%d %s", r.Agent, id)
			lost := unknown[name]
			if r.Mutates() && lost != nil && (lost.Body != r.Body || lost.Path != r.Path) &&
				!lost.Answered.After(r.At) {
				return fmt.Errorf("request %d (POST %s) goes to %s while the outcome of request %d (POST %s, status "+
					"%d) is unknown and nothing was read since", r.N, r.Path, id, lost.N, lost.Path, lost.Status)
			}
			delete(unknown, name)
			if r.Mutates() && r.lost() && !r.Late { // what comes late nobody waits for any more
				unknown[name] = r
			}
		}
	}
	return nil
}

// lost reports whether nobody knows what became of a request.
func (r *Request) lost() bool {
	return !r.Answered.IsZero() && (r.Status == 0 || r.Status >= 500 || r.Status == 408 || r.Status < 300 && !r.Whole)
}

// targets are the ids of what an update, or the updates of a job, write to.
func (r *Request) targets() []string {
	if r.Path == jobsPath {
		var ids []string
		for _, o := range r.operations() {
			if o.Target != "" {
				ids = append(ids, o.Target)
			}
		}
		return ids
	}
	parts := strings.Split(strings.TrimPrefix(r.Path, "/"), "/")
	switch {
	case strings.HasPrefix(r.Path, writtenAt["daily_spend_limit"]):
		return r.dailyTarget()
	case strings.HasPrefix(r.Path, limitsPath):
		return parts[2:min(3, len(parts))]
	case len(parts) < 2 || parts[0] == "conversions" || parts[1] == "merge": // creates
		return nil
	}
	return parts[1:2]
}

// dailyTarget is the rule a write of the daily limits names, none where it makes one.
func (r *Request) dailyTarget() []string {
	var body struct {
		ID string `json:"window_id"`
	}
	if json.Unmarshal(r.Content, &body) != nil || body.ID == "" {
		return nil
	}
	return []string{body.ID}
}

// covers reports whether a read shows what became of a write.
func (r *Request) covers(lost *Request) bool {
	collection, rest, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if strings.HasPrefix(jobsPath, "/"+collection) || lost.Path == jobsPath {
		return true
	}
	if strings.Contains(lost.Path, "spend_limit") {
		return r.Path == limitsPath
	}
	id, _, _ := strings.Cut(rest, "/")
	return strings.HasPrefix(lost.Path, "/"+collection) && (id == "" || pathNames(lost.Path, id))
}

func pathNames(path, id string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == id {
			return true
		}
	}
	return false
}

// found reports whether what a process sends that had lost the account is known by the journal of whoever has it.
func (r *Request) found() bool { return r.Late && !r.Forgotten }

// stale knows what became of the writes of processes that had lost the account, and were frozen before they could know.
type stale struct{ *History }

func (h *History) stale() stale { return stale{h} }

// StaleWrites counts what became of them: each that took effect is put right by the end, or is left for a reason that
// counts. It fails where one is neither.
func StaleWrites(h *History) (counts map[string]int, err error) {
	counts = map[string]int{}
	live := h.Live(h.last())
	for i := range h.W {
		e := &h.W[i]
		r := h.requestOf(e)
		if _, ours := h.ours(e); !ours || !managed(e) || r == nil || !r.Late {
			continue
		}
		fate, bad := h.stale().fate(e, r, live)
		if fate != "" {
			counts["stale write that took effect"]++
			counts["stale write: "+fate]++
		}
		if err == nil {
			err = bad
		}
	}
	return counts, err
}

// fate is what became of an entry that came late; "" where it changed nothing.
func (h stale) fate(e *Entry, r *Request, live map[string]*Entry) (fate string, err error) {
	if e.Before == nil {
		return h.created(e), nil
	}
	for _, f := range fields[e.Kind] {
		if same(e.Before.at(f.path), e.After.at(f.path)) {
			continue
		}
		of := h.left(e, r, f, live)
		if of == "" {
			want, _ := h.Commits[len(h.Commits)-1].wants(e.tag(), f.name)
			return "left without a reason", fmt.Errorf(
				"entry %d, which came late in request %d, set %s of %s to %v, and it is %v; the files say %v",
				e.Seq, r.N, f.name, e.tag(), e.After.at(f.path), live[e.ID].After.at(f.path), want)
		}
		if fate == "" || fate == putRight {
			fate = of
		}
	}
	return fate, nil
}

const putRight = "put right"

func (h stale) created(e *Entry) string {
	for _, other := range h.createsOf(e.tag()) {
		if other.ID != e.ID && (h.births().staleTwin(other, e) || h.births().staleTwin(e, other)) {
			return "made twice, as the key did not show yet"
		}
	}
	return "made"
}

// left is why a field need not be as the files say, or that it is; "" where it has to be and is not.
func (h stale) left(e *Entry, r *Request, f field, live map[string]*Entry) string {
	files, is := h.Commits[len(h.Commits)-1], live[e.ID]
	want, given := files.wants(e.tag(), f.name)
	switch {
	case given && same(want, is.After.at(f.path)), h.mended(e, f):
		return putRight
	case h.goneAbove(is, live), files.waits(e.tag()), files[e.tag()].Tag == "":
		return "of what is gone"
	case !given:
		return "left, as the files do not name it"
	case h.stopped(e.tag()) && f.name == "status":
		return "a pause, left as somebody's"
	case h.setByPerson(e.ID, f):
		return "left to the person who set it as well"
	case r.Forgotten:
		return "left, as the state lost that it was sent"
	}
	return ""
}

// mended reports whether a run wrote a field in its time after it was set late, as its own files said. What files say
// since then may wait for something else.
func (h stale) mended(late *Entry, f field) bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool {
		if _, ours := h.ours(&e); !ours || e.Seq <= late.Seq || e.ID != late.ID || e.Before == nil ||
			same(e.Before.at(f.path), e.After.at(f.path)) {
			return false
		}
		r := h.requestOf(&e)
		if r == nil || r.Late || r.Commit < 0 {
			return false
		}
		want, given := h.Commits[r.Commit].wants(e.tag(), f.name)
		return given && same(want, e.After.at(f.path))
	})
}

// goneAbove reports whether a resource has ended, or one it stands beneath.
func (h stale) goneAbove(e *Entry, live map[string]*Entry) bool {
	for ; e != nil; e = live[e.After.text(parentAt[e.Kind])] {
		if e.gone() {
			return true
		}
	}
	return false
}

// stopped reports whether what came late stopped a resource, and nothing started or stopped it since.
func (h stale) stopped(tag string) bool {
	for i := range slices.Backward(h.W) {
		e := &h.W[i]
		if !managed(e) || e.tag() != tag || e.Before == nil || same(e.Before.at("status"), e.After.at("status")) {
			continue
		}
		r := h.requestOf(e)
		return r != nil && r.Late && e.After.text("status") != "active"
	}
	return false
}

// setByPerson reports whether somebody who is no agent ever changed a field.
func (h stale) setByPerson(id string, f field) bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool {
		return e.ID == id && h.strange(&e) && e.Before != nil && !same(e.Before.at(f.path), e.After.at(f.path))
	})
}
