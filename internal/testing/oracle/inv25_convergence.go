package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// excuses knows why a resource may be other than its files say once all is quiet.
type excuses struct{ *History }

func (h *History) excuses() excuses { return excuses{h} }

// Convergence is invariant 25: what the files say is there, once and as they
// say, but for what was held with a reason because a stranger had touched it.
func Convergence(h *History, excused map[string]string) error {
	known := h.excuses()
	files := h.Commits[len(h.Commits)-1]
	touched := h.touched()
	byTag := map[string][]*Entry{}
	live := h.Live(h.last())
	for _, e := range live {
		if !e.gone() && !h.madeRoom(live, e) {
			byTag[e.tag()] = append(byTag[e.tag()], e)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(files)) {
		reason := known.reason(tag, excused)
		if files.waits(tag) { // invariant 37 has what becomes of it; that it waits is said
			if len(files[tag].Wrong) > 0 && !strings.HasPrefix(excused[tag], "invalid ") {
				return fmt.Errorf("a cell of %s %s is wrong, and the agent says %q of it",
					files[tag].Kind, tag, excused[tag])
			}
			continue
		}
		// guards and others are many; who is said to have done something has done it
		free := !h.Alone && (h.Shared || h.Forgot || !overSomebody(reason))
		if reason != "" && (free || known.touchedAbove(tag, touched) ||
			known.forAPerson(tag, reason) || known.waitsForALimit(tag,
			excused) || known.restsOnWaiting(tag, reason)) || files.ends(tag) && len(byTag[tag]) == 0 {
			continue
		}
		// what somebody did to it before is shown to nobody
		if bounds[files[tag].Kind] && known.withoutLimits() && touched[tag] {
			continue
		}
		if err := known.reached(tag, byTag[tag]); err != nil {
			return fmt.Errorf("%w (agent: %q)", err, reason)
		}
	}
	return nil
}

// overSomebody reports whether a hold is over what somebody else is said to have done.
func overSomebody(reason string) bool {
	hazard, _, _ := strings.Cut(reason, " ")
	return slices.Contains([]string{"conflict", "drift", "removed-by-hand"}, hazard)
}

// touchedAbove reports whether a stranger touched a resource or one it stands beneath.
func (h excuses) touchedAbove(tag string, touched map[string]bool) bool {
	files := h.Commits[len(h.Commits)-1]
	for ; tag != ""; tag = files[tag].Parent {
		if touched[tag] {
			return true
		}
	}
	return false
}

// reason is why a resource, or one it stands beneath, was left out.
func (h excuses) reason(tag string, excused map[string]string) string {
	files := h.Commits[len(h.Commits)-1]
	for ; tag != ""; tag = files[tag].Parent {
		if reason := excused[tag]; reason != "" {
			return reason
		}
	}
	return ""
}

// forAPerson reports whether a hold is one only a person can release: of a limit that the
// account may not have, of what waits to be adopted, or of who is in an audience, as
// changed by somebody else, where an operation on those people was refused or lost, or
// the service took it twice, or as it takes no files to replace them by; and of what adsync's own
// update did that came late.
func (h excuses) forAPerson(tag, reason string) bool {
	item := h.Commits[len(h.Commits)-1][tag]
	switch {
	case bounds[item.Kind] && strings.HasPrefix(reason, "unavailable ") && h.withoutLimits():
		return true
	case strings.HasPrefix(reason, "adopt ") && !hasKey[item.Kind] && h.waitsForAdoption(tag):
		return true
	case bounds[item.Kind] && h.inItsOwnWay(tag, reason):
		return true
	case overSomebody(reason) && (h.doneThoughRefused(tag) || h.deliveredLate(tag) || h.stale().stopped(tag)):
		return true
	case !ofPeople[item.Kind]:
		return false
	case (strings.HasPrefix(reason, "conflict ") || strings.HasPrefix(reason, "drift ")) &&
		(h.sentTwice(tag) || h.peopleInDoubt(tag)):
		return true
	case h.irreplaceable(tag, reason):
		return true
	case item.Values["members.do"] == "remove" && len(h.createsOf(tag)) == 0: // from what is not there
		return true
	}
	of, _ := item.Values["merge"].([]string)
	return slices.ContainsFunc(of, func(source string) bool {
		_, source, _ = strings.Cut(source, "/")
		return h.sentTwice(source) || h.peopleInDoubt(source) ||
			len(h.createsOf(source)) == 0 || h.irreplaceable(source, reason)
	})
}

// irreplaceable reports whether a hold is over a list that is to take the place of another, of
// an audience that has been filled, at a service that takes no files.
func (h excuses) irreplaceable(tag, reason string) bool {
	held := strings.Contains(reason, "replace takes an uploaded file") ||
		strings.Contains(reason, "audience/"+tag+" is held")
	return h.NoFiles && held && h.Commits[len(h.Commits)-1].does(tag) == "replace" &&
		slices.ContainsFunc(h.persons().operations(), func(o *operated) bool {
			return o.tag == tag && o.Action != "create"
		})
}

// waitsForALimit reports whether a resource, or one it stands beneath, would spend more than
// the files let it as long as a limit of theirs is not written: one the account may not
// have, or one that waits to be adopted.
func (h excuses) waitsForALimit(tag string, excused map[string]string) bool {
	files, without := h.Commits[len(h.Commits)-1], h.withoutLimits()
	for ; tag != ""; tag = files[tag].Parent {
		reason := excused[tag]
		for limit, item := range files {
			held := " of " + item.Kind + "/" + limit + " is held"
			waits := without && strings.Contains(reason, "(unavailable)"+held) ||
				h.waitsForAdoption(limit) && strings.Contains(reason, "(adopt)"+held)
			if bounds[item.Kind] && strings.HasPrefix(reason, "exceeds-files ") && waits {
				return true
			}
		}
	}
	return false
}

// waitsForAdoption reports whether an agent takes what it made for somebody else's, as nothing
// tells a create without a key from another's.
func (h excuses) waitsForAdoption(tag string) bool {
	return h.refusedTheSecond(tag) || h.arrivedLate(tag)
}

// How long a create whose answer was lost may still be on its way: one with a key, whose
// second could spend, since it was sent; one without since its agent gave it up.
const (
	trustWindow = 20 * time.Minute
	listWindow  = time.Minute
)

// mayArrive reports whether a read is too early to tell that a create does not come any more.
func mayArrive(e *Entry, sent, read *Request) bool {
	if hasKey[e.Kind] {
		return read.At.Sub(sent.At) < trustWindow
	}
	return read.At.Sub(sent.Answered) < listWindow
}

// arrivedLate reports whether a create was carried out long after its agent had lost it, and
// had seen in a list that it was not there.
func (h excuses) arrivedLate(tag string) bool {
	return slices.ContainsFunc(h.createsOf(tag), func(e *Entry) bool { return h.births().missedBy(e, math.MaxInt) })
}

// missedBy reports whether a create was carried out long after its agent had lost it, and
// had seen in a list before a request that it was not there.
func (h births) missedBy(e *Entry, before int) bool {
	sent := h.requestOf(e)
	return sent != nil && sent.lost() && slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r.Agent == sent.Agent && r.Method == "GET" && r.Path == listOf[e.Kind] && r.Whole && r.Status == 200 &&
			r.N < before && r.N <= e.Request && r.Answered.UnixMilli() <= e.At.UnixMilli() && !mayArrive(e, sent, r)
	})
}

