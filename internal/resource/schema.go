package resource

import (
	"strings"
)

// Type is the form of an attribute's value.
type Type string

// The types an attribute can have.
const (
	TypeText    Type = "text"    // one line, trimmed
	TypeChoice  Type = "choice"  // one of Choices
	TypeMoney   Type = "money"   // int64 micros; units in files
	TypeDay     Type = "day"     // first moment of a day in the account's time zone, or an RFC 3339 time
	TypeLast    Type = "last"    // last day, inclusive for people; the service holds its exclusive end
	TypeURL     Type = "url"     // http or https
	TypeImage   Type = "image"   // a file of the tree ("sha256:…" once read), or an http(s) URL
	TypeQuery   Type = "query"   // query-string template
	TypeRegion  Type = "region"  // list of ISO 3166-1 alpha-2 codes
	TypeID      Type = "id"      // one of the service's ids
	TypeIDs     Type = "ids"     // list of the service's ids
	TypeHints   Type = "hints"   // list of sentences, one a line, never split on commas
	TypeSet     Type = "set"     // list of Choices
	TypeFactors Type = "factors" // list of what is named and by how much it multiplies: "audience/customers x 2.5"
	TypeObject  Type = "object"  // canonical JSON

	// TypeMembers is a file of the tree with the identifiers of people, "sha256:…"
	// over their hashes once it is read. No identifier is ever a value.
	TypeMembers Type = "members"
	TypeCount   Type = "count" // a number of people or of changes
)

// IsList reports whether values are lists.
func (t Type) IsList() bool {
	return t == TypeRegion || t == TypeIDs || t == TypeHints || t == TypeSet || t == TypeFactors
}

// Capability is something an account may or may not allow; it is found out with
// reads or a validate_only job and remembered (design.md section 4).
type Capability string

// The capabilities a route may need.
const (
	BulkJobs        Capability = "bulk_jobs"         // the bulk endpoints are there
	BulkDailyBudget Capability = "bulk_daily_budget" // campaign.create takes budget_type daily
	PeopleFiles     Capability = "people_files"      // files of people can be uploaded
	RepeatParent    Capability = "repeat_parent"     // a create repeated in a later job gives the same resource
)

// ListedByParent is the capability of an account that lists a kind beneath one parent
// at a time only.
func (s *Schema) ListedByParent() Capability {
	return Capability("list_" + s.Collection + "_by_parent")
}

// Schema describes a kind, as data. Reading, writing, diffing, ordering,
// encoding, help and templates follow from it (design.md section 2.5).
type Schema struct {
	Kind       Kind
	Parent     Kind   // "" at the top of the tree
	Title      string // "Campaign", "Ad group": its column in the workbook
	Sheet      string // "Campaigns"
	SheetWord  string // what the column Kind says in a sheet that several kinds share: "date range"
	Extra      bool   // its sheet is written only where it has rows
	Collection string // path of the list and the creates: "campaigns"
	Children   string // key that nests it in its parent's YAML: "ad_groups"
	ParentWire string // field of the wire record that holds the parent's id

	Attributes []Attribute
	Noted      []Attribute // what adsync notes beside them: in no file, compared and recorded like the others
	Membership *Membership // how people reach it; nil where none do
	Facts      []Fact      // what only the service says
	Rules      []Rule
	Across     []Across
	Most       int     // how many an account may have that are not removed (interface, part 8); 0 is unbounded
	Ahead      string  // the day after which one counts: Most bounds those that start after today; "" bounds all
	Groups     []Group // nested settings that the service replaces whole
	Fixed      []Fixed // wire fields no attribute decides
	Bulk       BulkRoute
	Listing    Listing
	Calls      Calls

	Insights string   // the level its figures are asked for at: "campaign"; "" has none
	Audit    string   // the filter of the audit log that names one: "campaign_id"; "" has none
	Only     string   // key of a kind an account has one of: nobody writes it
	NameFrom []string // attributes that name it, the first that is set: the default key is their slug
	Removal  string   // the status that removes it: "archived"
	Lasting  string   // its text says why nothing removes it: pixel, for lasting.pixel; "" where something does
	Ends     string   // attribute with the last day, after which it is over and may be gone
	Caps     bool     // it bounds what the whole account spends: with less of it, or without it, more can be spent
	Feature  string   // what an account must have for the kind, where not every one has it
}

// BulkRoute is how bulk jobs say a kind. An empty Create or Update means they cannot.
type BulkRoute struct {
	Create  string          // operation type: "campaign.create"
	Update  string          // "campaign.update"
	Parents map[Kind]string // input field that carries the idempotency key of an ancestor's create
}

