package oracle

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"
)

// births knows what may explain that a resource was created twice.
type births struct{ *History }

func (h *History) births() births { return births{h} }

// SingleBirth is invariant 1. Where the service does not keep what it says of
// keys, a second resource of one key is the service's, and is left out here: it
// still must not spend (invariant 9). So is that of a second agent with a state
// of its own, where lists do not show what the first has made, or not as what
// the files call it by now, and the service never told it by the key. Where a
// person says that nothing was made, and what was made is archived, or stands beneath
// the other agent's parent, it is made anew. The key of a merge is of one state alone.
// What a frozen sender that had lost the account sends while a key does not show yet is the service's as well.
func SingleBirth(h *History) error {
	b := h.births()
	born := map[string]*Entry{}
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours && !e.Past || !managed(e) || e.Action != "create" {
			continue
		}
		tag := e.tag()
		first := born[tag]
		switch {
		case first == nil:
			born[tag] = e
		case h.Released[tag] && (h.Live(e.Seq - 1)[first.ID].gone() || b.elsewhere(first, e)):
			born[tag] = e
		case h.secondLife(first, e):
			born[tag] = e
		case b.blind(first, e) || b.atOnce(first, e) || b.beneathEnded(first, e) || b.beneathTwins(first, e):
		// two at once, or what somebody took away
		case !hasKey[e.Kind] && first.Actor != e.Actor &&
			(!b.listedBetween(first, e) || h.Live(e.Seq - 1)[first.ID].gone()):
		case e.createKey() == "" && b.takenAway(first, e.Seq): // while nobody had heard of it
			born[tag] = e
		case e.createKey() == "" && b.overtaken(first, e):
		case e.createKey() == "" && h.requestOf(first) != h.requestOf(e): // nothing but the name tells them apart
			return fmt.Errorf("%s was created as %s and again as %s", tag, first.ID, e.ID)
		case e.createKey() == "": // one request, delivered twice
		case first.createKey() != e.createKey() && b.deliveredAgain(e): // since another took the place of what it made
		case first.createKey() != e.createKey():
			return fmt.Errorf("%s was created as %s under key %q and again as %s under key %q",
				tag, first.ID, first.createKey(), e.ID, e.createKey())
		case b.staleTwin(first, e):
		case b.tooSoon(first, e):
			return fmt.Errorf("%s was created as %s and again as %s, by the same bytes within a minute",
				tag, first.ID, e.ID)
		case h.KeysHold:
			return fmt.Errorf("%s was created as %s and again as %s, both under key %q, which the service knows",
				tag, first.ID, e.ID, e.createKey())
		}
	}
	return nil
}

// overtaken reports whether one of two creates without a key was lost for so long that its
// agent had looked for it, and had not seen it, before it sent the other.
func (h births) overtaken(first, then *Entry) bool {
	return h.missedBefore(first, then) || h.missedBefore(then, first)
}

func (h births) missedBefore(lost, again *Entry) bool {
	sent, anew := h.requestOf(lost), h.requestOf(again)
	return sent != nil && anew != nil && sent.Agent == anew.Agent && sent.N < anew.N && h.missedBy(lost, anew.N)
}

// tooSoon reports whether an agent sent the same bytes again before a service that knows
// keys late knew that of the first.
func (h births) tooSoon(first, then *Entry) bool {
	sent, again := h.requestOf(first), h.requestOf(then)
	return sent != nil && again != nil && sent != again &&
		sent.Agent == again.Agent && sent.Body == again.Body && again.At.Sub(sent.At) < time.Minute
}

// staleTwin reports whether the same bytes made a resource twice as one of two senders had lost the account, and was
// frozen between its check and its write: the service, which shows keys late, did not know that of the first yet.
func (h births) staleTwin(first, then *Entry) bool {
	sent, again := h.requestOf(first), h.requestOf(then)
	return !h.KeysHold && sent != nil && again != nil && sent != again && (sent.Late || again.Late) &&
		sent.Agent == again.Agent && sent.Body == again.Body && then.At.Sub(first.At) <= h.KeyLag
}

// beneathRenamed reports whether an agent could not tell what its create stands beneath: another had given that the
// name of the files only after the list. What it holds is looked for beneath what is known alone.
func (h births) beneathRenamed(then *Entry) bool {
	sent, list := h.requestOf(then), h.lastListed(then)
	above := h.madeAs(then.After.text(parentAt[then.Kind]))
	if sent == nil || sent.Commit < 0 || list == nil || above == nil || above.Actor == then.Actor {
		return false
	}
	shown := h.Live(h.seqBefore(list))[above.ID]
	name, named := h.Commits[sent.Commit].wants(above.tag(), "name")
	return shown != nil && named && !same(name, shown.After.at("name"))
}

