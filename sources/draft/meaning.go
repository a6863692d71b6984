package draft

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
)

// MeaningOf writes what a file says, without where it says it: two files that say
// the same have the same text. The order of keys, and of resources that do not
// depend on it, is left out.
func MeaningOf(r Result) string {
	all := resourcesSaid(r, 0)
	for _, list := range r.Lists {
		all = append(all, "list "+listSaid(list))
	}
	for _, in := range r.Inherits {
		all = append(all, fmt.Sprintf("for %s, template %q: %s",
			in.Schema.Kind, in.Name.Text, attributesSaid(Draft{Attributes: in.Attributes, Hints: in.Hints})))
	}
	for _, item := range r.Items {
		all = append(all, fmt.Sprintf("entry %s.%s of %q: %q",
			item.Schema.Kind, item.Attribute.Name, texts(item.Owner), item.Text.Text))
	}
	all = append(all, ProblemsSaid(r.Problems)...)
	slices.Sort(all)
	return fmt.Sprintf("%+v\n", r.Rows) + strings.Join(all, "\n")
}

// resourcesSaid writes the drafts nested in one, each with what is nested in it.
func resourcesSaid(r Result, within int) []string {
	var all []string
	for i := range r.Drafts {
		d := &r.Drafts[i]
		if d.Schema == nil || d.Within != within {
			continue
		}
		all = append(all, ResourceSaid(r, i))
	}
	return all
}

// ResourceSaid writes a draft with what is nested in it.
func ResourceSaid(r Result, i int) string {
	d := &r.Drafts[i]
	below := resourcesSaid(r, i+1)
	slices.Sort(below)
	return fmt.Sprintf("%s %q id %q under %q uses %q: %s {%s}", d.Schema.Kind,
		d.Key.Text, d.ID.Text, texts(d.Parents), texts(d.Use), attributesSaid(*d), strings.Join(below, "; "))
}

func attributesSaid(d Draft) string {
	var all []string
	for _, n := range d.Attributes {
		all = append(all, n.Name+"="+n.Value.String())
	}
	for _, list := range d.Hints {
		all = append(all, listSaid(list))
	}
	rejected := slices.Sorted(slices.Values(d.Rejected))
	slices.Sort(all)
	return fmt.Sprintf("%s, rejected %q, failed %v", strings.Join(all, " "), rejected, d.Failed)
}

func listSaid(list HintList) string {
	var items []string
	for _, item := range list.Items {
		items = append(items, fmt.Sprintf("%q/%v", item.Text, item.IsList))
	}
	return fmt.Sprintf("%q: %s", list.Name.Text, strings.Join(items, ", "))
}

func texts(marks []Mark) []string {
	var all []string
	for _, m := range marks {
		all = append(all, m.Text)
	}
	return all
}

var anyNumber = pattern.Of(`[0-9]+`)

// ProblemsSaid leaves numbers out: a message may name a line.
func ProblemsSaid(problems []diag.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, fmt.Sprintf("problem %s %s", p.Code, anyNumber.ReplaceAllString(p.Message, "#")))
	}
	return all
}
