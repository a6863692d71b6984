package resource

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/words/catalogue"
)

// Way is how a value reaches the service.
type Way string

// The ways of a value.
const (
	inJob    Way = "bulk"      // an operation of a bulk job
	alone    Way = "single"    // a request of its own resource
	upload   Way = "upload"    // a file first, whose id goes along
	followUp Way = "follow-up" // an update after the create in a job
	noWay    Way = "none"      // never sent, and why
)

// Route is one way of an attribute, and when it is taken. Of several the first
// whose condition holds is taken.
type Route struct {
	Way  Way
	When string
}

// WhyLasting is why nothing removes a resource of the kind.
func (s *Schema) WhyLasting() string { return catalogue.Say("lasting." + s.Lasting) }

// CreateRoutes are the ways of an attribute's value when its resource is made,
// the cheapest first. None at all is a gap in the description.
func (s *Schema) CreateRoutes(a *Attribute) []Route {
	switch {
	case a.Protects:
		return []Route{{noWay, "adsync's own word; the service never hears of it"}}
	case s.CreateCall().Path == "":
		return []Route{{noWay, s.WhyLasting() + "; nothing makes one"}}
	case s.Membership != nil && s.Membership.Merge == a.Name:
		return []Route{{alone, "POST /" + s.Membership.MergeCall.Path}}
	case s.Membership != nil && s.Membership.Has(a.Name):
		return []Route{{upload, "with the members file; the create names the file"}}
	case a.Name == "status" && a.Default == "" && a.Chooses(s.Removal) && len(a.Choices) == 1:
		return []Route{{noWay, "it ends what is there"}}
	}
	var routes []Route
	if s.Bulk.Create != "" && (a.Bulk.Create != "" || a.Bulk.Map != nil) {
		routes = append(routes, Route{inJob, a.inJob(a.Bulk.Create)})
	}
	jobSays := len(routes) > 0 && a.unconditional()
	switch {
	case a.Wire.Path == "" && a.Bulk.Update != "":
		routes = append(routes, Route{followUp, "in a job, where the create goes alone"})
	case s.Bulk.Create != "" && !a.Bulk.AtCreate && !jobSays:
		routes = append(routes, Route{followUp, "where the rest goes in a job"})
	}
	if a.Wire.Codec == FileID {
		return append(routes, Route{upload, "a file of the folder, once; the create goes alone"})
	}
	if a.Wire.Path != "" {
		routes = append(routes, Route{alone, "POST /" + s.CreateCall().Path})
	}
	return routes
}

// UpdateRoutes are the ways of an attribute's value when it changes.
func (s *Schema) UpdateRoutes(a *Attribute) []Route {
	switch {
	case a.Protects:
		return []Route{{noWay, "adsync's own word; the service never hears of it"}}
	case a.Immutable:
		return []Route{{noWay, "cannot change; another resource takes its place, where that is allowed"}}
	case s.Membership != nil && s.Membership.Has(a.Name):
		return []Route{{upload, "with the members file; then a membership operation"}}
	}
	var routes []Route
	if s.Bulk.Update != "" && a.Bulk.Update != "" {
		routes = append(routes, Route{inJob, a.inJob(a.Bulk.Update)})
	}
	for _, value := range slices.Sorted(maps.Keys(a.Calls)) {
		routes = append(routes, Route{alone, fmt.Sprintf("%s: POST /%s", value, a.Calls[value].Path)})
	}
	switch {
	case a.Wire.Codec == FileID:
		routes = append(routes, Route{upload, "a file of the folder or an address, once; its id goes along"})
	case len(a.Calls) > 0 || a.Wire.Path == "":
	case a.Wire.Codec == Flag:
		return []Route{{noWay, s.WhyLasting()}}
	default:
		routes = append(routes, Route{alone, "POST /" + s.UpdateCall().Path})
	}
	return routes
}

// unconditional reports whether the create in a job carries every value.
func (a *Attribute) unconditional() bool {
	return a.Bulk.Create != "" && a.Bulk.Needs == "" && a.Bulk.When == nil && a.Bulk.Map == nil
}

// inJob returns which input field of an operation carries the value, and when.
func (a *Attribute) inJob(field string) string {
	said := "`" + field + "`"
	if field == "" {
		said = "said by leaving it out"
	}
	var when []string
	if a.Bulk.Map != nil {
		when = append(when, "for "+strings.Join(slices.Sorted(maps.Keys(a.Bulk.Map)), ", "))
	}
	if a.Bulk.When != nil {
		when = append(when, fmt.Sprintf("where the %s of the %s is %s",
			a.Bulk.When.Attribute, a.Bulk.When.Ancestor, a.Bulk.When.Value))
	}
	if a.Bulk.Needs != "" && field == a.Bulk.Create {
		when = append(when, "where the account has "+string(a.Bulk.Needs))
	}
	switch {
	case a.Wire.Codec == FileID && field == a.Bulk.Create:
		when = append(when, "for an address the service fetches")
	case a.Wire.Codec == FileID:
		when = append(when, "once it is uploaded")
	}
	return strings.Join(append([]string{said}, when...), ", ")
}
