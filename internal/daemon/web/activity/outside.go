package activity

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"adsync/internal/outside"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// did are the verbs with which an entry of the audit log begins that have a text of their own.
var did = []string{"create", "activate", "pause", "archive", "delete"}

// outside is what others did at the service: what is kept of its audit log, and what else of it the last plan shows.
func (s *Sources) outside(names *words.Names) (all []Event) {
	for i := range s.Outside {
		all = append(all, s.logged(&s.Outside[i], names))
	}
	if s.Plan == nil {
		return all
	}
	type edit struct {
		address, actor string
		at             int64
	}
	at := map[edit]int{}
	for i := range s.Plan.Changes {
		c := &s.Plan.Changes[i]
		if f := c.Foreign; f != nil && !s.tells(all, c, f) {
			all = append(all, Event{Time: time.Unix(f.At, 0), Kind: "outside", By: f.Actor,
				What: catalogue.Say("outside.end", "what", names.Of(c.Address)), address: c.Address})
		}
		for k := range c.Fields {
			f := c.Fields[k].Foreign
			if f == nil || s.tells(all, c, f) {
				continue
			}
			key, label := edit{c.Address, f.Actor, f.At}, label(s.Schemas.Of(c.Kind), c.Fields[k].Name)
			if one, known := at[key]; known {
				all[one].What += ", " + label
				continue
			}
			at[key] = len(all)
			all = append(all, Event{Time: time.Unix(f.At, 0), Kind: "outside", By: f.Actor, address: c.Address,
				What: catalogue.Say("outside.fields", "what", names.Of(c.Address), "fields", label)})
		}
	}
	return all
}

// tells reports whether the log tells already what a plan found changed, and has it lead to the change.
func (s *Sources) tells(all []Event, c *plan.ChangeDocument, f *plan.Foreign) bool {
	told := false
	for i := range s.Outside { // the events begin with them, in this order
		e := &s.Outside[i]
		same := e.Address == c.Address || e.Of != "" && e.Of == c.ID
		if same && e.Time.Unix() == f.At && (e.By == "" || e.By == f.Actor) {
			all[i].address, told = c.Address, true
		}
	}
	return told
}

// logged is an entry of the audit log in words.
func (s *Sources) logged(e *outside.Entry, names *words.Names) Event {
	verb, kind, _ := strings.Cut(e.Action, "_")
	schema := s.Schemas.Of(resource.Kind(kind))
	called := strings.ReplaceAll(cmp.Or(kind, e.Action), "_", " ")
	if schema != nil {
		called = strings.ToLower(schema.Title)
	}
	switch {
	case e.Name != "":
		called += " “" + e.Name + "”"
	case e.Address != "":
		called = names.Of(e.Address)
	default:
		called += " " + e.Of
	}
	return Event{Time: e.Time, Kind: "outside", By: e.By, What: saidOf(verb, called, labels(schema, e.Fields))}
}

func saidOf(verb, what string, fields []string) string {
	switch {
	case slices.Contains(did, verb):
		return catalogue.Say("outside."+verb, "what", what)
	case len(fields) > 0:
		return catalogue.Say("outside.fields", "what", what, "fields", strings.Join(fields, ", "))
	}
	return catalogue.Say("outside.change", "what", what)
}

// labels are what people call fields of a kind that the service names.
func labels(schema *resource.Schema, fields []string) (all []string) {
	for _, field := range fields {
		var of []string
		for i := 0; schema != nil && i < len(schema.Attributes); i++ {
			a := &schema.Attributes[i]
			if root, _, _ := strings.Cut(a.Wire.Path, "."); root == field {
				of = append(of, a.Name)
			}
		}
		if len(of) != 1 { // one field of the service is several attributes here, or none
			of = []string{field}
		}
		if one := label(schema, of[0]); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// label is what people call an attribute. The column of a name is headed as its kind is called.
func label(schema *resource.Schema, attribute string) string {
	if attribute == "name" {
		return catalogue.Say("names.name")
	}
	return words.Label(schema, attribute)
}
