package sources

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/synonyms"
)

// tab is one sheet adsync knows: the rows of a kind, or a list that belongs to
// rows of a kind. Both follow from the schemas and from listTabs.
type tab struct {
	title    string
	synonyms []string
	schema   *resource.Schema // the kind whose rows, or whose lists, it holds
	list     *listTab         // nil where each row is a resource
	columns  []column
	also     []column           // columns that are read and never written
	layout   *layout            // nil where no column is the user's own
	byName   map[string]*column // made when a header is first looked for
}

// words are what the column Kind says for rows of the tab, the first as adsync
// writes it.
func (t *tab) words() []string {
	if t.list != nil {
		return append([]string{t.list.word, t.title}, t.synonyms...)
	}
	s := t.schema
	return unempty(s.SheetWord, strings.ToLower(s.Title), string(s.Kind))
}

func unempty(words ...string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// columnRole is what a column does for its row.
type columnRole uint8

const (
	roleAttribute columnRole = iota
	roleParent               // names an ancestor
	roleKey
	roleID
	roleInclude
	roleLists // names hint lists whose entries join an attribute
	roleItem  // one entry of a list
	roleUse   // the attribute the entry belongs to
	roleKind  // what the row is, where rows of several kinds stand together

	roleSelector // says which of several attributes the amount beside it is
	roleSelected // that amount
	roleOurs     // written by adsync or kept for people: never read
)

// ourColumn says which of adsync's own columns one is.
type ourColumn uint8

const (
	oursNotes  ourColumn = iota + 1 // for people
	oursName                        // what an id is called
	oursLength                      // counts the characters of its attribute
	oursFact                        // what only the service says
	oursFigure                      // what the resource did in a span of days
	oursResult                      // what became of the row, in copies
)

// column is one known column of a tab.
type column struct {
	title     string
	own       []string // synonyms that are adsync's or the service's own words
	synonyms  []string // every other header it is read under
	role      columnRole
	depth     int // of roleParent: 0 is the top of the tree
	attribute *resource.Attribute
	ours      ourColumn // of roleOurs
	fact      *resource.Fact
	figure    *figureColumn
	required  bool
	help      string
	words     []string              // of roleKind: what it says, for each tab of its form
	micros    bool                  // its amounts are in micros
	among     []*resource.Attribute // of roleSelector and roleSelected
	wire      string                // of roleSelector: the input field of the service it is
}

// listTab describes a sheet whose rows are the entries of a list of one kind.
type listTab struct {
	title    string
	word     string // what the column Kind says
	synonyms []string
	kind     resource.Kind // the rows it adds to, named by the columns of their tree
	item     string
	help     string
	uses     []listUse // the first is meant where the row does not say
	many     bool      // it may have the rows of hints, not of a sheet
}

// listUse is a choice of the column Use and the attribute it fills.
type listUse struct{ word, attribute string }

// listTabs are the sheets of entries (formats.md section 3).
var listTabs = []listTab{
	{
		title: "Context hints", word: "context hint",
		synonyms: []string{"Hints", "Context hint"}, kind: "ad_group", item: "Hint", many: true,
		help: "One sentence that says who the ads are " +
			"for, or what to avoid. An ad group with rows here is fully managed here.",
		uses: []listUse{{"show for", "context_hints"}, {"avoid", "exclusion_hints"}},
	},
	{
		title: "Locations", word: "location", synonyms: []string{"Location"}, kind: "campaign", item: "Location ID",
		help: "The id of one region or city, as text. A campaign with rows here is fully managed here.",
		uses: []listUse{{"", "targeting.locations"}},
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

// tabsOf makes the sheets of a workbook from the kinds.
func tabsOf(schemas resource.Schemas) []tab {
	var tabs []tab
	for _, s := range schemas {
		if s.Sheet != "" {
			tabs = append(tabs, tab{
				title: s.Sheet, synonyms: unempty(s.Title, s.Collection),
				schema: s, columns: kindColumns(schemas, s), also: alsoColumns(s),
			})
		}
	}
	for i := range listTabs {
		list := &listTabs[i]
		s := schemas.Of(list.kind)
		if s == nil {
			continue
		}
		tabs = append(tabs, tab{
			title: list.title, synonyms: list.synonyms, schema: s, list: list, columns: listColumns(schemas, s, list),
		})
	}
	return tabs
}

func kindColumns(schemas resource.Schemas, s *resource.Schema) []column {
	columns := parentColumns(schemas, s)
	var rest []column
	for i := range s.Attributes {
		a := &s.Attributes[i]
		c := column{
			title: cmp.Or(a.Header, a.Name), own: []string{a.Name}, attribute: a, required: a.Required, help: a.Help,
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
		columns = append(columns, column{title: f.Header, role: roleOurs, ours: oursFact, fact: f, help: f.Help})
	}
	return withSynonyms(s.Sheet, append(columns, resultColumns()...))
}

// namedListColumns name the lists whose entries join the attribute.
func namedListColumns(s *resource.Schema, a *resource.Attribute) []column {
	var columns []column
	for _, n := range namedLists {
		if n.kind == s.Kind && n.attribute == a.Name {
			columns = append(columns, column{title: n.header, role: roleLists, attribute: a, help: n.help})
		}
	}
	return columns
}

// maxCounted is the longest text that gets a column with its length beside it.
const maxCounted = 200

// lengthColumn counts the characters of a short text while it is typed.
func lengthColumn(a *resource.Attribute) []column {
	if a.Type != resource.TypeText || a.Max == 0 || a.Max > maxCounted {
		return nil
	}
	return []column{{title: a.Header + " length", role: roleOurs, ours: oursLength,
		attribute: a, help: "Characters of the " + strings.ToLower(a.Header) + ". Counted for you; not read."}}
}

// parentColumns name the ancestors, from the top of the tree down.
func parentColumns(schemas resource.Schemas, s *resource.Schema) []column {
	var columns []column
	for parent := schemas.Of(s.Parent); parent != nil; parent = schemas.Of(parent.Parent) {
		c := column{
			title: parent.Title, own: []string{parent.Title + " name", parent.Title + " title", parent.Title + " key"},
			role: roleParent, required: true,
			help: "The " + strings.ToLower(parent.Title) + " this row belongs to: its name, or its key.",
		}
		c.depth = schemas.Depth(parent.Kind)
		columns = append(columns, c)
	}
	slices.Reverse(columns)
	return columns
}

func listColumns(schemas resource.Schemas, s *resource.Schema, list *listTab) []column {
	columns := parentColumns(schemas, s)
	columns = append(columns, column{
		title: s.Title, own: []string{s.Title + " name", s.Title + " title", s.Title + " key"},
		role: roleParent, required: true, depth: len(columns),
		help: "The " + strings.ToLower(s.Title) + " the row belongs to: its name, or its key.",
	})
	columns = append(columns, column{title: list.item, role: roleItem, required: true, help: list.help})
	if len(list.uses) > 1 {
		columns = append(columns, column{title: "Use", role: roleUse, help: list.useHelp()})
	}
	if !list.many {
		columns = append(columns, column{title: "Name", role: roleOurs, ours: oursName, help: "For people; not read."})
	}
	return withSynonyms(list.title, append(columns, includeColumn(), notesColumn()))
}

func (l *listTab) useHelp() string {
	var words []string
	for _, use := range l.uses {
		words = append(words, use.word)
	}
	return strings.Join(words, " or ") + ". Blank: " + l.uses[0].word + "."
}

func includeColumn() column {
	return column{title: "Include", role: roleInclude, help: "no leaves the row out. Blank: yes."}
}

func notesColumn() column {
	return column{title: "Notes", role: roleOurs, ours: oursNotes, help: "For people; not read."}
}

func commonColumns() []column {
	return []column{
		includeColumn(), notesColumn(),
		{title: "Key", role: roleKey, help: "Your own short name that " +
			"stays the same when the name changes: letters, digits, - and _. Blank: made from the first name."},
		{title: "ID", role: roleID, help: "The service's id, filled by an export. Leave it as it is."},
	}
}

// resultColumns are those of copies with results.
func resultColumns() []column {
	return []column{
		{title: "Result", role: roleOurs, ours: oursResult, help: "What became of the row; not read."},
		{title: "Message", role: roleOurs, ours: oursResult, help: "What to do; not read."},
	}
}

// withSynonyms returns the columns of a sheet the other headers they are read
// under: the service's words and their own first, then those of other tools and
// of people. One that is another column's title, or was taken already, is
// dropped: on the sheet of ads, "Name" is the ad's.
func withSynonyms(sheet string, columns []column) []column {
	words := make([][]synonyms.Word, len(columns))
	meant, taken := map[string]int{}, map[string]bool{}
	for i, c := range columns {
		words[i] = synonyms.Of(sheet, c.title)
		taken[resource.Fold(c.title)] = true
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
		c.synonyms = slices.Clone(c.own)
		for _, word := range words[i] {
			if word.Tool != synonyms.Service && take(i, word.Folded) {
				c.synonyms = append(c.synonyms, word.Text)
			}
		}
	}
	return columns
}

// takeOwn puts the service's words before those the column was made with.
func (c *column) takeOwn(words []synonyms.Word, take func(folded string) bool) {
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
