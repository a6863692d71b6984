package pulls

import (
	"fmt"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/plan"
)

// The bounds of what a comment explains: of how many resources, how long an address is, and how long each is said.
const (
	mostAsked   = 5
	mostAddress = 200   // bytes
	mostSaidOf  = 3_000 // bytes
	mostOfLine  = 300   // bytes
)

// question is that somebody wants to know why a resource is as it is.
type question struct{ by, address string }

// questions returns what people asked last, the newest first, each address once.
func questions(written []forge.Comment) (all []question) {
	for _, m := range slices.Backward(written) {
		line, _, _ := strings.Cut(m.Text, "\n")
		rest, is := strings.CutPrefix(line, "adsync explain ")
		address := strings.Trim(rest, " \t\r`")
		known := slices.ContainsFunc(all, func(q question) bool { return q.address == address })
		if is && address != "" && !known && len(all) < mostAsked {
			all = append(all, question{m.By, address})
		}
	}
	return all
}

// commands are the comments that may tell adsync something: of people, as they wrote them. Where the forge cannot tell
// an edit, all of them: nothing that is said here needs a right.
func commands(at forge.Repository, talk forge.Talk) []forge.Comment {
	_, tells := at.Consents()
	return slices.DeleteFunc(slices.Clone(talk.Comments), func(m forge.Comment) bool {
		return m.Bot || m.Edited && tells
	})
}

// explained is what a comment says of the resources that people asked about.
func explained(all []question, explain func(address string) string) string {
	var text strings.Builder
	for i, q := range all {
		if i == 0 {
			text.WriteString("\n#### Explained\n")
		}
		said := "there is no plan to explain it by\n"
		switch {
		case len(q.address) > mostAddress:
			said = fmt.Sprintf("an address has at most %d bytes, such as campaign/spring; this has %d\n", mostAddress,
				len(q.address))
		case explain != nil:
			said = explain(q.address)
		}
		fmt.Fprintf(&text, "\n%s, for %s:\n\n%s", planview.Code(diag.Printable(clip(q.address, mostAddress))),
			planview.Code(diag.Printable(q.by)), planview.Block(whole(said, mostSaidOf)))
	}
	return text.String()
}

// clip is the begin of a text, of at most so many bytes.
func clip(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// whole returns the first lines of a text that have at most so many bytes.
func whole(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := text[:most]
	return cut[:strings.LastIndexByte(cut, '\n')+1] + "… the rest is cut, as a comment has to hold it\n"
}

// explain says of a resource what the pull request does to it, and where what the files say of it is written.
func (q *proposal) explain(l session.Loaded, d *runs.PlanDocument, address string) string {
	parsed, ok := resource.ParseAddress(address)
	if !ok {
		return "this is no address; want one such as campaign/spring\n"
	}
	text, written := planview.ChangeText(l.Schemas, d, address), l.Desired.Snapshot.Get(parsed)
	var lines []string
	for i := range d.Problems {
		if d.Problems[i].Address == address {
			lines = append(lines, "problem: "+d.Problems[i].String())
		}
	}
	switch {
	case text == "" && len(lines) == 0 && written == nil:
		return diag.Printable(unknown(l, d, address)) + "\n"
	case d.Error != "":
		lines = append(lines, "no plan: "+d.Error)
	case text == "":
		lines = append(lines, "nothing of it changes")
	case slices.ContainsFunc(d.Changes, func(c plan.ChangeDocument) bool { return c.Address == address && c.Pending }):
		lines = append(lines, "this is pending without the pull request, too")
	}
	lines = append(lines, writtenLines(l.Schemas.Of(parsed.Kind), written)...)
	for _, line := range lines {
		text += clip(diag.Printable(line), mostOfLine) + "\n"
	}
	return text
}

// unknown says that nothing is known of an address, and which is near.
func unknown(l session.Loaded, d *runs.PlanDocument, address string) string {
	var names []string
	for r := range l.Desired.Snapshot.All() {
		names = append(names, r.Address.String())
	}
	for i := range d.Changes {
		names = append(names, d.Changes[i].Address)
	}
	said := "no file names it, and nothing of it changes"
	if near := diag.DidYouMean(address, names); near != "" {
		said += "; " + near
	}
	return said
}

// writtenLines say what the files say of a resource.
func writtenLines(schema *resource.Schema, r *resource.Resource) []string {
	if r == nil {
		return []string{"the files do not name it"}
	}
	lines := []string{"the files name it at " + r.Position.String()}
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		if v := r.Value(a.Name); !v.IsAbsent() {
			line := "  " + a.Name + ": " + a.Show(v)
			if !v.Position.IsZero() {
				line += " (" + v.Position.String() + ")"
			}
			lines = append(lines, line)
		}
	}
	return lines
}
