package sources

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// draft is a resource as one row or mapping says it, before its place in the
// tree is known: a sheet names its parents, it does not nest in them.
type draft struct {
	schema     *resource.Schema
	key        mark   // the key as written, empty where the name decides
	id         mark   // the service's id as written, empty where none is
	parents    []mark // what names each ancestor, from the top down: a key or a name
	attributes resource.Attributes
	position   diag.Position
	failed     bool // the row has a problem: it counts as failed and is not used
}

// mark is a text and where it is written.
type mark struct {
	text     string
	position diag.Position
}

// rows counts what became of the rows of one source. Read is used + ignored +
// failed, always (formats.md section 1).
type rows struct {
	Read    int `json:"read"`
	Used    int `json:"used"`
	Ignored int `json:"ignored"`
	Failed  int `json:"failed"`
}
