// Package catalog knows the sheets and columns of workbooks and CSV files, made from the kinds.
// tabs.go makes the columns, names.go finds the one a header means, form.go joins tabs that share a
// sheet, also.go has columns that are read and never written, figures.go those of the service's figures.
//
// Readers and writers go by the same columns, so that what is written is read again.
package catalog

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/sources/config"
)

// Tab is one sheet adsync knows: the rows of a kind, or a list that belongs to
// rows of a kind. Both follow from the schemas and from ListTabs.
type Tab struct {
	Title    string
	synonyms []string
	Schema   *resource.Schema // the kind whose rows, or whose lists, it holds
	List     *ListTab         // nil where each row is a resource
	Columns  []Column
	Also     []Column           // columns that are read and never written
	Layout   *config.Layout     // nil where no column is the user's own
	byName   map[string]*Column // made when a header is first looked for
}

// Words are what the column Kind says for rows of the tab, the first as adsync
// writes it.
func (t *Tab) Words() []string {
	if t.List != nil {
		return append([]string{t.List.word, t.Title}, t.synonyms...)
	}
	s := t.Schema
	return unempty(s.SheetWord, strings.ToLower(s.Title), string(s.Kind))
}

func unempty(words ...string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// ColumnRole is what a column does for its row.
type ColumnRole uint8

const (
	RoleAttribute ColumnRole = iota
	RoleParent               // names an ancestor
	RoleKey
	RoleID
	RoleInclude
	RoleLists // names hint lists whose entries join an attribute
	RoleItem  // one entry of a list
	RoleUse   // the attribute the entry belongs to
	RoleKind  // what the row is, where rows of several kinds stand together

	RoleSelector // says which of several attributes the amount beside it is
	RoleSelected // that amount
	RoleOurs     // written by adsync or kept for people: never read
)

// ourColumn says which of adsync's own columns one is.
type ourColumn uint8

const (
	OursNotes  ourColumn = iota + 1 // for people
	OursName                        // what an id is called
	OursLength                      // counts the characters of its attribute
	OursFact                        // what only the service says
	OursFigure                      // what the resource did in a span of days
	OursResult                      // what became of the row, in copies
)

// Column is one known column of a tab.
type Column struct {
	Title     string
	own       []string // synonyms that are adsync's or the service's own words
	Synonyms  []string // every other header it is read under
	Role      ColumnRole
	Depth     int // of RoleParent: 0 is the top of the tree
	Attribute *resource.Attribute
	Ours      ourColumn // of RoleOurs
	Fact      *resource.Fact
	Figure    *FigureColumn
	Required  bool
	Help      string
	Words     []string              // of RoleKind: what it says, for each tab of its form
	Micros    bool                  // its amounts are in micros
	among     []*resource.Attribute // of RoleSelector and RoleSelected
	wire      string                // of RoleSelector: the input field of the service it is
}

// ListTab describes a sheet whose rows are the entries of a list of one kind.
type ListTab struct {
	Title    string
	word     string // what the column Kind says
	synonyms []string
	Kind     resource.Kind // the rows it adds to, named by the columns of their tree
	Item     string
	Help     string
	Uses     []ListUse // the first is meant where the row does not say
	Many     bool      // it may have the rows of hints, not of a sheet
}

// ListUse is a choice of the column Use and the attribute it fills.
type ListUse struct{ Word, Attribute string }

// ListTabs are the sheets of entries (formats.md section 3).
var ListTabs = []ListTab{
	{
		Title: "Context hints", word: "context hint",
		synonyms: []string{"Hints", "Context hint"}, Kind: "ad_group", Item: "Hint", Many: true,
		Help: "One sentence that says who the ads are " +
			"for, or what to avoid. An ad group with rows here is fully managed here.",
		Uses: []ListUse{{"show for", "context_hints"}, {"avoid", "exclusion_hints"}},
	},
	{
		Title: "Locations", word: "location", synonyms: []string{"Location"}, Kind: "campaign", Item: "Location ID",
		Help: "The id of one region or city, as text. A campaign with rows here is fully managed here.",
		Uses: []ListUse{{"", "targeting.locations"}},
	},
}

// namedList is a column of a kind's sheet that names lists of hints whose
// entries join an attribute.
type namedList struct {
	kind      resource.Kind
	header    string
	attribute string
	help      string
}

var namedLists = []namedList{{
	kind: "ad_group", header: "Hint lists", attribute: "context_hints",
	help: "Names of lists from the sheet Hint lists, " +
		"separated by commas. Their entries are added to the context hints.",
}}

// TabsOf makes the sheets of a workbook from the kinds.
func TabsOf(schemas resource.Schemas) []Tab {
	var tabs []Tab
	for _, s := range schemas {
		if s.Sheet != "" {
			tabs = append(tabs, Tab{
				Title: s.Sheet, synonyms: unempty(s.Title, s.Collection),
				Schema: s, Columns: kindColumns(schemas, s), Also: alsoColumns(s),
			})
		}
	}
	for i := range ListTabs {
		list := &ListTabs[i]
		s := schemas.Of(list.Kind)
		if s == nil {
			continue
		}
		tabs = append(tabs, Tab{
			Title: list.Title, synonyms: list.synonyms, Schema: s, List: list, Columns: listColumns(schemas, s, list),
		})
	}
	return tabs
}

func kindColumns(schemas resource.Schemas, s *resource.Schema) []Column {
	columns := parentColumns(schemas, s)
	var rest []Column
	for i := range s.Attributes {
		a := &s.Attributes[i]
		c := Column{
			Title: cmp.Or(a.Header, a.Name), own: []string{a.Name}, Attribute: a, Required: a.Required, Help: a.Help,
		}
		if len(s.NameFrom) > 0 && a.Name == s.NameFrom[0] {
			c.own = append(c.own, s.Title+" name", s.Title+" title")
		}
		rest = append(rest, c)
		rest = append(rest, lengthColumn(a)...)
		rest = append(rest, namedListColumns(s, a)...)
	}
	columns = append(append(columns, rest...), commonColumns()...)
	for i := range s.Facts {
		f := &s.Facts[i]
		columns = append(columns, Column{Title: f.Header, Role: RoleOurs, Ours: OursFact, Fact: f, Help: f.Help})
	}
	return withSynonyms(s.Sheet, append(columns, resultColumns()...))
}

// namedListColumns name the lists whose entries join the attribute.
func namedListColumns(s *resource.Schema, a *resource.Attribute) []Column {
	var columns []Column
	for _, n := range namedLists {
		if n.kind == s.Kind && n.attribute == a.Name {
			columns = append(columns, Column{Title: n.header, Role: RoleLists, Attribute: a, Help: n.help})
		}
	}
	return columns
}

// MaxCounted is the longest text that gets a column with its length beside it.
const MaxCounted = 200

// lengthColumn counts the characters of a short text that every row has while it is typed.
func lengthColumn(a *resource.Attribute) []Column {
	if a.Type != resource.TypeText || !a.Required || a.Max == 0 || a.Max > MaxCounted {
		return nil
	}
	return []Column{{Title: a.Header + " length", Role: RoleOurs, Ours: OursLength,
		Attribute: a, Help: "Characters of the " + strings.ToLower(a.Header) + ". Counted for you; not read."}}
}

// parentColumns name the ancestors, from the top of the tree down.
func parentColumns(schemas resource.Schemas, s *resource.Schema) []Column {
	var columns []Column
	for parent := schemas.Of(s.Parent); parent != nil; parent = schemas.Of(parent.Parent) {
		c := Column{
			Title: parent.Title, own: []string{parent.Title + " name", parent.Title + " title", parent.Title + " key"},
			Role: RoleParent, Required: true,
			Help: "The " + strings.ToLower(parent.Title) + " this row belongs to: its name, or its key.",
		}
		c.Depth = schemas.Depth(parent.Kind)
		columns = append(columns, c)
	}
	slices.Reverse(columns)
	return columns
}

func listColumns(schemas resource.Schemas, s *resource.Schema, list *ListTab) []Column {
	columns := parentColumns(schemas, s)
	columns = append(columns, Column{
		Title: s.Title, own: []string{s.Title + " name", s.Title + " title", s.Title + " key"},
		Role: RoleParent, Required: true, Depth: len(columns),
		Help: "The " + strings.ToLower(s.Title) + " the row belongs to: its name, or its key.",
	})
	columns = append(columns, Column{Title: list.Item, Role: RoleItem, Required: true, Help: list.Help})
	if len(list.Uses) > 1 {
		columns = append(columns, Column{Title: "Use", Role: RoleUse, Help: list.useHelp()})
	}
	if !list.Many {
		columns = append(columns, Column{Title: "Name", Role: RoleOurs, Ours: OursName, Help: "For people; not read."})
	}
	return withSynonyms(list.Title, append(columns, includeColumn(), notesColumn()))
}

func (l *ListTab) useHelp() string {
	var words []string
	for _, use := range l.Uses {
		words = append(words, use.Word)
	}
	return strings.Join(words, " or ") + ". Blank: " + l.Uses[0].Word + "."
}

func includeColumn() Column {
	return Column{Title: "Include", Role: RoleInclude, Help: "no leaves the row out. Blank: yes."}
}

func notesColumn() Column {
	return Column{Title: "Notes", Role: RoleOurs, Ours: OursNotes, Help: "For people; not read."}
}

func commonColumns() []Column {
	return []Column{
		includeColumn(), notesColumn(),
		{Title: "Key", Role: RoleKey, Help: "Your own short name that " +
			"stays the same when the name changes: letters, digits, - and _. Blank: made from the first name."},
		{Title: "ID", Role: RoleID, Help: "The service's id, filled by an export. Leave it as it is."},
	}
}

// resultColumns are those of copies with results.
func resultColumns() []Column {
	return []Column{
		{Title: "Result", Role: RoleOurs, Ours: OursResult, Help: "What became of the row; not read."},
		{Title: "Message", Role: RoleOurs, Ours: OursResult, Help: "What to do; not read."},
	}
}

// withSynonyms returns the columns of a sheet the other headers they are read
// under: the service's words and their own first, then those of other tools and
// of people. One that is another column's title, or was taken already, is
// dropped: on the sheet of ads, "Name" is the ad's.
func withSynonyms(sheet string, columns []Column) []Column {
	words := make([][]synonyms.Word, len(columns))
	meant, taken := map[string]int{}, map[string]bool{}
	for i, c := range columns {
		words[i] = synonyms.Of(sheet, c.Title)
		taken[resource.Fold(c.Title)] = true
		for _, word := range words[i] {
			meant[word.Folded] = i
		}
	}
	take := func(i int, folded string) bool {
		if other, is := meant[folded]; taken[folded] || is && other != i {
			return false
		}
		taken[folded] = true
		return true
	}
	for i := range columns {
		columns[i].takeOwn(words[i], func(folded string) bool { return take(i, folded) })
	}
	for i := range columns {
		c := &columns[i]
		c.Synonyms = slices.Clone(c.own)
		for _, word := range words[i] {
			if word.Tool != synonyms.Service && take(i, word.Folded) {
				c.Synonyms = append(c.Synonyms, word.Text)
			}
		}
	}
	return columns
}

// takeOwn puts the service's words before those the column was made with.
func (c *Column) takeOwn(words []synonyms.Word, take func(folded string) bool) {
	var own []string
	for _, word := range words {
		if word.Tool == synonyms.Service && take(word.Folded) {
			own = append(own, word.Text)
		}
	}
	for _, word := range c.own {
		if take(resource.Fold(word)) {
			own = append(own, word)
		}
	}
	c.own = own
}
