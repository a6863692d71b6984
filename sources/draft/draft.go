// Package draft is what a reader makes of one file: drafts of resources, each value with its position.
// draft.go has the draft, its lists and what a reader is given, result.go what it returns,
// vocabulary.go the keys of YAML, hintfile.go the files of hints, meaning.go when two files say the same.
//
// A draft has no place in the tree yet; the collection of package sources gives it one.
package draft

import (
	"context"
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/celltext"
	"adsync/sources/config"
)

// Draft is a resource as one row or mapping says it, before its place in the
// tree is known: a sheet names its parents, it does not nest in them.
type Draft struct {
	Schema *resource.Schema
	Key    Mark // the key as written, empty where the name decides
	ID     Mark // the service's id as written, empty where none is
	// what names each ancestor, the nearest last: a key, a path of keys, or a name; empty where not named
	Parents    []Mark
	Within     int    // 1 + index of the draft of the same result it is nested in; 0 where parents name it
	Use        []Mark // templates it inherits from, the later over the earlier
	Attributes resource.Attributes
	Hints      []HintList // list attributes whose items name hint lists; they are not in attributes
	Rejected   []string   // attributes that are written and do not parse: not missing
	ImageLink  string     // the address the cell of its image links to, which decides nothing
	Position   diag.Position
	Blanks     map[string]diag.Position // of a row of cells: where each required attribute belongs that it leaves blank
	Found      [2]int                   // problems of the result that are this row's own, from and to
	Called     string                   // the text of a name that was refused
	Effect                              // of the cells that were refused
	Attributed int                      // so many of those found are of one attribute each
	Failed     bool                     // the row has a problem: it counts as failed and is not used
}

// Mark is a text and where it is written.
type Mark struct {
	Text     string
	Position diag.Position
}

// HintList is a list of hints under a name: of an attribute, where it stands in
// a draft, or its own, where a source defines a list for others to use.
type HintList struct {
	Name     Mark
	Items    []Hint
	Problems []diag.Problem // its own errors: who takes it over waits
}

// Hint is one sentence, or the name of a hint list that stands in its place.
type Hint struct {
	Mark
	IsList bool
}

// Inheritance is what resources of a kind take over where they say nothing:
// the defaults of an account, or a template a draft uses by name.
type Inheritance struct {
	Problems []diag.Problem // its own errors: who takes it over waits
	Effect
	Name       Mark // the template's, empty for defaults
	Schema     *resource.Schema
	Attributes resource.Attributes
	Hints      []HintList
	Position   diag.Position
}

// Rows counts what became of the rows of one source. Read is used + ignored +
// failed, always (formats.md section 1). A reader counts the row of a draft
// that has not failed as used; the collection moves it to failed when the draft
// turns out not to fit.
type Rows struct {
	Read    int `json:"read"`
	Used    int `json:"used"`
	Ignored int `json:"ignored"`
	Failed  int `json:"failed"`
}

// Input is what a reader of one file may know beside its bytes.
type Input struct {
	Schemas resource.Schemas
	Env     resource.Env
	Bounds  bounded.Limits
	Layout  config.Layout
	Words   Vocabularies // the keys of YAML, made from schemas
	// attach reads a file of the tree that a value refers to, by its path from
	// the folder of the source the position stands in.
	Attach func(name string, at diag.Position) (content []byte, path string, finding *resource.Finding)
	Files  *HintFiles
}

// Reader turns the bytes of one file into drafts. It never fails as a whole:
// what is wrong is a problem at its position.
type Reader func(ctx context.Context, file string, content []byte, in Input) Result

// Paste is a problem whose hint ends with a line for adsync.yaml. It is written
// once every file is read, so that one line holds for all of them.
type Paste struct {
	Problem int    // place among the problems of the result
	Column  string // to list as the user's own
	Sheet   string // to name for the rows of a form
	Title   string // of the form
}

// ListItem is one row of a sheet of entries: a hint of an ad group, a location
// of a campaign. The resource it belongs to may stand in any source.
type ListItem struct {
	Schema    *resource.Schema // of the resource it belongs to
	Attribute *resource.Attribute
	Owner     []Mark // the ancestors from the top down, then the resource itself
	Text      Mark
	Wrong     []diag.Problem // errors of its cells: the resource waits
}

// Count counts the row of an entry, or takes it back.
func (i *ListItem) Count(r *Rows, n int) {
	if len(i.Wrong) > 0 {
		r.Failed += n
		return
	}
	r.Used += n
}

// CallName keeps what a cell calls the resource, valid or not: rows beneath name it so.
func CallName(d *Draft, a *resource.Attribute, text string) {
	if d.Called == "" && len(d.Schema.NameFrom) > 0 && a.Name == d.Schema.NameFrom[0] {
		d.Called = celltext.Trimmed(text)
	}
}

// String returns the text with its position.
func (m Mark) String() string { return m.Position.String() + " " + m.Text }

// String returns the text with its position, and whether it names a list.
func (h Hint) String() string { return fmt.Sprintf("%v list=%t", h.Mark, h.IsList) }