// deliveredAgain reports whether a create was made before by the same bytes under the same key, and the service, which
// does not keep what it says of keys, took them anew as they came a second time.
func (h births) deliveredAgain(e *Entry) bool {
	again := h.requestOf(e)
	return !h.KeysHold && again != nil && slices.ContainsFunc(h.createsOf(e.tag()), func(made *Entry) bool {
		sent := h.requestOf(made)
		return made.Seq < e.Seq && made.createKey() == e.createKey() && sent != nil &&
			sent.Agent == again.Agent && made.Body == e.Body
	})
}

// elsewhere reports whether two creates stand beneath two parents: those of two states, or of one that lost what it
// had.
func (h births) elsewhere(first, then *Entry) bool {
	return (h.Forgot || first.Actor != then.Actor) &&
		(first.After.text("campaign_id") != then.After.text("campaign_id") ||
			first.After.text("ad_group_id") != then.After.text("ad_group_id"))
}

// blind reports whether an agent could not tell that another one had made a resource: the
// service never told it by the key, and lists do not show it as what the files call it
// by now, or under a key of its own after it had looked, or beneath another parent than
// its own.
func (h births) blind(first, then *Entry) bool {
	if first.Actor == then.Actor || h.told(first, then) {
		return false
	}
	return !(h.ListsHold && h.recognisable(first, then)) ||
		h.rekeyed(first, then) && (!h.listedBetween(first, then) || h.beneathRenamed(then)) ||
		h.beneathBlind(first, then)
}

// rekeyed reports whether the files gave a resource, or what it stands beneath, another key
// between two creates: the service cannot tell that they mean the same.
func (h births) rekeyed(first, then *Entry) bool {
	one, other := h.requestOf(first), h.requestOf(then)
	return one != nil && other != nil && one.Commit >= 0 &&
		other.Commit >= 0 && h.Commits[one.Commit].path(then.tag()) != h.Commits[other.Commit].path(then.tag())
}

// path is the key of a resource with those of what it stands beneath.
func (f Files) path(tag string) (path string) {
	for item, named := f[tag]; named; item, named = f[item.Parent] {
		path = cmp.Or(item.Key, item.Tag) + "/" + path
	}
	return path
}

// beneathBlind reports whether two creates stand beneath two parents, the second of which was
// made as its agent could not tell the first: what it holds is looked for there alone.
func (h births) beneathBlind(first, then *Entry) bool {
	at := parentAt[then.Kind]
	above, own := h.madeAs(first.After.text(at)), h.madeAs(then.After.text(at))
	return above != nil && own != nil && above.Seq < own.Seq &&
		above.tag() == own.tag() && own.Actor == then.Actor && h.blind(above, own)
}

// beneathEnded reports whether what another agent made stands beneath what is archived by then,
// and is made anew beneath another one: there nothing can be done with it.
func (h births) beneathEnded(first, then *Entry) bool {
	live := h.Live(then.Seq - 1)
	for above := live[first.After.text(parentAt[first.Kind])]; above != nil &&
		h.elsewhere(first, then); above = live[above.After.text(parentAt[above.Kind])] {
		if above.gone() {
			return true
		}
	}
	return false
}

// beneathTwins reports whether two agents' creates stand beneath two parents that the service
// made of one key, as it does not keep what it says of keys: each beneath its own.
func (h births) beneathTwins(first, then *Entry) bool {
	at := parentAt[then.Kind]
	one, other := h.madeAs(first.After.text(at)), h.madeAs(then.After.text(at))
	return !h.KeysHold && first.Actor != then.Actor && one != nil &&
		other != nil && one.ID != other.ID && one.createKey() != "" && one.createKey() == other.createKey() &&
		one.Actor == first.Actor && other.Actor == then.Actor
}

// madeAs is the create of an id, nil where there is none.
func (h births) madeAs(id string) *Entry {
	for i := range h.W {
		if e := &h.W[i]; e.Action == "create" && e.ID == id && id != "" {
			return e
		}
	}
	return nil
}

// madeBlindly reports whether a create is of what another agent had made and its own could
// not tell: what the files let it spend is then spent twice.
func (h births) madeBlindly(e *Entry) bool {
	if _, ours := h.ours(e); !ours || e.Action != "create" {
		return false
	}
	made := h.createsOf(e.tag())
	_, ours := h.ours(made[0])
	return ours && made[0].Seq < e.Seq && (h.blind(made[0], e) || h.atOnce(made[0], e))
}

