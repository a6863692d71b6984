package pulls

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/forge"
	"adsync/plan"
)

// Rules say whose yes counts.
type Rules struct {
	Approvers []Approver
	OwnCounts bool // also that of somebody whose pull request it is
	// CodeOwners is that a yes counts only of somebody who owns all files of the account that the pull request changes.
	CodeOwners bool
	Uploads    []string      // begins of branches whose files people sent by the page
	Lasts      time.Duration // how long a yes is good for before the merge

	Names map[string]string // what people are called here, by their login at the forge in small letters
}

// Approver is somebody whose yes counts.
type Approver struct {
	Name    string        // a login, or a team such as @acme/buyers
	Hazards []plan.Hazard // that it counts for; empty is all
}

// Asked is what the plan of a pull request asks people for.
type Asked struct {
	Head      string     `json:"head"`
	Digest    string     `json:"digest"` // of the rest, as people name it; "" where nothing is asked
	Lineage   string     `json:"lineage,omitempty"`
	Serial    int64      `json:"serial,omitempty"`
	Asks      []plan.Ask `json:"asks,omitempty"`
	Unplanned bool       `json:"unplanned,omitempty"` // something is wrong with it
	Addresses []string   `json:"addresses,omitempty"` // of all that it changes
	ByTwo     bool       `json:"-"`                   // one yes is not enough
	Hidden    int        `json:"hidden,omitempty"`    // changes that a comment has no room for: nobody agrees to any
	// fields that change without the pull request too: an address and a field, and of each such address itself
	Pending []string `json:"pending,omitempty"`
}

// yes is what somebody agreed to: kept from when it was seen first, whether it counts or not.
type yes struct {
	ID      string     `json:"id"` // of the review or the comment
	By      string     `json:"by"`
	Bot     bool       `json:"bot,omitempty"`
	At      time.Time  `json:"at"` // by the forge
	Link    string     `json:"link,omitempty"`
	Lineage string     `json:"lineage,omitempty"`
	Serial  int64      `json:"serial,omitempty"`
	Asks    []plan.Ask `json:"asks,omitempty"` // what is left of what it was given to
	Lacks   string     `json:"lacks,omitempty"`
	Given   bool       `json:"given,omitempty"` // it counted at the merge, for these asks
}

// consents are what people were asked for of a pull request, and their answers.
type consents struct {
	// What was shown, the oldest first. Those from Since on may have been what somebody saw whose yes was not read yet.
	Shown []Asked `json:"shown"`
	Since int     `json:"since"`
	Yes   []yes   `json:"yes,omitempty"`
	// People sent its file by the page. A forge may not say any more which branch it was from, once that is deleted.
	Sent  bool   `json:"sent,omitempty"`
	Ours  bool   `json:"ours,omitempty"`  // adsync itself proposed it, for somebody whom the forge does not know
	Owned *Owned `json:"owned,omitempty"` // of the plan that was shown last; nil where nobody asks
}

// mostShown is how many plans of a pull request are remembered.
const mostShown = 8

// shows notes that a plan is about to be shown, and reports whether it is another than before. What was agreed to, and
// is asked for no more after a push, is agreed to no more.
func (c *consents) shows(a Asked) bool {
	if n := len(c.Shown); n == 0 {
		c.Shown, c.Since = []Asked{{}}, 0 // who was faster than the plan has seen none
	} else if last := c.Shown[n-1]; last.is(a) && last.Serial == a.Serial {
		return false
	}
	if !a.Unplanned && c.planned().Head != a.Head {
		for i := range c.Yes {
			c.Yes[i].keep(a)
		}
	}
	c.Shown = append(c.Shown, a)
	if over := len(c.Shown) - mostShown; over > 0 {
		c.Shown, c.Since = c.Shown[over:], max(0, c.Since-over)
	}
	return true
}

// is reports whether a plan asks for the same of the same head.
func (a *Asked) is(b Asked) bool {
	return a.Head == b.Head && a.Digest == b.Digest && a.Lineage == b.Lineage && a.Unplanned == b.Unplanned &&
		a.Hidden == b.Hidden
}

