package sources

import (
	"adsync/internal/resource"
)

// readPictures reports the pictures that lie on a cell where the name of a
// picture file is wanted.
func (r *tabReader) readPictures(d *rowDraft, row int) {
	for _, p := range r.pictures {
		known := r.header.column(p.Column)
		if p.Row != row || known == nil || known.role != roleAttribute || known.attribute.Type != resource.TypeImage {
			continue
		}
		if d.attributes.Value(known.attribute.Name).IsAbsent() {
			r.reject(&d.draft, known.attribute, r.at(p.Row, p.Column), pastedPicture())
		}
	}
}
