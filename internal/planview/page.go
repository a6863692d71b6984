package planview

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/sentence"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// page is what the forms for people say, in their order. Its texts are
// printable, and marked up by each form.
type page struct {
	money     []sum
	movers    []sum    // campaigns whose possible spend a day moves, the largest rise first
	others    int      // campaigns that move and are not among the movers
	bounds    []sum    // the account's own limits, where they bind
	service   string   // which is spoken to, and why; "" where it is not known
	plan      string   // how many changes go ahead, wait and stay as they are
	held      string   // what waits for a yes, by hazard; "" where nothing does
	selected  []string // of a plan for a part of the account: what it leaves out, what came along
	failed    string   // why there is no plan; "" where there is one
	caveat    []string // what somebody should know who trusts the sums
	started   string   // what is started without, as among the caveats; "" where nothing is to say
	since     []string // what is because of a pull request, and what it takes back
	slips     []slip
	review    string // how many ads the service has not approved; "" where it has all
	reviewed  []reviewed
	unnamed   string // how many of them are not listed; "" where all are
	trees     []tree
	left      []string // what the list leaves out, counted by action and kind
	hidden    int      // changes of those that people are asked for
	kept      string
	drafts    string
	releases  []release
	unallowed []string // what no allowance releases, and why
	problems  []diag.Problem
	says      *says
	tells     *teller
}

// slip is an accident as people read it.
type slip struct {
	hazard, message, examples, release string
	held                               int // changes
	source                             diag.Position
}

// tree is what changes of one resource at the top and of what lies beneath it.
type tree struct {
	top     string
	title   string // the top, where it does not change itself; else ""
	pending bool   // there without the pull request, too
	changes []entry
	left    []string // as of page
	asked   int      // changes that people are asked for
}

// entry is one change.
type entry struct {
	symbol, action, address, name, id, position string
	raw                                         string // the address, as it is

	at       diag.Position
	depth    int
	money    string // what it does to possible spend; "" where it does nothing
	note     string
	fields   []row
	along    string // names of what is sent along unchanged
	recorded string // names of what files and service agree on already
	hazards  string
	tag      string // that it is held, wholly or in part; "" where it is not
	starts   string // what it starts without; "" where nothing is to say
	held     bool
	goes     bool
	create   bool
	pending  bool
	holds    []hold
	drawn    Drawn // how an ad looks; nothing where that does not change

	told // for marketers
}

// told is a change as marketers read it.
type told struct {
	sentence.Sentence
	alike  string // what it has in common with others
	does   done
	anchor string // by which a page is led to it
}

// row is one field of a change.
type row struct {
	name, value, why string
	at               diag.Position
	holds            []hold
}

// hold is what holds a change or a field.
type hold struct {
	hazard, message, allow string

	title, final string // how it begins, and what is said where nothing releases it
}

// release is an allowance and how many holds wait for it.
type release struct {
	allow string
	holds int
}

// detail says how much of a plan a form shows.
type detail struct {
	room int  // characters of a value, beyond which it is cut
	full bool // everything, however long
	list int  // changes up to which none is left out
	like int  // changes alike that are listed in a longer plan
	most int  // changes that are listed of any plan; 0 is unbounded

	plainly bool                            // for marketers
	asked   func(*plan.ChangeDocument) bool // as of CommentOptions
}

func (o *detail) asks(c *plan.ChangeDocument) bool { return o.asked != nil && o.asked(c) }

// describe puts a document in words.
func describe(schemas resource.Schemas, d *Document, o detail) *page {
	t := &teller{schemas: schemas, room: o.room, says: &engineers}
	if o.plainly {
		t.says, t.sentences = marketers(), &sentence.Teller{
			Schemas: schemas, Names: words.NamesOf(schemas, d.Changes), Currency: d.currency(),
		}
	}
	p := &page{problems: d.Problems, says: t.says, tells: t}
	p.headline(d)
	p.caveat = append(p.caveat, unreadOf(d)...)
	p.selection(d)
	p.saved(d)
	p.sinceBase(d)
	p.accidents(d)
	p.reviews(d)
	p.list(t, newFold(d, o), d)
	p.keep(d)
	p.hold(d)
	p.releasing(d)
	return p
}