// planned is the plan that was shown last.
func (c *consents) planned() Asked {
	for _, a := range slices.Backward(c.Shown) {
		if !a.Unplanned {
			return a
		}
	}
	return Asked{}
}

// keep leaves of a yes what a plan still asks for.
func (y *yes) keep(a Asked) {
	had := len(y.Asks) > 0
	y.Asks = common(y.Asks, a.Asks)
	if had && len(y.Asks) == 0 {
		y.Lacks = "a push has changed what it was given to"
	}
}

// common returns what of some asks is asked for by others, too.
func common(of, others []plan.Ask) (left []plan.Ask) {
	for _, a := range of {
		a.Parts = slices.DeleteFunc(slices.Clone(a.Parts), func(p plan.Part) bool {
			return find(others, a.Hazard, p) == nil
		})
		if len(a.Parts) > 0 {
			a.Total = 0
			a.Item = a.Digest()
			left = append(left, a)
		}
	}
	return left
}

// find returns the part of some asks that is the same as one.
func find(asks []plan.Ask, h plan.Hazard, p plan.Part) *plan.Part {
	for i := range asks {
		for k := range asks[i].Parts {
			if found := &asks[i].Parts[k]; asks[i].Hazard == h && found.Key(h) == p.Key(h) {
				return found
			}
		}
	}
	return nil
}

// hears adds each yes that was not seen before, bound to what was shown. Where the comment does not stand as it was
// said, nobody knows what they saw.
func (c *consents) hears(talk forge.Talk, stands bool) {
	add := func(y yes) {
		if !stands && len(y.Asks) > 0 {
			y.Asks, y.Lacks = nil, unseen
		}
		c.Yes = append(c.Yes, y)
	}
	for _, r := range talk.Reviews {
		if r.Opinion == forge.Approves && !c.knows("review "+r.ID) {
			add(c.reviewed(r))
		}
	}
	for _, m := range talk.Comments {
		if digest := approves(m.Text); digest != "" && !c.knows("comment "+m.ID) {
			add(c.named(m, digest))
		}
	}
	if n := len(c.Shown); n > 0 { // one of each is enough: which state was shown matters to what is not read yet
		last := c.Shown[n-1]
		c.Shown = append(slices.DeleteFunc(c.Shown[:n-1], func(a Asked) bool { return a.is(last) }), last)
		c.Since = len(c.Shown) - 1
	}
}

// tooLong is why a yes is to nothing that was given to more than a comment shows.
const tooLong = "a comment has no room for all that is held"

// unseen is why a yes is to nothing whose giver may not have seen the comment as adsync wrote it.
const unseen = "this comment was changed meanwhile, and may not have shown this: read it again, and approve again"

func (c *consents) knows(id string) bool {
	return slices.ContainsFunc(c.Yes, func(y yes) bool { return y.ID == id })
}

// reviewed binds an approving review to what everybody saw who reviewed the commit by then: forge and daemon have each
// their own clock, so that what was shown first and what came in its place both have it.
func (c *consents) reviewed(r forge.Review) yes {
	y := yes{ID: "review " + r.ID, By: r.By, Bot: r.Bot, At: r.At, Link: r.Address}
	for i, a := range c.Shown[min(c.Since, len(c.Shown)):] {
		if r.Commit == "" || a.Head != r.Commit {
			y.Asks, y.Lacks = nil, fmt.Sprintf("it is of commit %.12s, whose plan was not the one shown", r.Commit)
			return y
		}
		if i == 0 {
			y.Asks, y.Lineage, y.Serial = a.Asks, a.Lineage, a.Serial
		}
		if y.Asks = common(y.Asks, a.Asks); y.Lineage != a.Lineage {
			y.Asks = nil
		}
		if a.Hidden > 0 {
			y.Asks, y.Lacks = nil, tooLong
			return y
		}
	}
	if len(y.Asks) == 0 {
		y.Lacks = "it was given before the plan was shown"
		if n := len(c.Shown); n > 0 && c.Shown[n-1].Digest == "" {
			y.Lacks = "nothing was held"
		}
	}
	return y
}