// refusedTheSecond reports whether a create was carried out, and its answer was that it
// was refused: it was delivered twice.
func (h excuses) refusedTheSecond(tag string) bool {
	return slices.ContainsFunc(h.createsOf(tag), h.thoughRefused)
}

func (h excuses) thoughRefused(e *Entry) bool {
	r := h.requestOf(e)
	return r != nil && r.Status >= 400 && r.Status < 500
}

// deliveredLate reports whether an update was carried out after a later one of its agent,
// which had given it up before it sent that: what it did is somebody else's to the agent. What a process sends late
// that had lost the account is known by the journal, and is put right.
func (h excuses) deliveredLate(tag string) bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool {
		by, ours := h.ours(&e)
		return ours && managed(&e) && e.Before != nil &&
			e.tag() == tag && slices.ContainsFunc(h.Requests, func(r *Request) bool {
			return r.Agent == by && r.lost() && r.Body == e.Body && !r.found() &&
				r.names(&e) && slices.ContainsFunc(h.W, func(later Entry) bool {
				sent := h.requestOf(&later)
				return later.Seq < e.Seq && later.ID == e.ID &&
					later.Body != e.Body && sent != nil && sent.Agent == by && !sent.At.Before(r.Answered)
			})
		})
	})
}

// inItsOwnWay reports whether a limit of the files has its days already, as a create that
// was carried out though its answer was that it was refused.
func (h excuses) inItsOwnWay(tag, reason string) bool {
	return strings.HasPrefix(reason, "incomplete its days overlap ") &&
		slices.ContainsFunc(h.createsOf(tag), func(e *Entry) bool {
			return h.thoughRefused(e) && strings.Contains(reason, " "+e.ID+" ")
		})
}

// doneThoughRefused reports whether a write was carried out, and all its agent heard is that
// it was refused, as it was delivered twice: what it did is somebody else's to the agent.
func (h excuses) doneThoughRefused(tag string) bool {
	return slices.ContainsFunc(h.W, func(e Entry) bool {
		_, ours := h.ours(&e)
		return ours && managed(&e) && e.Before != nil && e.tag() == tag && h.thoughRefused(&e)
	})
}