// list puts the changes in the order of their addresses, one tree after the
// other; those that are there without the pull request come last.
func (p *page) list(t *teller, f *fold, d *Document) {
	changes := d.Changes
	listed := func(a, b plan.ChangeDocument) int {
		if a.Pending != b.Pending {
			return order(b.Pending)
		}
		return addressOf(a.Address).Compare(addressOf(b.Address))
	}
	if !slices.IsSortedFunc(changes, listed) { // a copy of them is as large as the plan
		changes = slices.Clone(changes)
		slices.SortStableFunc(changes, listed)
	}
	unlisted := leftOut{}
	for start := 0; start < len(changes); {
		first := &changes[start]
		top := t.topOf(addressOf(first.Address))
		end := start + 1
		for end < len(changes) && changes[end].Pending == first.Pending &&
			t.topOf(addressOf(changes[end].Address)) == top {
			end++
		}
		grown, left, hidden := t.tree(f, d, changes[start:end])
		p.hidden += hidden
		if len(grown.changes) == 0 {
			unlisted.merge(left)
		} else {
			grown.left, grown.pending = left.said(t), first.Pending
			grown.top = diag.Printable(top.String())
			p.trees = append(p.trees, grown)
		}
		start = end
	}
	p.left = unlisted.said(t)
}

func order(first bool) int {
	if first {
		return -1
	}
	return 1
}

// tree lists the changes of one tree, and counts those that are left out.
func (t *teller) tree(f *fold, d *Document, changes []plan.ChangeDocument) (grown tree, left leftOut, hidden int) {
	left = leftOut{}
	for i := range changes {
		c := &changes[i]
		if !f.lists(c) {
			if left.add(c); f.asks(c) {
				hidden++
			}
			continue
		}
		address := addressOf(c.Address)
		if top := t.topOf(address); len(grown.changes) == 0 && top != address {
			grown.title = diag.Printable(top.String())
		}
		told := *t
		if f.asks(c) {
			told.room = math.MaxInt
			grown.asked++
		}
		grown.changes = append(grown.changes, told.entry(d, c, address))
	}
	return grown, left, hidden
}

func (t *teller) topOf(a resource.Address) resource.Address {
	for up := t.schemas.Parent(a); !up.IsZero(); up = t.schemas.Parent(a) {
		a = up
	}
	return a
}

// symbols begin the line of a change: its action, or ! where all of it is held.
var symbols = map[plan.Action]string{
	plan.Create: "+", plan.Update: "~", plan.Replace: "±",
	plan.Archive: "-", plan.Adopt: ">", plan.Record: ".", plan.Forget: ".",
}