// Attribute describes one attribute of a kind.
type Attribute struct {
	Name    string // path in YAML: "budget.daily"
	Header  string // header in the workbook: "Daily budget"; "" where only YAML says it
	Help    string // what it is, and what blank means
	Example string

	Type    Type
	Choices []Choice // TypeChoice, TypeSet
	Min     int64    // shortest length in code points, least micros or fewest items
	Max     int64    // longest; 0 is unbounded

	Side        int64  // TypeImage: of its shorter side, the fewest pixels
	Least, Most int64  // TypeFactors: of a factor, in micros
	Scales      string // TypeFactors: the amount they multiply

	Identifier string // TypeMembers: the attribute that says what the file holds
	Of         Kind   // TypeID, TypeIDs, TypeFactors: the kind of what is named, where adsync manages it
	Use        *Use   // of what Of names; nil where the service has no word for it
	Addressed  Kind   // TypeID, TypeIDs: instead of an id also the address of a resource of this kind in the files

	Required  bool   // every row must give it
	OnCreate  bool   // a create must give it, or Default
	Default   string // what a create sends when the files do not say
	Immutable bool   // cannot change after creation
	Clearable bool   // null is allowed
	Spend     Spend  // what a change does to spend
	Per       string // for an Amount that caps what its resource spends: "day" or "lifetime"
	// for an Amount: what it pays for; amounts compare where these say the same, a Value where nothing does
	Unit       []Condition
	Excludes   bool     // for Reach: what it names is left out, so that less of it reaches more
	Review     bool     // a change restarts the review
	Without    *Without // what it means for a resource that delivers to have none; nil where that is nothing to say
	Earliest   string   // for a day: Today or Tomorrow, the first that a create or an edit can name
	EditsBack  bool     // for a day: an edit can name an earlier one all the same
	WholeCoins bool     // for money: the service takes no part of the currency's smallest coin

	Calls map[string]Call // values that a request of their own sets
	// its words say what must not be done to the resource; adsync's own, never sent, never read back
	Protects bool

	Wire Wire
	Bulk BulkField
}

// Use is what something that is named by its id is used for.
type Use struct {
	Name  string // the service's word: "inclusion"
	Least int64  // how many matched people the service wants for it; 0 is any number
}

// Without is what a resource that delivers does where it has no value of an attribute.
type Without struct {
	Says   string   // its text says that: no-last-day, for without.no-last-day
	Unless []string // attributes that decide the same: with one of them there is nothing to say
	But    []string // attributes that take something off it: with one of them the text that ends in -but-some is said
}

// The first days an attribute can name.
const (
	Today    = "today"
	Tomorrow = "tomorrow"
)

// Choice is one canonical value and what people write for it.
type Choice struct {
	Value    string
	Synonyms []string
	// attributes that the service takes only without it: cleared with it where the files leave them out
	Clears []string
}

// Spend says how an attribute governs spend.
type Spend uint8

// The ways an attribute governs spend.
const (
	NoSpend  Spend = iota
	Amount         // a larger value can spend more
	Delivery       // active delivers, paused and archived do not
	Reach          // decides who is reached
	Scale          // larger factors can spend more of the amount they scale
	Mode           // a change of mode may raise spend, whatever the values
	Cover          // a first or last day of what bounds spend: fewer days can spend more
)

// Wire is how the single-resource interface says an attribute.
type Wire struct {
	Path    string // "budget.daily_spend_limit_micros"; "" when only bulk jobs can say it
	Codec   Codec
	Null    bool     // cleared by an explicit null of what holds it: leaving it out would keep it
	Empty   bool     // cleared by an explicit empty list, also within a nested setting
	Pair    Pair     // Factors: the keys of an entry
	Same    []string // fields that hold the same value: where one differs, the attribute has none
	Hidden  bool     // the service never shows it again
	Purpose string   // FileID: what the file is uploaded for; "" is a creative
	// what the service means where the object around the path leaves it out: a default it need not show
	Unset string
}

// Pair is the keys of an entry of factors.
type Pair struct{ Name, Micros string }

// Codec is the form on the wire where it is not the value's own.
type Codec string

// The wire forms.
const (
	Plain      Codec = ""        // text, integer or list of texts
	StartTime  Codec = "start"   // Unix seconds of the day's first moment
	EndTime    Codec = "end"     // Unix seconds of the first moment after the last day
	SingleItem Codec = "single"  // a list of one
	IDObjects  Codec = "objects" // [{"id": …}]
	FileID     Codec = "file"    // id of an uploaded image
	Chosen     Codec = "chosen"  // a choice; what is none is no value
	RawJSON    Codec = "json"    // the JSON itself
	DayAfter   Codec = "after"   // the day after the last day: an exclusive end
	Digits     Codec = "digits"  // the integer a choice spells
	Factors    Codec = "factors" // objects with the two keys of Wire.Pair
	Flag       Codec = "flag"    // true where the attribute has its only choice
)

// BulkField is how bulk operations say an attribute.
type BulkField struct {
	Create   string            // input field on create, "" when create cannot say it
	Update   string            // input field on update; "creative.title" nests
	With     map[string]string // further input fields that go with it
	Map      map[string]string // value on the wire for a canonical value; an unmapped value cannot be said
	When     *Condition        // must hold, else bulk cannot say it
	Needs    Capability        // what the account must allow
	AtCreate bool              // when create cannot say it, a later update cannot mend it: use a single request
}

