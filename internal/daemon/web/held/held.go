// Package held shows what a plan holds and people may approve: each thing by itself, and all of one kind together.
//
// It refuses to let a kind stand for what was not shown: a kind is named by the digest of all that is in it, and is
// another one as soon as anything comes or goes. Its invariant: what Resolve returns is what a View counted.
//
// held.go is what is shown, kinds.go what belongs together.
package held

import (
	_ "embed" // the part of the page
	"slices"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Template defines "held", the part of the page of an account that has a View as Held.
//
//go:embed page.html
var Template string

// View is what waits, and what somebody has agreed to.
type View struct {
	Kinds      []Kind
	Unlisted   int // that stand alone and have no line
	Agreed     []Agreed
	MoreAgreed int    // that are not shown
	Lasts      string // how long an approval is good for
}

// Kind is one release, or several that are alike.
type Kind struct {
	All    string // names all of them, as they are shown; "" of one alone, or where nobody can agree to them here
	Count  string
	Says   string   // what they agree to
	Money  []string // what that allows
	Done   int      // of them, approved already
	Waits  bool     // not all of them are
	Each   []Release
	More   int  // that have no line
	Folded bool // the lines stand behind their count
}

// Release is an allowance a person may give: as it is sent, and as it is read.
type Release struct {
	planview.Release
	At   int    // counted over the page
	Item string // what names it as it is shown; "" where nobody can agree to it here
	Text string // as a command takes it
	Says string // what it agrees to, in words
	// the address at which the service would be asked once more; "" where it is something else that is allowed
	Again    string
	Approved string // by whom and when; "" where it waits
	Wants    string // who has to approve it still, where one yes is not enough; "" elsewhere
}

// Agreed is what somebody has agreed to and has not gone yet.
type Agreed struct{ Allow, By, Link, Held string }

const (
	foldsFrom  = 6   // alike: the lines stand behind their count
	listedMost = 600 // lines on a page
	agreedMost = 100
)

// Of shows what a plan holds.
func Of(schemas resource.Schemas, p *planview.Document, names *words.Names,
	approvals []daemon.Approval, now time.Time, zone *time.Location) View {
	v := View{Lasts: hours(lasts(p))}
	v.Agreed, v.MoreAgreed = agreedOf(p, names)
	given := givenOf(p, approvals, now)
	releases := map[string]planview.Release{}
	for _, r := range planview.Releases(p) {
		releases[r.Allow] = r
	}
	listed := 0
	for _, k := range kindsOf(schemas, p, releases) {
		one := Kind{Says: k.says}
		if len(k.asks) > 1 {
			one.All, one.Count, one.Money = k.digest(), planview.Thousands(len(k.asks)), k.money(p)
			one.Folded = len(k.asks) >= foldsFrom
		}
		for _, a := range k.asks {
			approved, wants := given[a.Item], p.Eyes[a.Item]
			if approved != nil && wants == nil {
				one.Done++
			}
			if listed == listedMost {
				one.More++
				continue
			}
			each := releaseOf(releases[a.Allow], a, names, approved, zone)
			if each.At = listed; wants != nil {
				each.Wants, each.Approved = shown.Reason(words.Upper(wants.Says())), ""
			}
			one.Each = append(one.Each, each)
			listed++
		}
		one.Waits = one.Done < len(k.asks)
		if len(one.Each) == 0 && one.All == "" {
			v.Unlisted++
			continue
		}
		v.Kinds = append(v.Kinds, one)
	}
	return v
}

func releaseOf(r planview.Release, a *plan.Ask, names *words.Names, approved *daemon.Approval,
	zone *time.Location) Release {
	v := Release{Release: r, Item: a.Item,
		Text: shown.Reason(r.Allow), Says: shown.Reason(names.Allowance(r.Allow))}
	if again := planview.AsksAgain(r.Allow); again != "" {
		v.Again = shown.Reason(names.Of(again))
	}
	for i, first := range v.First {
		v.First[i] = words.Upper(names.In(first))
	}
	if approved != nil {
		v.Approved = catalogue.Say("held.approved",
			"who", shown.Name(approved.By), "when", shown.MomentOf(approved.Time, zone).Text)
	}
	return v
}

// givenOf returns the newest approval of each item of this very plan that still counts: one of an earlier plan would
// have released it.
func givenOf(p *planview.Document, approvals []daemon.Approval, now time.Time) map[string]*daemon.Approval {
	given := map[string]*daemon.Approval{}
	for i := range approvals {
		a := &approvals[i]
		at := p.Approvals
		if at != nil && (a.Lineage != at.Lineage || a.Serial != at.Serial) || now.Sub(a.Time) > lasts(p) {
			continue
		}
		for k := range a.Asks {
			given[a.Asks[k].Item] = a
		}
	}
	return given
}

// lasts is how long an approval of a plan is good for.
func lasts(p *planview.Document) time.Duration {
	if p.Approvals == nil {
		return 24 * time.Hour
	}
	return p.Approvals.Lasts
}

func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return catalogue.Say("held.hours", "n", int(d/time.Hour))
	}
	return catalogue.Say("held.minutes", "n", int(d/time.Minute))
}

// agreedOf are what somebody agreed to, each allowance once for each who did, and how many are not shown.
func agreedOf(p *planview.Document, names *words.Names) (all []Agreed, more int) {
	seen := map[[2]string]bool{}
	for _, a := range p.Agreed {
		if key := [2]string{a.Allow, a.By}; seen[key] {
			continue
		} else if seen[key] = true; len(all) == agreedMost {
			more++
			continue
		}
		all = append(all, Agreed{
			Allow: shown.Reason(names.Allowance(a.Allow)), By: shown.Name(a.By), Link: runview.Page(a.Link),
			Held: shown.Reason(words.Upper(names.In(a.Address + ": " + a.Message))),
		})
	}
	return all, more
}

// allowancesMost is how many allowances of an approval are said.
const allowancesMost = 5

// Allowances are what was agreed to, in words.
func Allowances(names *words.Names, texts []string) (all []string) {
	for _, text := range texts[:min(allowancesMost, len(texts))] {
		all = append(all, shown.Reason(names.Allowance(text)))
	}
	if more := len(texts) - allowancesMost; more > 0 {
		all = append(all, catalogue.Say("held.more", "n", planview.Thousands(more)))
	}
	return slices.Clip(all)
}