// peopleInDoubt reports whether an agent does not know what became of a write to an
// audience, or was refused one.
func (h excuses) peopleInDoubt(tag string) bool {
	if slices.ContainsFunc(h.persons().operations(), func(o *operated) bool { return o.tag == tag && h.unheard(o) }) {
		return true
	}
	return slices.ContainsFunc(h.Requests, func(r *Request) bool {
		in, beneath := strings.CutPrefix(r.Path, "/custom_audiences")
		if !beneath || !r.Mutates() || !r.lost() && !r.Answered.IsZero() && r.Status < 400 {
			return false
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(in, "/"), "/")
		if id == "" || id == "merge" {
			var made Record
			return json.Unmarshal(r.Content, &made) == nil && made.tag() == tag
		}
		return h.TagOf(id) == tag
	})
}

// unheard reports whether an agent died between the answer to an operation on people and its
// journal: it never asked for that operation, and did not send it again. Nothing else at
// the service says whose it is.
func (h excuses) unheard(o *operated) bool {
	_, ours := h.ours(o.Entry)
	if !ours || o.sent == nil || o.Action == "create" {
		return false
	}
	crashed := slices.ContainsFunc(h.Applies, func(a *Apply) bool {
		return a.Crashed && a.Agent == o.sent.Agent && a.Process == o.sent.Process
	})
	return crashed && !slices.ContainsFunc(h.Requests, func(r *Request) bool {
		return r.Agent == o.sent.Agent &&
			(r.Key == o.Key && r != o.sent || r.Method == "GET" && pathNames(r.Path, o.ID))
	})
}

// sentTwice reports whether the service took one operation on an audience two times: it
// had forgotten its key.
func (h excuses) sentTwice(tag string) bool {
	keys := map[string]bool{}
	for _, o := range h.persons().operations() {
		if o.tag == tag && o.Key != "" && keys[o.Key] {
			return true
		}
		keys[o.Key] = keys[o.Key] || o.tag == tag
	}
	return false
}

// withoutLimits reports whether the account may have no limits by now.
func (h excuses) withoutLimits() bool {
	for _, r := range slices.Backward(h.Requests) {
		if r.Method == "GET" && r.Path == limitsPath && r.Status != 0 {
			return r.Status >= 400
		}
	}
	return false
}

// createsOf are the creates of a resource of the files.
func (h *History) createsOf(tag string) (creates []*Entry) {
	for i := range h.W {
		if e := &h.W[i]; e.Action == "create" && managed(e) && e.tag() == tag {
			creates = append(creates, e)
		}
	}
	return creates
}

func (h excuses) reached(tag string, live []*Entry) error {
	f, keysHold := h.Commits[len(h.Commits)-1], h.KeysHold && !h.Shared
	if len(live) == 0 {
		return fmt.Errorf("%s %s is not there", f[tag].Kind, tag)
	}
	// of two that two agents, or the service, made of one create the files end one
	if f.ends(tag) && (h.Shared || len(live) < len(h.createsOf(tag))) {
		return nil
	}
	if f.ends(tag) {
		return fmt.Errorf("%s %s is there; the files end it", f[tag].Kind, tag)
	}
	if len(live) > 1 && keysHold && hasKey[f[tag].Kind] {
		return fmt.Errorf("%s %s is there %d times", f[tag].Kind, tag, len(live))
	}
	var failure error
	for _, e := range live {
		if failure = cmp.Or(f.equals(tag, e), h.persons().membersReached(tag, e), h.inItsTree(tag, e)); failure == nil {
			return nil
		}
	}
	return failure
}

// inItsTree says that a resource stands beneath one that is as the files want the
// parent, where its record names it and the parent was not left out for a reason.
func (h excuses) inItsTree(tag string, e *Entry) error {
	f := h.Commits[len(h.Commits)-1]
	above := e.After.text(parentAt[e.Kind])
	if h.Shared || above == "" || f[tag].Parent == "" {
		return nil
	}
	parent := h.Live(h.last())[above]
	if parent == nil || parent.gone() || parent.tag() != f[tag].Parent {
		return fmt.Errorf("%s %s stands beneath %s, which is not its parent", e.Kind, tag, above)
	}
	if err := f.equals(f[tag].Parent, parent); err != nil && len(h.createsOf(f[tag].Parent)) > 1 {
		return fmt.Errorf("%s %s stands beneath one of several: %w", e.Kind, tag, err)
	}
	return nil
}

func (f Files) equals(tag string, e *Entry) error {
	for _, field := range fields[e.Kind] {
		if want, given := f.wants(tag, field.name); given && !same(want, e.After.at(field.path)) {
			return fmt.Errorf("%s of %s %s is %v; the files say %v",
				field.name, e.Kind, tag, e.After.at(field.path), want)
		}
	}
	return nil
}