// named binds a comment to the plan whose digest it names.
func (c *consents) named(m forge.Comment, digest string) yes {
	y := yes{ID: "comment " + m.ID, By: m.By, Bot: m.Bot, At: m.At, Link: m.Address}
	for i, a := range slices.Backward(c.Shown) {
		if a.Digest != digest {
			continue
		}
		if a.Hidden > 0 {
			y.Lacks = tooLong
			return y
		}
		y.Asks, y.Lineage, y.Serial = a.Asks, a.Lineage, a.Serial
		for _, other := range c.Shown[min(c.Since, i):i] { // what was used since may have been before the yes
			if other.Digest == digest && other.Lineage == a.Lineage {
				y.Serial = min(y.Serial, other.Serial)
			}
		}
		for _, later := range c.Shown[i+1:] {
			if later.Head != a.Head && !later.Unplanned {
				y.keep(later)
			}
		}
		return y
	}
	y.Lacks = "it names no plan of this pull request that was shown"
	return y
}

// approves returns the digest of a comment that begins with the line adsync approve DIGEST, else "".
func approves(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(line)
	if len(words) != 3 || words[0] != "adsync" || words[1] != "approve" || strings.HasPrefix(line, "    ") {
		return ""
	}
	return words[2]
}

// judged is a yes, and why it does not count.
type judged struct {
	yes
	why string // "" counts
}

// judge says of each yes whether it counts now. Those that were taken back are not among them.
func (d *Desk) judge(ctx context.Context, p forge.Pull, c consents, talk forge.Talk) (all []judged, err error) {
	var authors []string
	for _, y := range c.Yes {
		why, there := stands(talk, y)
		if !there {
			continue
		}
		j := judged{y, why}
		if j.why == "" {
			j.why = d.late(y)
		}
		if j.why == "" {
			if j.Asks, j.why, err = d.may(ctx, y); err != nil {
				return nil, err
			}
		}
		if j.why == "" && !d.Rules.OwnCounts {
			if authors == nil {
				if authors, err = d.Forge.Authors(ctx, p); err != nil {
					return nil, err
				}
			}
			j.why = own(y.By, authors)
		}
		if j.why == "" {
			if j.why, err = owns(ctx, d, y.By, p.Head, c.Owned); err != nil {
				return nil, err
			}
		}
		if j.why == "" && len(j.Asks) == 0 {
			j.why = y.Lacks
		}
		all = append(all, j)
	}
	if c.Sent = c.Sent || d.Rules.sent(p); d.Rules.byTwo(c) {
		together(all)
	}
	return all, nil
}

// byTwo reports whether two have to agree to a pull request whose file people sent by the page: which user of the forge
// that was nobody knows, and it may be one of the two.
func (r *Rules) byTwo(c consents) bool { return c.Sent && !r.OwnCounts }

// sent reports whether a pull request is from a branch of files that people send by the page.
func (r *Rules) sent(p forge.Pull) bool {
	_, branch, _ := strings.Cut(p.Source, ":")
	return slices.ContainsFunc(r.Uploads, func(uploads string) bool {
		return branch == uploads || strings.HasPrefix(branch, uploads+"-")
	})
}

// together leaves of each yes that counts what somebody else agrees to as well, up to the lower amount of both.
func together(all []judged) {
	before := slices.Clone(all)
	for i := range all {
		if all[i].why != "" {
			continue
		}
		var others []plan.Ask
		for _, o := range before {
			if o.why == "" && !same(o.By, all[i].By) {
				others = append(others, o.Asks...)
			}
		}
		all[i].Asks = common(all[i].Asks, others)
		for n := range all[i].Asks {
			a := &all[i].Asks[n]
			for k := range a.Parts {
				a.Parts[k].Amount = min(a.Parts[k].Amount, mostOf(others, a.Hazard, a.Parts[k]))
			}
			a.Item = a.Digest()
		}
		if len(all[i].Asks) == 0 {
			all[i].why = "a second approver has to agree to the same: who sent this file by the page is not known " +
				"here, and may be this one"
		}
	}
}

