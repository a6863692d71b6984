package resource

// Fact is something the service says of a resource and no file decides: the
// state of a review, the size of an audience. It is shown in exports and never
// read, compared or sent.
type Fact struct {
	Name    string // "review"
	Header  string // its column in the workbook: "Review"
	Help    string
	Path    string // field of the wire record
	Item    string // field of each entry that is shown, where the path holds a list of objects
	Detail  string // field that is shown after a colon, where there is one
	Include string // what a read must include for the record to have it
}

// Includes are what reads must ask for so that records hold every fact.
func (s *Schema) Includes() []string {
	var includes []string
	for _, f := range s.Facts {
		if f.Include != "" {
			includes = append(includes, f.Include)
		}
	}
	return includes
}
