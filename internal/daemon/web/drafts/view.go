// Package drafts shows what an edit of an account's files comes to, before and after it is written: the cells, what the
// files go on saying, and the plan of the files as they would be.
//
// It refuses to find any of it: it has what the daemon found.
package drafts

import (
	"cmp"
	_ "embed" // the page
	"net/url"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Template defines "draft", the page of a View, and "edited", that of a Done.
//
//go:embed page.html
var Template string

// About is what a draft is of.
type About struct {
	Name, Path string // of the account
	Account    planview.Account
	Schemas    resource.Schemas
	Plans      bool // nothing is ever applied here
}

// View is a draft as it is read.
type View struct {
	Name, Path, Title, Order string // Order is where it is ordered
	Run, RunPath             string
	Of, All                  string // the resource that it is of alone, and where it is of the whole run
	OfAddress, Digest        string
	Values, Left             []Line
	More                     int // values that are not shown
	Problems                 []string
	Refused, Branch, Into    string
	Plans                    bool
	Parts                    *planview.Parts
}

// Line is a value that is written, or that stays.
type Line struct {
	What, Was, Is, At, Why string
	Only                   string // where it is the edit of this resource alone; "" where it is already
}

// linesMost is how many values are listed.
const linesMost = 500

// Show makes a page of a draft.
func Show(about About, d *daemon.Draft) (View, error) {
	v := View{Name: shown.Text(about.Name, 200), Path: about.Path, Digest: d.Digest, OfAddress: d.Of,
		Run: shown.Text(d.Run, 40), RunPath: about.Path + "/runs/" + url.PathEscape(d.Run),
		Refused: shown.Reason(d.Refused), Branch: shown.Text(d.Branch, 200), Into: shown.Text(d.Into, 200),
		Plans: about.Plans}
	v.Order, v.Title = v.RunPath+"/undo", catalogue.Say("draft.undo", "run", v.Run)
	names := namesOf(about.Schemas, d)
	switch {
	case d.Run == "":
		v.Of, v.Order = shown.Reason(names.Of(d.Of)), about.Path+"/theirs"
		v.Title = catalogue.Say("draft.take", "what", v.Of)
	case d.Of != "":
		v.Of, v.All = shown.Reason(names.Of(d.Of)), v.Order
		v.Title = catalogue.Say("draft.undo-one", "what", v.Of, "run", v.Run)
	}
	several := false
	for i := range d.Values {
		several = several || d.Values[i].Address != d.Values[0].Address
	}
	for i := range d.Values {
		if i == linesMost {
			v.More = len(d.Values) - i
			break
		}
		one := &d.Values[i]
		l := Line{What: what(names, one.Address, one.Attribute), At: shown.Text(one.At, 200),
			Was: about.value(one, one.Was), Is: about.value(one, one.Is)}
		if several && (i == 0 || d.Values[i-1].Address != one.Address) {
			l.Only = v.Order + "?" + url.Values{"of": {one.Address}}.Encode()
		}
		v.Values = append(v.Values, l)
	}
	for i := range d.Left[:min(len(d.Left), linesMost)] {
		one := &d.Left[i]
		v.Left = append(v.Left, Line{What: what(names, one.Address, one.Attribute),
			Why: shown.Reason(names.In(one.Why))})
	}
	for _, text := range d.Problems {
		v.Problems = append(v.Problems, shown.Text(names.In(text), 2000))
	}
	if d.Plan == nil {
		return v, nil
	}
	var err error
	v.Parts, err = planview.HTMLParts(about.Schemas, d.Plan)
	return v, err
}

func namesOf(schemas resource.Schemas, d *daemon.Draft) *words.Names {
	var changes []plan.ChangeDocument
	if d.Plan != nil {
		changes = append(changes, d.Plan.Changes...)
	}
	for i := range d.Values {
		changes = append(changes, plan.ChangeDocument{Address: d.Values[i].Address, Name: d.Values[i].Name})
	}
	for i := range d.Left {
		changes = append(changes, plan.ChangeDocument{Address: d.Left[i].Address, Name: d.Left[i].Name})
	}
	return words.NamesOf(schemas, changes)
}

// what is an attribute of a resource, or the resource alone.
func what(names *words.Names, address, attribute string) string {
	of := names.Of(address)
	if attribute == "" {
		return shown.Reason(words.Upper(of))
	}
	a, _ := resource.ParseAddress(address)
	label := names.Label(a.Kind, attribute)
	if strings.HasPrefix(of, strings.ToLower(label)+" ") {
		label = catalogue.Say("names.name") // the column with a resource's name is called by its kind
	}
	return shown.Reason(catalogue.Say("draft.field", "field", label, "what", of))
}

// value is one as it is read, with the currency where it is money.
func (about *About) value(of *daemon.DraftValue, text string) string {
	at, _ := resource.ParseAddress(of.Address)
	if schema := about.Schemas.Of(at.Kind); schema != nil && text != "" {
		if a, known := schema.Attribute(of.Attribute); known && a.Type == resource.TypeMoney {
			text += " " + about.Account.Currency
		}
	}
	return cmp.Or(shown.Reason(text), catalogue.Say("value.none"))
}

// Done is an edit that was written.
type Done struct {
	Name, Path, Title    string
	Files, Kept          []string
	Branch, Commit       string
	Same                 bool
	Pull                 *daemon.PullRequest
	Trouble, Again, Note string // why there is no pull request, and what asks for it again
	Digest, Of           string
}

// Tell makes a page of an edit that was written: of a run, or "" of what was live.
func Tell(about About, run string, e daemon.Edited) Done {
	title := catalogue.Say("edited.taken")
	if run != "" {
		title = catalogue.Say("edited.undone", "run", run)
	}
	d := Done{Name: shown.Text(about.Name, 200), Path: about.Path, Title: title, Branch: shown.Text(e.Branch, 200),
		Commit: shown.Text(e.Commit, 40), Same: e.Same, Pull: e.Pull}
	for _, file := range e.Files {
		d.Files = append(d.Files, shown.Text(file, 500))
	}
	for _, file := range e.Kept {
		d.Kept = append(d.Kept, shown.Text(file, 500))
	}
	return d
}
