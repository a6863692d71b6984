package plan

import "adsync/internal/resource"

// FieldLines gives what a change does to its fields as WriteText shows it, one a
// line, without causes and holds. Text of files and service is made printable.
func FieldLines(schemas resource.Schemas, c *Change) []string {
	t := printer{TextOptions: TextOptions{Width: 160}, plan: &Plan{schemas: schemas}}
	schema := schemas.Of(c.Address.Kind)
	var lines []string
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Cause == SentAlong {
			continue
		}
		if a, ok := schema.Attribute(f.Name); ok {
			lines = append(lines, f.Name+": "+t.values(a, f, c.Action))
		}
	}
	return lines
}
