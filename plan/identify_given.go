package plan

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// checkGiven reports ids of the files that name nothing live, or not what the
// address is bound to. A row that wants archived what the record knows as gone has
// what it wants.
func (i *identifier) checkGiven() {
	for at := range i.known {
		known := &i.known[at]
		r := known.given
		if r == nil {
			continue
		}
		address, found := addressOf(known.found)
		switch {
		case found && address == r.Address:
		case found && i.schemas.Parent(address) != i.schemas.Parent(r.Address):
			if !i.strays(r) {
				i.badID(diag.Conflicting, r, i.elsewhere(r, address), "")
			}
		case i.isOther(r.Address, r.ID):
			i.badID(diag.Conflicting, r, fmt.Sprintf("id is %q, and "+
				"the key is bound to %q; want that id, or another key", r.ID, i.last.Get(r.Address).ID), i.meant(r))
		case found:
			i.badID(diag.Conflicting,
				r, fmt.Sprintf("id is %q, which is that of %s; want another id, or the same key", r.ID, address), "")
		case known.bound == nil || known.bound.Address != r.Address:
			i.badID(diag.BadValue, r, i.nowhere(r), i.meant(r))
		}
	}
}

// strays reports whether a row above has an id that does not name it: what is beneath it
// stands elsewhere for that reason alone.
func (i *identifier) strays(r *resource.Resource) bool {
	for up := i.schemas.Parent(r.Address); !up.IsZero(); up = i.schemas.Parent(up) {
		above := i.desired.Get(up)
		if above != nil && above.ID != "" && i.foundAt(identity{up.Kind, above.ID}) != up {
			return true
		}
	}
	return false
}

// badID reports what is wrong with the id of a row, where the id is written.
func (i *identifier) badID(c diag.Code, r *resource.Resource, message, hint string) {
	position := r.IDAt
	if position.IsZero() {
		position = r.Position
	}
	i.problems.Add(diag.Problem{
		Severity: diag.Error, Code: c, Position: position, Address: r.Address.String(), Message: message, Hint: hint,
	})
}

// elsewhere says that a row stands beneath another parent than what its id
// names. The service moves nothing, so that one of the two has to give way.
func (i *identifier) elsewhere(r *resource.Resource, live resource.Address) string {
	here, there := i.schemas.Parent(r.Address), i.schemas.Parent(live)
	stands := "beneath " + there.String() + " at the service"
	if there.IsZero() {
		stands = "beneath a parent that is not listed"
	}
	return fmt.Sprintf("id is %q, which is %s, and the row is beneath %s; nothing "+
		"moves to another parent: put the row back, or leave the id out and give another key, to make a new one",
		r.ID, stands, here)
}

// nowhere says that the service has nothing of the kind under the id of a row, and what it
// has under it of another kind.
func (i *identifier) nowhere(r *resource.Resource) string {
	kind := r.Address.Kind
	for _, s := range i.schemas {
		if other := i.of(identity{s.Kind, r.ID}); s.Kind != kind && other.live != nil {
			return fmt.Sprintf("id is %q, which is that of %s; want the id of %s",
				r.ID, named(s, other), withArticle(i.schemas.Of(kind)))
		}
	}
	return fmt.Sprintf("id is %q, and the service has no such %s; want the id of a live one, or none", r.ID, kind)
}

// named calls a live resource what the files call it, or what it is called at the service.
func named(s *resource.Schema, k known) string {
	if k.found != nil && !strings.Contains(k.found.Address.Key, "~") {
		return k.found.Address.String()
	}
	return withArticle(s) + fmt.Sprintf(" named %q", s.NameOf(k.live))
}

func withArticle(s *resource.Schema) string {
	title := strings.ToLower(s.Title)
	if strings.ContainsRune("aeiou", rune(title[0])) {
		return "an " + title
	}
	return "a " + title
}

const (
	meantLetters = 6  // of an id must be left for the whole of it to be known again
	meantMost    = 20 // rows that are looked for: what is behind many of them is one mistake
)

// meant names the id that a row probably lost: what its key is bound to, else the only live
// one that begins or ends like it or has its name. It is "" where that is not known.
func (i *identifier) meant(r *resource.Resource) string {
	if bound := i.last.Get(r.Address); bound != nil && bound.ID != "" {
		return diag.Suggest(bound.ID)
	}
	if i.meants++; i.meants > meantMost {
		return ""
	}
	s := i.schemas.Of(r.Address.Kind)
	_, name := callOf(s, r)
	cut, called := "", ""
	for at := range i.known {
		live := i.known[at].live
		if live == nil || live.Address.Kind != s.Kind || removed(s, live) || i.known[at].given != nil {
			continue
		}
		if len(r.ID) >= meantLetters && (strings.HasPrefix(live.ID, r.ID) || strings.HasSuffix(live.ID, r.ID)) {
			cut = onlyOne(cut, live.ID)
		}
		if name != "" && s.NameOf(live) == name {
			called = onlyOne(called, live.ID)
		}
	}
	for _, id := range []string{cut, called} {
		if id != "" && id != ambiguous {
			return diag.Suggest(id)
		}
	}
	return ""
}

// ambiguous stands for more than one id.
const ambiguous = " "

func onlyOne(so, id string) string {
	if so != "" && so != id {
		return ambiguous
	}
	return id
}
