package sources

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strings"

	"adsync/internal/resource"
)

// rowsWriter puts what became of rows into the content of a file of one type,
// and leaves every other byte of it alone.
type rowsWriter func(content []byte, w rowResults) ([]byte, error)

// rowsWriters are the types of files results can be written back into, by the
// end of their names.
var rowsWriters = map[string]rowsWriter{
	".xlsx": writeWorkbookRows,
	".csv":  writeCSVRows,
	".tsv":  writeCSVRows,
}

// rowResults is what became of the rows of one file.
type rowResults struct {
	in       input
	file     string
	outcomes []RowOutcome // of this file alone
}

// TakesResults says whether results can be written back into a file of this name.
func TakesResults(file string) bool { return rowsWriterOf(file) != nil }

func rowsWriterOf(file string) rowsWriter { return rowsWriters[strings.ToLower(path.Ext(file))] }

// WriteBack writes what became of the rows of a source into the file itself:
// Result and Message in the columns of that name, or in new ones after the last;
// keys and ids where their cells are empty. It changes no other cell and gives
// false where nothing is to be changed.
//
// It refuses a file that is open in an editor, one that is no longer what was
// read, and a symbolic link. The file is replaced as a whole, or not at all.
func WriteBack(p Project, schemas resource.Schemas, source Source, outcomes []RowOutcome) (changed bool, err error) {
	write := rowsWriterOf(source.File)
	if write == nil {
		return false, fmt.Errorf("results are not written into files named %q", path.Ext(source.File))
	}
	env, err := p.Env()
	if err != nil {
		return false, err
	}
	root, err := os.OpenRoot(p.folder())
	if err != nil {
		return false, err
	}
	defer root.Close()
	in := input{schemas: schemas, env: env, bounds: p.limits(), layout: p.layout}
	r := replacement{root: root, name: source.File, hash: source.Hash, limit: (&tree{bounds: in.bounds}).limitOf(source.File)}
	content, err := r.read()
	if err != nil {
		return false, err
	}
	defer func() {
		if reason := recover(); reason != nil {
			changed, err = false, fmt.Errorf("file cannot be changed: %v", reason)
		}
	}()
	rewritten, err := write(content, rowResults{in: in, file: source.File, outcomes: outcomesOf(source.File, outcomes)})
	if err != nil || bytes.Equal(rewritten, content) {
		return false, err
	}
	return true, r.write(rewritten)
}

func outcomesOf(file string, outcomes []RowOutcome) []RowOutcome {
	var own []RowOutcome
	for _, o := range outcomes {
		if o.Position.File() == file {
			own = append(own, o)
		}
	}
	return own
}