// Condition is a value an ancestor's attribute must have.
type Condition struct {
	Ancestor  Kind
	Attribute string
	Value     string
}

// Group is a nested setting the service replaces whole, so that an update
// sends every attribute of it.
type Group struct {
	Wire      string   // first segment of the wire path: "targeting"
	ReadOnly  []string // wire keys of the record that are not sent back
	Exclusive bool     // only the attributes the files set are sent: the halves of a budget
}

// Fixed is a wire field that follows from something else than an attribute.
type Fixed struct {
	Wire  string            // "creative.type"
	Value string            // constant, or
	From  *Condition        // the value of an ancestor's attribute (Value is ignored) through
	Map   map[string]string // this table
	If    string            // only when this attribute is set
}

// Rule is a rule across attributes. Check gets the value of an attribute of the
// same resource and gives a finding or nil.
type Rule struct {
	Name  string // its source: "interface, part 2, ad group"
	Check func(value func(attribute string) Value) *Finding
	// what files may write beside each other, whatever the resource has: the plan does not ask
	Written bool
}

// Attribute finds a description by name, also of what is noted.
func (s *Schema) Attribute(name string) (*Attribute, bool) {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return &s.Attributes[i], true
		}
	}
	for i := range s.Noted {
		if s.Noted[i].Name == name {
			return &s.Noted[i], true
		}
	}
	return nil, false
}

// Group finds the whole-replaced setting an attribute belongs to.
func (s *Schema) Group(a *Attribute) (*Group, bool) {
	root, _, _ := strings.Cut(a.Wire.Path, ".")
	for i := range s.Groups {
		if s.Groups[i].Wire == root {
			return &s.Groups[i], true
		}
	}
	return nil, false
}

// Halves names the other attributes of the exclusive setting of an attribute: one
// that is set takes their place.
func (s *Schema) Halves(attribute string) (halves []string) {
	a, known := s.Attribute(attribute)
	if !known {
		return nil
	}
	g, grouped := s.Group(a)
	if !grouped || !g.Exclusive {
		return nil
	}
	for i := range s.Attributes {
		if other := &s.Attributes[i]; other != a {
			if of, ok := s.Group(other); ok && of == g {
				halves = append(halves, other.Name)
			}
		}
	}
	return halves
}

// NameOf is what people call the resource: the first naming attribute that is set.
func (s *Schema) NameOf(r *Resource) string {
	for _, name := range s.NameFrom {
		if v := r.Value(name); v.IsSet() {
			return v.Text()
		}
	}
	return ""
}

// Schemas are the kinds of a product, parents before children.
type Schemas []*Schema

// Of returns the description of a kind, nil for an unknown one.
func (ss Schemas) Of(kind Kind) *Schema {
	for _, s := range ss {
		if s.Kind == kind {
			return s
		}
	}
	return nil
}

// ChildrenOf returns the kinds that have the kind as parent.
func (ss Schemas) ChildrenOf(kind Kind) Schemas {
	var children Schemas
	for _, s := range ss {
		if s.Parent == kind {
			children = append(children, s)
		}
	}
	return children
}

// Depth is 0 for a kind at the top of the tree.
func (ss Schemas) Depth(kind Kind) int {
	depth := 0
	for s := ss.Of(kind); s != nil && s.Parent != ""; s = ss.Of(s.Parent) {
		depth++
	}
	return depth
}

// Top is the kind at the top of the tree a kind belongs to.
func (ss Schemas) Top(kind Kind) Kind {
	for s := ss.Of(kind); s != nil && s.Parent != ""; s = ss.Of(s.Parent) {
		kind = s.Parent
	}
	return kind
}

// Parent is the address of a resource's parent, zero at the top of the tree.
func (ss Schemas) Parent(a Address) Address {
	s := ss.Of(a.Kind)
	if s == nil {
		return Address{}
	}
	return a.Up(s.Parent)
}

// Ancestor walks up to the ancestor of a kind, zero where there is none.
func (ss Schemas) Ancestor(a Address, kind Kind) Address {
	for !a.IsZero() && a.Kind != kind {
		a = ss.Parent(a)
	}
	return a
}

// OfMoney reports whether an attribute decides what is spent, or on which days.
func (a *Attribute) OfMoney() bool {
	switch a.Spend {
	case Amount, Scale, Delivery, Mode, Cover:
		return true
	}
	return a.Type == TypeDay || a.Type == TypeLast
}

// Delivery names the attribute that governs delivery, "" where none does.
func (s *Schema) Delivery() string {
	for i := range s.Attributes {
		if s.Attributes[i].Spend == Delivery {
			return s.Attributes[i].Name
		}
	}
	return ""
}