// recognisable reports whether what was created first is there, under the name of what
// was created then; as it was when whoever made the second listed it last, where it was
// there by then: others may give it the name in the meantime.
func (h births) recognisable(first, then *Entry) bool {
	as := h.Live(then.Seq - 1)[first.ID]
	if list := h.lastListed(then); list != nil {
		if shown := h.Live(h.seqBefore(list))[first.ID]; shown != nil {
			as = shown
		}
	}
	return as.After.text("status") != "archived" && same(as.After.at("name"), then.After.at("name"))
}

// lastListed is the last whole list of its kind that whoever made a resource had asked for
// before, nil where there is none.
func (h births) lastListed(e *Entry) *Request {
	sent := h.requestOf(e)
	if sent == nil {
		return nil
	}
	for _, r := range slices.Backward(h.Requests) {
		if r.N < sent.N && r.Agent == sent.Agent && r.Method == "GET" &&
			r.Path == listOf[e.Kind] && r.Whole && r.Status == 200 {
			return r
		}
	}
	return nil
}

// seqBefore is the last entry that was there before a request.
func (h *History) seqBefore(r *Request) (seq int64) {
	for i := range h.W {
		if h.W[i].Request < r.N {
			seq = h.W[i].Seq
		}
	}
	return seq
}

// listedBetween reports whether whoever made the second had listed what there is after
// the first was made.
func (h births) listedBetween(first, then *Entry) bool {
	sent := h.requestOf(then)
	return sent != nil && slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r.Agent == sent.Agent && r.Method == "GET" && r.N > first.Request &&
			r.N < sent.N && r.Whole && r.Status == 200 && !r.Answered.After(sent.At) && r.Path == listOf[then.Kind]
	})
}

// takenAway reports whether somebody else had ended what an agent made, and that the agent had
// not heard of it: the service had refused that very request (a second delivery of it was
// refused, as the first had been carried out), or its answer was lost. Lists need not show
// what is archived. The audit log tells by its name what was lost, but nothing that has none.
func (h births) takenAway(made *Entry, before int64) bool {
	last := h.Live(before - 1)[made.ID]
	if !last.gone() || !h.strange(last) {
		return false
	}
	if sent := h.requestOf(made); sent != nil && sent.refused() {
		return true
	}
	return nameless[last.Kind] && slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r.lost() && r.Mutates()
	})
}

// refused reports whether the service said that it did not do what was asked.
func (r *Request) refused() bool { return r.Status >= 400 && !r.lost() }

// listOf is where the kinds are listed.
var listOf = map[string]string{
	"campaign": "/campaigns", "ad_group": "/ad_groups", "ad": "/ads",
	"audience": "/custom_audiences", "spend_limit_window": limitsPath, "daily_spend_limit": limitsPath,
	"pixel": "/conversions/pixels", "event_setting": "/conversions/event_settings",
}

// told reports whether whoever made the second had been refused the key of the first
// before.
func (h births) told(first, then *Entry) bool {
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return h.Actors[r.Agent] == then.Actor && r.At.Before(then.At) &&
			slices.Contains(r.Conflicts, first.createKey())
	})
}

// createKey is the key that made a create one of a kind.
func (e *Entry) createKey() string {
	if e.OperationKey != "" {
		return e.OperationKey
	}
	return e.Key
}

// atOnce reports whether two agents with a state each made a resource side by side under two
// keys: one of them had made nothing under the key of the other, and went on to another
// one as the files were edited, since no key ever stands for two bodies (invariant 4).
func (h births) atOnce(first, then *Entry) bool {
	return first.Actor != then.Actor && !h.listedBetween(first, then) &&
		(h.leftKey(first, then.createKey()) || h.leftKey(then, first.createKey()))
}

// leftKey reports whether whoever made a resource had asked for it under a key at an earlier
// commit, was answered, and had made nothing.
func (h births) leftKey(e *Entry, key string) bool {
	sent := h.requestOf(e)
	if sent == nil || key == "" || slices.ContainsFunc(h.W, func(w Entry) bool {
		return w.Actor == e.Actor && w.createKey() == key
	}) {
		return false
	}
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r.Agent == sent.Agent && r.N < sent.N &&
			r.Commit < sent.Commit && r.Mutates() && !r.lost() && !r.Answered.IsZero() && r.carries(key)
	})
}

// carries reports whether a create of a request goes under a key.
func (r *Request) carries(key string) bool {
	return r.Key == key || r.Path == jobsPath && bytes.Contains(r.Content, []byte(`"`+key+`"`))
}