func (t *teller) entry(d *Document, c *plan.ChangeDocument, address resource.Address) entry {
	e := entry{
		symbol: symbols[c.Action], action: diag.Printable(string(c.Action)), raw: c.Address,
		address: diag.Printable(c.Address), name: diag.Printable(c.Name), id: diag.Printable(c.ID),
		position: c.Position.String(), at: c.Position,
		depth: t.schemas.Depth(address.Kind), money: spendOf(c, d.currency()),
		hazards: hazardNames(c.Hazards), starts: startsOf(c),
		held: IsHeld(c), goes: goes(c), create: c.Action == plan.Create, pending: c.Pending, holds: holdsOf(c.Held),
		drawn: d.Drawn[c.Address],
	}
	if !e.goes || e.symbol == "" {
		e.symbol = "!"
	}
	switch {
	case !e.goes:
		e.tag = "held"
	case e.held:
		e.tag = "held in part"
	}
	var notes []string
	if c.Pruned {
		notes = append(notes, catalogue.Fill("change.pruned"))
	}
	if c.Foreign != nil {
		notes = append(notes, catalogue.Fill("change.removed",
			"who", diag.Printable(c.Foreign.Actor), "time", moment(c.Foreign.At)))
	}
	if c.RestOf != "" {
		notes = append(notes, catalogue.Fill("change.rest-of", "what", diag.Printable(c.RestOf)))
	}
	e.note = Semicolons(notes)
	e.recorded = namesOf(c.Recorded)
	var along []plan.FieldDocument
	for i := range c.Fields {
		field := &c.Fields[i]
		if field.Cause == plan.SentAlong && !alters(field) {
			along = append(along, *field)
			continue
		}
		e.fields = append(e.fields, t.row(c, field))
	}
	e.along = namesOf(along)
	if t.sentences != nil {
		e.told = told{t.sentences.Of(c), likeness(c), done{c.Action, c.Kind, !e.goes}, Anchor(c.Address)}
	}
	return e
}

// alters reports whether what is sent along is not all that is live: the factor of what is archived stays behind.
func alters(f *plan.FieldDocument) bool {
	return f.Desired != nil && f.Live != nil && f.Live.IsSet() && !plan.Same(*f.Desired, *f.Live)
}

func (t *teller) row(c *plan.ChangeDocument, f *plan.FieldDocument) row {
	return row{
		name: diag.Printable(f.Name), value: t.values(c, f),
		why: t.why(c, f), at: f.Position, holds: holdsOf(f.Held),
	}
}

// why returns what makes a field change: its cause, where it is written, and who
// changed it, as far as that is known.
func (t *teller) why(c *plan.ChangeDocument, f *plan.FieldDocument) string {
	said := []string{strings.TrimSpace(diag.Printable(t.says.cause(f.Cause)) + " " + f.Position.String())}
	if e := f.Edited; e != nil && e.Commit == "" {
		said = append(said, catalogue.Fill("why.uncommitted"))
	} else if e != nil {
		said = append(said, catalogue.Fill("why.commit",
			"commit", diag.Printable(short(e.Commit)), "who", diag.Printable(e.Author), "day", day(e.At)))
	}
	if a := t.attribute(c, f); f.Last != nil && f.Cause == plan.Drift && f.Desired != nil && !f.Last.Equal(*f.Desired) {
		said = append(said, catalogue.Fill("why.last", "value", t.one(a, *f.Last, resource.Value{})))
	}
	if f.Pending && !c.Pending {
		said = append(said, catalogue.Fill("why.pending"))
	}
	if f.Foreign != nil {
		said = append(said, catalogue.Fill("why.foreign",
			"who", diag.Printable(f.Foreign.Actor), "time", moment(f.Foreign.At)))
	}
	return words.Commas(said)
}

func short(commit string) string { return fmt.Sprintf("%.7s", commit) }

func day(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }

func moment(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04 UTC")
}

func holdsOf(h *plan.HoldDocument) []hold {
	if h == nil {
		return nil
	}
	one := hold{
		hazard: diag.Printable(string(h.Hazard)), message: diag.Printable(h.Message), allow: diag.Printable(h.Allow),
	}
	one.title = "held: " + one.hazard
	if one.allow == "" {
		one.final = "No allowance releases it."
	}
	holds := []hold{one}
	for i := range h.Also {
		holds = append(holds, holdsOf(&h.Also[i])...)
	}
	return holds
}

func hazardNames(hazards []plan.Hazard) string {
	var names []string
	for _, h := range hazards {
		names = append(names, diag.Printable(string(h)))
	}
	return strings.Join(names, ", ")
}

func namesOf(fields []plan.FieldDocument) string {
	var names []string
	for i := range fields {
		names = append(names, diag.Printable(fields[i].Name))
	}
	return strings.Join(names, ", ")
}