// mostOf is the most that somebody agreed to of a part.
func mostOf(asks []plan.Ask, h plan.Hazard, p plan.Part) (most int64) {
	for _, a := range asks {
		if found := find([]plan.Ask{a}, h, p); found != nil {
			most = max(most, found.Amount)
		}
	}
	return most
}

// stands reports whether a yes is still there as it was given, and why it does not count where it is not.
func stands(talk forge.Talk, y yes) (why string, there bool) {
	for _, m := range talk.Comments {
		if "comment "+m.ID == y.ID {
			if there = true; m.Edited {
				why = "it was edited, or may have been"
			}
		}
	}
	for _, r := range talk.Reviews {
		there = there || "review "+r.ID == y.ID && r.Opinion == forge.Approves
		if r.Opinion == forge.Objects && same(r.By, y.By) && !r.At.Before(y.At) {
			why = "they asked for changes since"
		}
	}
	if y.Bot {
		why = "a program wrote it"
	}
	return why, there
}

// late is why a yes is too old, or of a clock that nobody has.
func (d *Desk) late(y yes) string {
	switch age := d.Now().Sub(y.At); {
	case age > d.Rules.Lasts:
		return fmt.Sprintf("it is older than %s", days(d.Rules.Lasts))
	case age < -mostAhead:
		return "it was given at a time to come, by the clock here"
	}
	return ""
}

// mostAhead is how far the clock of a forge may be ahead.
const mostAhead = time.Hour

func days(t time.Duration) string {
	if t%(24*time.Hour) == 0 {
		return strconv.Itoa(int(t/(24*time.Hour))) + " days"
	}
	return t.String()
}

// may leaves of a yes what its giver may approve.
func (d *Desk) may(ctx context.Context, y yes) (asks []plan.Ask, why string, err error) {
	is, hazards, all := false, []plan.Hazard{}, false
	for _, a := range d.Rules.Approvers {
		in := same(a.Name, y.By)
		if team, ok := strings.CutPrefix(a.Name, "@"); ok {
			if in, err = d.Forge.InTeam(ctx, team, y.By); err != nil {
				return nil, "", err
			}
		}
		if in {
			is, all, hazards = true, all || len(a.Hazards) == 0, append(hazards, a.Hazards...)
		}
	}
	if !is {
		return nil, "they are no approver", nil
	}
	for _, a := range y.Asks {
		if all || slices.Contains(hazards, a.Hazard) {
			asks = append(asks, a)
		}
	}
	if len(asks) == 0 && len(y.Asks) > 0 {
		return nil, "they may not approve what is held", nil
	}
	return asks, "", nil
}

// own is why somebody's yes does not count to a pull request of these authors.
func own(by string, authors []string) string {
	if slices.ContainsFunc(authors, func(author string) bool { return same(author, by) }) {
		return "it is theirs: they opened it, or wrote or pushed a commit of it"
	}
	if slices.Contains(authors, "") {
		return "the forge does not say who pushed to it"
	}
	return ""
}

// same reports whether two logins are of one user: letters of ASCII are the same in both cases, all others are not.
func same(a, b string) bool { return a != "" && lower(a) == lower(b) }

func lower(login string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, login)
}

// covers reports whether one yes that counts is to all parts of a hold, up to what was shown: several do not add up.
func covers(all []judged, h plan.Hazard, parts []plan.Part) bool {
	return slices.ContainsFunc(all, func(j judged) bool {
		return j.why == "" && !slices.ContainsFunc(parts, func(p plan.Part) bool {
			found := find(j.Asks, h, p)
			return found == nil || p.Amount > found.Amount
		})
	})
}

// Where consents are kept, one name for each pull request.
const (
	consentsPrefix = "consents-"
	mostConsents   = 64 << 20 // bytes
)

func consentsOf(number int) string { return consentsPrefix + strconv.Itoa(number) + keptSuffix }

// consented reads what was asked for and agreed to of a pull request.
func (d *Desk) consented(number int) (c consents, err error) {
	err = d.get(consentsOf(number), mostConsents, &c)
	if errors.Is(err, fs.ErrNotExist) {
		return consents{}, nil
	}
	return c, err
}
