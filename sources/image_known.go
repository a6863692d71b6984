package sources

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// findContents gives an image that is named by its content the file another row
// has it from. One that no file has is said where the row has no id: only an ad
// that is there can keep such an image.
func (c *collection) findContents(d *Desired) {
	for i := range c.entries {
		e := &c.entries[i]
		for j := range e.resource.Attributes {
			n := &e.resource.Attributes[j]
			a, known := e.draft.Schema.Attribute(n.Name)
			if !known || a.Type != resource.TypeImage ||
				!strings.HasPrefix(n.Value.Text(), "sha256:") || n.Value.Written() != n.Value.Text() {
				continue
			}
			from, found := d.Images[n.Value.Text()]
			switch {
			case found:
				n.Value = n.Value.As(from)
			case e.draft.ID.Text == "" && !e.archived():
				c.report(e, n.Value.Position, resource.Finding{
					Code: diag.NoImageFile, Severity: diag.Warning,
					Message: n.Name + " is named by its content, and no file has that content; a new ad needs the file",
					Hint:    "save the picture in the folder and write its path",
				})
			}
		}
	}
}
