package sources

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"adsync/internal/diag"
)

// meaningOf writes what a file says, without where it says it: two files that say
// the same have the same text. The order of keys, and of resources that do not
// depend on it, is left out.
func meaningOf(r result) string {
	all := resourcesSaid(r, 0)
	for _, list := range r.lists {
		all = append(all, "list "+listSaid(list))
	}
	for _, in := range r.inherits {
		all = append(all, fmt.Sprintf("for %s, template %q: %s",
			in.schema.Kind, in.name.text, attributesSaid(draft{attributes: in.attributes, hints: in.hints})))
	}
	for _, item := range r.items {
		all = append(all, fmt.Sprintf("entry %s.%s of %q: %q",
			item.schema.Kind, item.attribute.Name, texts(item.owner), item.text.text))
	}
	all = append(all, problemsSaid(r.problems)...)
	slices.Sort(all)
	return fmt.Sprintf("%+v\n", r.rows) + strings.Join(all, "\n")
}

// resourcesSaid writes the drafts nested in one, each with what is nested in it.
func resourcesSaid(r result, within int) []string {
	var all []string
	for i := range r.drafts {
		d := &r.drafts[i]
		if d.schema == nil || d.within != within {
			continue
		}
		all = append(all, resourceSaid(r, i))
	}
	return all
}

// resourceSaid writes a draft with what is nested in it.
func resourceSaid(r result, i int) string {
	d := &r.drafts[i]
	below := resourcesSaid(r, i+1)
	slices.Sort(below)
	return fmt.Sprintf("%s %q id %q under %q uses %q: %s {%s}", d.schema.Kind,
		d.key.text, d.id.text, texts(d.parents), texts(d.use), attributesSaid(*d), strings.Join(below, "; "))
}

func attributesSaid(d draft) string {
	var all []string
	for _, n := range d.attributes {
		all = append(all, n.Name+"="+n.Value.String())
	}
	for _, list := range d.hints {
		all = append(all, listSaid(list))
	}
	rejected := slices.Sorted(slices.Values(d.rejected))
	slices.Sort(all)
	return fmt.Sprintf("%s, rejected %q, failed %v", strings.Join(all, " "), rejected, d.failed)
}

func listSaid(list hintList) string {
	var items []string
	for _, item := range list.items {
		items = append(items, fmt.Sprintf("%q/%v", item.text, item.isList))
	}
	return fmt.Sprintf("%q: %s", list.name.text, strings.Join(items, ", "))
}

func texts(marks []mark) []string {
	var all []string
	for _, m := range marks {
		all = append(all, m.text)
	}
	return all
}

var anyNumber = regexp.MustCompile(`[0-9]+`)

// problemsSaid leaves numbers out: a message may name a line.
func problemsSaid(problems []diag.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, fmt.Sprintf("problem %s %s", p.Code, anyNumber.ReplaceAllString(p.Message, "#")))
	}
	return all
}
