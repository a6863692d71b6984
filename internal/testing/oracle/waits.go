package oracle

import (
	"slices"
	"strings"
)

// elsewhere is the wrong cell that says what a row stands beneath: which resource it is
// of nobody can tell.
const elsewhere = "parent"

// lowering are the cells that could have lowered or stopped something.
var lowering = []string{"status", "budget.daily", "budget.lifetime", "bid.max", "amount", "start", "end", elsewhere}

// waits reports whether a cell of the row of a resource cannot be read, or one of a row above it.
func (f Files) waits(tag string) bool {
	for ; tag != ""; tag = f[tag].Parent {
		if len(f[tag].Wrong) > 0 {
			return true
		}
	}
	return false
}

// keeps reports whether the policy removes nothing of a kind, as a row of it waits, or one that
// may stand beneath anything of it.
func (f Files) keeps(kind string) bool {
	for tag, item := range f {
		if len(item.Wrong) == 0 {
			continue
		}
		for above := item; slices.Contains(item.Wrong, elsewhere) && above.Parent != ""; {
			if above = f[above.Parent]; above.Kind == kind {
				return true
			}
		}
		if f[tag].Kind == kind {
			return true
		}
	}
	return false
}

// top is what a resource stands beneath in the end.
func (f Files) top(tag string) string {
	for f[tag].Parent != "" {
		tag = f[tag].Parent
	}
	return tag
}

// mayLower reports whether a wrong cell of a row could have lowered or stopped something: one of
// its own, or one by which nobody can tell what it stands beneath.
func (f Files) mayLower(tag string) bool {
	if slices.ContainsFunc(f[tag].Wrong, func(name string) bool { return slices.Contains(lowering, name) }) {
		return true
	}
	return f.adrift(tag)
}

// adrift reports whether nobody can tell which resource a row is of.
func (f Files) adrift(tag string) bool {
	for ; tag != ""; tag = f[tag].Parent {
		if slices.Contains(f[tag].Wrong, elsewhere) {
			return true
		}
	}
	return false
}

// counts reports whether a wrong cell could have lowered or stopped a resource as it is.
func (f Files) counts(tag string, live *Entry) bool {
	kind := f[tag].Kind
	switch {
	case !f.mayLower(tag):
		return false
	case bounds[kind], only[kind] != "":
		return true
	}
	return live != nil && !live.gone() && live.status() == "active"
}

// restsOnWaiting reports whether a hold is over a rise that may rest on what a row that waits was
// to lower or stop: one of its campaign, or one that the whole account counts.
func (h excuses) restsOnWaiting(tag, reason string) bool {
	if !strings.HasPrefix(reason, "exceeds-files ") {
		return false
	}
	files, live := h.Commits[len(h.Commits)-1], h.byTag()
	for other, item := range files {
		near := files.top(other) == files.top(tag) || spends[item.Kind] || bounds[item.Kind] || only[item.Kind] != ""
		if near && (files.counts(other, live[other]) || files.waitsToLower(other, live[other])) {
			return true
		}
	}
	return h.restsOnLost(tag, reason)
}

// restsOnLost reports whether a hold is over what a row may be of which nobody can tell which
// resource it is: one of its kind that is active in the campaign of the rise, and that no
// row names any more, as it would be where the row has another name for it and less. The
// hold names that row, or what it may be; once the row is right it is let go, as the
// history that goes on has it.
func (h excuses) restsOnLost(tag, reason string) bool {
	files := h.Commits[len(h.Commits)-1]
	for lost, live := range h.byTag() {
		if _, named := files[lost]; named || live.status() != "active" || h.lastTop(lost) != files.top(tag) {
			continue
		}
		for row, item := range files {
			if item.Kind == live.Kind && files.adrift(row) &&
				(strings.Contains(reason, "/"+row+" ") || strings.Contains(reason, "/"+lost+" ")) {
				return true
			}
		}
	}
	return false
}

// lastTop is what a resource stood beneath in the end when the files named it last.
func (h excuses) lastTop(tag string) string {
	for _, files := range slices.Backward(h.Commits) {
		if _, named := files[tag]; named {
			return files.top(tag)
		}
	}
	return ""
}

// waitsToLower reports whether cells which can be read, of a row that waits, may lower or stop
// what is live, or are those of a limit or of the account.
func (f Files) waitsToLower(tag string, live *Entry) bool {
	item := f[tag]
	switch {
	case !f.waits(tag):
		return false
	case bounds[item.Kind], only[item.Kind] != "":
		return true
	case live == nil || live.status() != "active":
		return false
	}
	return slices.ContainsFunc(lowering, func(name string) bool {
		want, given := f.wants(tag, name)
		return given && !same(want, live.After.at(pathOf(item.Kind, name)))
	})
}

// byTag are the resources that stand, by whose they are.
func (h excuses) byTag() map[string]*Entry {
	byTag := map[string]*Entry{}
	for _, e := range h.Live(h.last()) {
		if !e.gone() {
			byTag[e.tag()] = e
		}
	}
	return byTag
}
