package compare

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// endsSoon is how long before its last day an ignore is warned of.
const endsSoon = 7 // days

// ignore takes what is ignored out of the files.
func (d *reading) ignore() {
	for _, i := range d.Input.Ignore {
		matching, known := d.ignored(i)
		if !known || d.expired(i) {
			continue
		}
		for _, a := range matching {
			if d.Live.Get(a) == nil || d.Desired.Get(a).Value(i.Attribute).IsAbsent() {
				continue
			}
			without := *d.Desired.Get(a)
			without.Attributes = slices.Clone(without.Attributes)
			without.Set(i.Attribute, resource.Value{})
			d.replaceDesired(&without)
			i.Count++
		}
		d.Plan.Ignored = append(d.Plan.Ignored, i)
	}
}

// replaceDesired changes a copy of the files, never the files.
func (d *reading) replaceDesired(r *resource.Resource) {
	if !d.Copied {
		files := resource.NewSnapshot(d.Desired.Len())
		for have := range d.Desired.All() {
			files.Add(have)
		}
		d.Desired, d.Copied = files, true
	}
	d.Desired.Put(r)
}

// ignored returns the resources of the files a pattern fits.
func (d *reading) ignored(i plan.Ignore) (matching []resource.Address, known bool) {
	kindName, key, _ := strings.Cut(i.Resource, "/")
	k := d.Kinds[resource.Kind(kindName)]
	report := func(message string, names []string, meant string) {
		d.Problems.Add(diag.Problem{
			Severity: diag.Error, Code: diag.BadProject,
			Position: i.Position, Message: message, Hint: diag.DidYouMean(meant, names),
		})
	}
	if k == nil {
		report(fmt.Sprintf("ignore.resource is %q; want a kind and a key, such as campaign/spring-*",
			i.Resource), nil, "")
		return nil, false
	}
	if k.Attributes[i.Attribute] == nil {
		var names []string
		for _, a := range k.Schema.Attributes {
			names = append(names, a.Name)
		}
		report(fmt.Sprintf("ignore.attribute is %q; want an attribute of %s", i.Attribute, kindName),
			names, i.Attribute)
		return nil, false
	}
	var all []string
	for _, a := range d.Desired.Addresses() {
		if a.Kind != k.Schema.Kind {
			continue
		}
		all = append(all, a.String())
		if fits, err := path.Match(key, a.Key); err == nil && fits {
			matching = append(matching, a)
		}
	}
	if len(matching) == 0 {
		report(fmt.Sprintf("ignore.resource is %q, which fits nothing in the files; want one that does", i.Resource),
			all, i.Resource)
	}
	return matching, len(matching) > 0
}

// expired warns of what has ended or ends soon.
func (d *reading) expired(i plan.Ignore) bool {
	if _, _, _, ok := drafting.Civil(d.Today); !ok {
		return false
	}
	soon := i.Until
	for range endsSoon {
		soon = drafting.DayBefore(soon)
	}
	what := fmt.Sprintf("%s of %s is ignored until %s", i.Attribute, i.Resource, i.Until)
	warn := func(message string) {
		d.Problems.Add(diag.Problem{
			Severity: diag.Warning, Code: diag.NeedsDecision, Position: i.Position, Message: message,
		})
	}
	switch {
	case d.Today > i.Until:
		warn(what + ", which is over, so that it is compared again; want the entry taken away, or a later day")
		return true
	case d.Today >= soon:
		warn(what + ", which ends soon; want to agree with " + i.Owner + " what comes then")
	}
	return false
}
