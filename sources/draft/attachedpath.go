package draft

import (
	"fmt"
	"path"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// AttachedPath is the slash path in the tree of a name written in a source.
func AttachedPath(name, source string) (string, *resource.Finding) {
	joined := path.Join(path.Dir(source), name)
	if path.IsAbs(name) || strings.ContainsAny(name, "\\:\x00") || joined == ".." || strings.HasPrefix(joined, "../") {
		f := BadFile(fmt.Sprintf("file is %q; want a "+
			"path from this file's folder that stays in the project, joined by /", name))
		if own := name[strings.LastIndexAny(name, `/\:`)+1:]; own != "" {
			f.Hint = "put the file beside this one, and write " + own
		}
		return "", f
	}
	return joined, nil
}

// BadFile returns the finding of a file that a value names and that cannot be used.
func BadFile(message string) *resource.Finding {
	return &resource.Finding{Code: diag.BadFile, Message: message}
}
