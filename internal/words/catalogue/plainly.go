package catalogue

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// plainKey ends the key of what whoever has no command line reads in the place of a text.
const plainKey = ".plain"

// saidOtherwise is how a text is known again where it was said, and the key of what is read in its place.
type saidOtherwise struct {
	key     string
	longest string // of the words it has, to look for first
	form    *regexp.Regexp
	places  []string
}

// Plainly returns a text as whoever has no command line reads it: what the catalogue says of it and has another text
// for, under its key and ".plain", is said in that.
func Plainly(said string) string {
	for _, o := range now().otherwise() {
		said = o.plainly(said)
	}
	return said
}

func (o *saidOtherwise) plainly(said string) string {
	if !strings.Contains(said, o.longest) {
		return said
	}
	at := o.form.FindStringSubmatchIndex(said)
	if at == nil {
		return said
	}
	var places []string
	for i, place := range o.places {
		places = append(places, place, o.plainly(said[at[2*i+2]:at[2*i+3]])) // there may be more behind a text
	}
	return said[:at[0]] + Fill(o.key, places...) + o.plainly(said[at[1]:])
}

// findOtherwise finds the texts that are said in two ways; of two that begin alike the longer one comes first.
func (c *Catalogue) findOtherwise() (all []saidOtherwise) {
	for key := range c.texts {
		for _, each := range c.texts[strings.TrimSuffix(key, plainKey)] {
			if !strings.HasSuffix(key, plainKey) {
				continue
			}
			o := saidOtherwise{key: key}
			form := ""
			for i, p := range each.text {
				form += regexp.QuoteMeta(p.words)
				if len(p.words) > len(o.longest) {
					o.longest = p.words
				}
				switch {
				case p.place == "":
				case i == len(each.text)-1:
					form, o.places = form+"(.*)", append(o.places, p.place)
				default:
					form, o.places = form+"(.*?)", append(o.places, p.place)
				}
			}
			o.form = regexp.MustCompile(form)
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b saidOtherwise) int {
		return cmp.Or(len(b.longest)-len(a.longest), strings.Compare(a.key, b.key))
	})
	return all
}
