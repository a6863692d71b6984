package oracle

import (
	"slices"
	"strings"
)

// runs knows what each run of an agent was to do: the files of its commit, or what it takes back.
type runs struct{ *History }

func (h *History) runs() runs { return runs{h} }

// runOf is the run that journalled a request; nil of one outside a run.
func (h runs) runOf(r *Request) *Apply {
	i := slices.IndexFunc(h.Applies, func(a *Apply) bool { return a.Agent == r.Agent && a.Process == r.Origin })
	if i < 0 {
		return nil
	}
	return h.Applies[i]
}

// backOf is the run of a request, where that takes another one back.
func (h runs) backOf(r *Request) *Apply {
	if a := h.runOf(r); a != nil && a.Reverts != nil {
		return a
	}
	return nil
}

// asks is what a run is asked for: what the files say or, of one that takes
// another back, what that one found of what it changed and still is as it left it.
func (h runs) asks(a *Apply) Files {
	if a.Reverts == nil {
		return h.Commits[a.Commit]
	}
	if a.asked == nil {
		a.asked = h.formerOf(a)
	}
	return a.asked
}

// asksOf is asks of the run that journalled a request.
func (h runs) asksOf(r *Request) Files {
	if a := h.backOf(r); a != nil {
		return h.asks(a)
	}
	return h.Commits[r.Commit]
}

func (h runs) formerOf(a *Apply) Files {
	former, live := Files{}, h.Live(a.From)
	for id, wrote := range h.wrote(a.Reverts, a.From) {
		now := live[id]
		// what took the place of another stays
		if now == nil || now.gone() || wrote[0].Before == nil && h.madeRoomIn(a.Reverts, now.tag()) {
			continue
		}
		values := map[string]any{}
		for _, f := range fields[now.Kind] {
			before, left, changed := across(wrote, f)
			if !changed && h.Shared { // the other agent wrote the same a moment earlier
				before, left, changed = across(h.meanwhile(a.Reverts, wrote), f)
			}
			if changed && same(left, now.After.at(f.path)) {
				values[f.name] = before
			}
		}
		if wrote[0].Before == nil {
			values = map[string]any{}
			if now.After.text("status") != "" && !ofPeople[now.Kind] {
				values["status"] = "paused"
			}
		}
		former[now.tag()] = Item{Kind: now.Kind, Tag: now.tag(), Values: values}
	}
	return former
}

// wrote are the entries of a run up to one, whoever sent its bytes in the end, by
// id. What it made or ended for good is made by its first entry, or in none.
func (h runs) wrote(a *Apply, to int64) map[string][]*Entry {
	wrote := map[string][]*Entry{}
	for i := range h.W {
		e := &h.W[i]
		if by, ours := h.ours(e); !ours || by != a.Agent || !managed(e) || e.Seq > to {
			continue
		}
		if r := h.requestOf(e); r != nil && r.Origin == a.Process {
			wrote[e.ID] = append(wrote[e.ID], e)
		}
	}
	for id, entries := range wrote {
		if slices.ContainsFunc(entries, (*Entry).gone) {
			delete(wrote, id)
		}
	}
	return wrote
}

// meanwhile are the entries of a resource since a run began, whoever wrote them, up to the last one of that run.
func (h runs) meanwhile(a *Apply, wrote []*Entry) (all []*Entry) {
	last := wrote[len(wrote)-1]
	for i := range h.W {
		if e := &h.W[i]; e.ID == last.ID && e.Seq > a.From && e.Seq <= last.Seq {
			all = append(all, e)
		}
	}
	return all
}

// madeRoomIn reports whether a run itself ended what another one took the place of: a
// resource, or one above it. What did not stand there before took nobody's place.
func (h runs) madeRoomIn(a *Apply, tag string) bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool {
		by, ours := h.ours(&e)
		if !ours || by != a.Agent || !managed(&e) || !e.gone() {
			return false
		}
		r := h.requestOf(&e)
		return r != nil && r.Origin == a.Process && h.replaces(&e, a.Commit) &&
			h.Commits[a.Commit].under(tag, e.tag()) && h.stood(tag, e.Seq)
	})
}

// stood reports whether a resource of the files was there before an entry.
func (h *History) stood(tag string, before int64) bool {
	for _, e := range h.Live(before - 1) {
		if e.tag() == tag && !e.gone() {
			return true
		}
	}
	return false
}

// under reports whether a resource is another, or stands beneath it.
func (f Files) under(tag, above string) bool {
	for ; tag != ""; tag = f[tag].Parent {
		if tag == above {
			return true
		}
	}
	return false
}

// across is what a field was before some entries and after them, and whether they
// changed it.
func across(entries []*Entry, f field) (before, after any, changed bool) {
	for _, e := range entries {
		was, is := e.Before.at(f.path), e.After.at(f.path)
		if same(was, is) {
			continue
		}
		if !changed {
			before = was
		}
		after, changed = is, true
	}
	return before, after, changed
}

// TakeOver has files say of a resource what an entry changed of it, where they said
// something of that.
func (f Files) TakeOver(e *Entry) {
	item, named := f[e.tag()]
	if !named || e.Before == nil || e.After == nil {
		return
	}
	for _, field := range fields[e.Kind] {
		if _, given := item.Values[field.name]; !given || same(e.Before.at(field.path), e.After.at(field.path)) {
			continue
		}
		item.Values[field.name] = e.After.at(field.path)
		if list, of := item.Values[field.name].(string); of && listed[field.name] {
			item.Values[field.name] = strings.Split(list, "\n")
		}
	}
}

// listed are the fields that hold lists.
var listed = map[string]bool{"targeting.countries": true, "context_hints": true}
