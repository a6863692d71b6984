package oracle

import "fmt"

// wrongCells follows what waits for a cell that cannot be read.
type wrongCells struct{ *History }

func (h *History) wrongCells() wrongCells { return wrongCells{h} }

// WaitingLeft is invariant 37: of a row with a cell that cannot be read, and of all that
// stands beneath it, an agent leaves what is live as it is; nothing of its kind is removed
// by the policy meanwhile; and nothing rises or starts beside what the cell could have
// lowered or stopped. What a run of other files journalled is judged by those. (That such
// a cell frees no money is invariant 9.)
func WaitingLeft(h *History) error {
	for i := range h.W {
		e := &h.W[i]
		if _, ours := h.ours(e); !ours || !managed(e) {
			continue
		}
		r := h.requestOf(e)
		if r == nil || r.Commit < 0 || h.isStray(e) || h.runs().backOf(r) != nil {
			continue
		}
		if err := h.wrongCells().leaves(e, r); err != nil {
			return fmt.Errorf("entry %d (%s of %s %s), sent for commit %d: %w",
				e.Seq, e.Action, e.Kind, e.tag(), r.Commit, err)
		}
	}
	return nil
}

func (h wrongCells) leaves(e *Entry, r *Request) error {
	files, tag := h.Commits[r.Commit], e.tag()
	_, named := files[tag]
	switch {
	case files.waits(tag):
		return fmt.Errorf("a cell of its row, or of one above it, cannot be read")
	case !named && files.keeps(e.Kind):
		return fmt.Errorf("it is removed while a row of its kind waits")
	case !named && files.waits(h.tagAbove(e)):
		return fmt.Errorf("it is removed beneath a row that waits")
	case h.Shared || !e.raises() || h.startsNothing(e, files):
		return nil
	}
	if beside := h.besideWrong(e, r); beside != "" {
		return fmt.Errorf("it rises or starts beside %s, a wrong cell of which could have lowered or stopped that",
			beside)
	}
	return nil
}

// tagAbove is whose the parent of a resource is, as it is live.
func (h wrongCells) tagAbove(e *Entry) string {
	if above := h.Live(e.Seq)[e.Before.text(parentAt[e.Kind])]; above != nil {
		return above.tag()
	}
	return ""
}

// raises reports whether with an entry more may be spent, or something starts.
func (e *Entry) raises() bool {
	if e.After == nil {
		return false
	}
	if e.After.text("status") == "active" && e.Before.text("status") != "active" {
		return spends[e.Kind] || parentAt[e.Kind] != ""
	}
	before, _ := e.Before.at(pathOf(e.Kind, "bid.max")).(int64)
	after, _ := e.After.at(pathOf(e.Kind, "bid.max")).(int64)
	return before > 0 && after > before || spends[e.Kind] && e.After.spend(e.Kind, 0) > e.Before.spend(e.Kind, 0)
}

// startsNothing reports whether a create stands beneath what is not active, and what the files of
// its run do not want active either. Nothing can be spent with it until that starts, which
// is an entry of its own, and rises: whoever writes it is judged by that one.
func (h wrongCells) startsNothing(e *Entry, files Files) bool {
	above := files[e.tag()].Parent
	if wanted, _ := files.wants(above, "status"); e.Action != "create" || above == "" || wanted == "active" {
		return false
	}
	stands := false
	for _, parent := range h.Live(e.Seq) {
		if parent.tag() != above || parent.gone() {
			continue
		}
		if stands = true; parent.status() == "active" {
			return false
		}
	}
	return stands
}

// besideWrong is a row of the same campaign that waits for a cell which could have lowered
// or stopped what is live, as the run found it and as it still is.
func (h wrongCells) besideWrong(e *Entry, r *Request) string {
	files, a := h.Commits[r.Commit], h.runs().runOf(r)
	if a == nil {
		return ""
	}
	found, still := h.Live(a.From), h.Live(e.Seq)
	for id, was := range found {
		item, named := files[was.tag()]
		near := files.top(was.tag()) == files.top(e.tag())
		if named && near && files.counts(item.Tag, was) && files.counts(item.Tag, still[id]) {
			return item.Tag
		}
	}
	return ""
}
