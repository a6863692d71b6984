package reconcile

import (
	"slices"
	"strings"

	"adsync/internal/resource"
)

// whyAlone says why no job carries a part.
func (r *singleRequests) whyAlone(p part) string {
	schema := r.Schemas.Of(p.change.Address.Kind)
	switch {
	case schema.Bulk.Create == "" && schema.Bulk.Update == "":
		return "jobs do not carry this kind"
	case !r.caps[resource.BulkJobs]:
		return "the account has no bulk jobs"
	case !p.create:
		return unsayable(r.unsaidOnUpdate(p), "it is too large for a job")
	}
	parent := r.byAddr[r.Schemas.Parent(p.change.Address)]
	if names := r.unsaidOnCreate(p); len(names) > 0 {
		return unsayable(names, "")
	}
	switch {
	case parent == nil || !isNew(parent):
		return "its parent is there already: a job creates a child only with its parent"
	case !r.mayRepeat():
		return "its parent is in no job with room, and is not to be repeated"
	}
	return "its parent goes alone, or it is too large for a job"
}

func unsayable(names []string, otherwise string) string {
	if len(names) == 0 {
		return otherwise
	}
	return "jobs cannot say " + strings.Join(names, ", ")
}

func (r *singleRequests) unsaidOnUpdate(p part) []string {
	e := r.encoder()
	var names []string
	for _, f := range p.fields {
		if !e.onUpdate(p.change.Address, f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func (r *singleRequests) unsaidOnCreate(p part) []string {
	e := r.encoder()
	var names []string
	for _, f := range p.fields {
		if e.onCreate(p.change.Address, f, r.caps) == unsaid {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}
