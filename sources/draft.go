package sources

import (
	"context"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// draft is a resource as one row or mapping says it, before its place in the
// tree is known: a sheet names its parents, it does not nest in them.
type draft struct {
	schema *resource.Schema
	key    mark // the key as written, empty where the name decides
	id     mark // the service's id as written, empty where none is
	// what names each ancestor, the nearest last: a key, a path of keys, or a name; empty where not named
	parents    []mark
	within     int    // 1 + index of the draft of the same result it is nested in; 0 where parents name it
	use        []mark // templates it inherits from, the later over the earlier
	attributes resource.Attributes
	hints      []hintList // list attributes whose items name hint lists; they are not in attributes
	rejected   []string   // attributes that are written and do not parse: not missing
	imageLink  string     // the address the cell of its image links to, which decides nothing
	position   diag.Position
	blanks     map[string]diag.Position // of a row of cells: where each required attribute belongs that it leaves blank
	found      [2]int                   // problems of the result that are this row's own, from and to
	called     string                   // the text of a name that was refused
	effect                              // of the cells that were refused
	attributed int                      // so many of those found are of one attribute each
	failed     bool                     // the row has a problem: it counts as failed and is not used
}

// mark is a text and where it is written.
type mark struct {
	text     string
	position diag.Position
}

// hintList is a list of hints under a name: of an attribute, where it stands in
// a draft, or its own, where a source defines a list for others to use.
type hintList struct {
	name     mark
	items    []hint
	problems []diag.Problem // its own errors: who takes it over waits
}

// hint is one sentence, or the name of a hint list that stands in its place.
type hint struct {
	mark
	isList bool
}

// inheritance is what resources of a kind take over where they say nothing:
// the defaults of an account, or a template a draft uses by name.
type inheritance struct {
	problems []diag.Problem // its own errors: who takes it over waits
	effect
	name       mark // the template's, empty for defaults
	schema     *resource.Schema
	attributes resource.Attributes
	hints      []hintList
	position   diag.Position
}

// rows counts what became of the rows of one source. Read is used + ignored +
// failed, always (formats.md section 1). A reader counts the row of a draft
// that has not failed as used; the collection moves it to failed when the draft
// turns out not to fit.
type rows struct {
	Read    int `json:"read"`
	Used    int `json:"used"`
	Ignored int `json:"ignored"`
	Failed  int `json:"failed"`
}

// input is what a reader of one file may know beside its bytes.
type input struct {
	schemas resource.Schemas
	env     resource.Env
	bounds  bounded.Limits
	layout  layout
	words   vocabularies // the keys of YAML, made from schemas
	// attach reads a file of the tree that a value refers to, by its path from
	// the folder of the source the position stands in.
	attach func(name string, at diag.Position) (content []byte, path string, finding *resource.Finding)
	files  *hintFiles
}

// reader turns the bytes of one file into drafts. It never fails as a whole:
// what is wrong is a problem at its position.
type reader func(ctx context.Context, file string, content []byte, in input) result

// paste is a problem whose hint ends with a line for adsync.yaml. It is written
// once every file is read, so that one line holds for all of them.
type paste struct {
	problem int    // place among the problems of the result
	column  string // to list as the user's own
	sheet   string // to name for the rows of a form
	title   string // of the form
}

// listItem is one row of a sheet of entries: a hint of an ad group, a location
// of a campaign. The resource it belongs to may stand in any source.
type listItem struct {
	schema    *resource.Schema // of the resource it belongs to
	attribute *resource.Attribute
	owner     []mark // the ancestors from the top down, then the resource itself
	text      mark
	wrong     []diag.Problem // errors of its cells: the resource waits
}

// count counts the row of an entry, or takes it back.
func (i *listItem) count(r *rows, n int) {
	if len(i.wrong) > 0 {
		r.Failed += n
		return
	}
	r.Used += n
}

// callName keeps what a cell calls the resource, valid or not: rows beneath name it so.
func callName(d *draft, a *resource.Attribute, text string) {
	if d.called == "" && len(d.schema.NameFrom) > 0 && a.Name == d.schema.NameFrom[0] {
		d.called = trimmed(text)
	}
}
