package held

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/sentence"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// kind is what a plan asks for and is alike: the hazard, and what the sentence of each says beside names and values.
type kind struct {
	says    string
	asks    []*plan.Ask
	changes []*plan.ChangeDocument // of each ask; nil of an ask that is of many addresses
	schemas resource.Schemas
}

// kindsOf puts together what is alike, in the order of what comes first. Of what nobody can agree to here each is
// alone.
func kindsOf(schemas resource.Schemas, p *planview.Document, releases map[string]planview.Release) []*kind {
	tells := sentence.Teller{Schemas: schemas, Names: words.NamesOf(schemas, nil)}
	changes := make(map[string]*plan.ChangeDocument, len(p.Changes))
	for i := range p.Changes {
		changes[p.Changes[i].Address] = &p.Changes[i]
	}
	var all []*kind
	alike := map[string]*kind{}
	asked := map[string]bool{}
	for i := range p.Asks {
		a := &p.Asks[i]
		if _, waits := releases[a.Allow]; !waits {
			continue
		}
		asked[a.Allow] = true
		c, exact := changeOf(changes, a)
		k := &kind{schemas: schemas}
		if c != nil {
			form := fmt.Sprintf("%s %v %s", a.Hazard, exact, tells.Alike("", c, fieldsOf(a)))
			if alike[form] == nil {
				alike[form], all = k, append(all, k)
			}
			k = alike[form]
		} else {
			all = append(all, k)
		}
		k.asks, k.changes = append(k.asks, a), append(k.changes, c)
	}
	for allow := range releases {
		if !asked[allow] {
			all = append(all, &kind{asks: []*plan.Ask{{Allow: allow}}, changes: []*plan.ChangeDocument{nil}})
		}
	}
	slices.SortStableFunc(all, func(a, b *kind) int { return strings.Compare(a.asks[0].Allow, b.asks[0].Allow) })
	for _, k := range all {
		if len(k.asks) > 1 {
			k.says = k.words(&tells)
		}
	}
	return all
}

// changeOf returns the change that an ask is of, and whether it is to one amount alone; nil where it is of more.
func changeOf(changes map[string]*plan.ChangeDocument, a *plan.Ask) (c *plan.ChangeDocument, exact bool) {
	allowance, err := plan.ParseAllowance(a.Allow)
	if err != nil || allowance.Address.IsZero() {
		return nil, false
	}
	return changes[allowance.Address.String()], allowance.HasAmount
}

// fieldsOf are the fields that an ask is of; nil where it is of a change as a whole.
func fieldsOf(a *plan.Ask) (fields []string) {
	for i := range a.Parts {
		if a.Parts[i].Field == "" {
			return nil
		}
		fields = append(fields, a.Parts[i].Field)
	}
	return fields
}

// words say what all of a kind agree to.
func (k *kind) words(tells *sentence.Teller) string {
	says := words.Upper(words.Because(k.asks[0].Hazard)) + ": " +
		words.Lower(tells.Alike(planview.Thousands(len(k.asks)), k.changes[0], fieldsOf(k.asks[0])))
	if _, exact := changeOf(map[string]*plan.ChangeDocument{}, k.asks[0]); exact {
		return catalogue.Say("held.amounts", "what", says)
	}
	return says
}

// digest names all of a kind, as they are.
func (k *kind) digest() string {
	items := []string{"kind"}
	for _, a := range k.asks {
		items = append(items, a.Item)
	}
	return plan.DigestOfTexts(items...)
}

// money says what agreeing to all of a kind allows: what becomes of the budgets that it is about, all together, and
// the most that a bid becomes.
func (k *kind) money(p *planview.Document) (said []string) {
	sums := map[string]*summed{}
	for i, a := range k.asks {
		c := k.changes[i]
		schema := k.schemas.Of(c.Kind)
		if schema == nil {
			return nil
		}
		fields := fieldsOf(a)
		for n := range c.Fields {
			f := &c.Fields[n]
			about, known := schema.Attribute(f.Name)
			if !known || about.Spend != resource.Amount || fields != nil && !slices.Contains(fields, f.Name) {
				continue
			}
			if sums[f.Name] == nil {
				sums[f.Name] = &summed{label: words.Label(schema, f.Name), together: about.Per != ""}
			}
			sums[f.Name].add(f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		said = append(said, sums[name].words(p.Account.Currency))
	}
	if total := k.total(); total > 0 {
		said = append(said, catalogue.Say("held.total", "amount", money(total, p.Account.Currency)))
	}
	return said
}

// total is by how much more could be spent with all of a kind than the files ask for.
func (k *kind) total() (micros int64) {
	for _, a := range k.asks {
		if a.Hazard == plan.ExceedsFiles {
			micros = plan.Plus(micros, a.Total)
		}
	}
	return micros
}

// summed is one attribute over many changes.
type summed struct {
	label               string
	together            bool // budgets add up, bids do not
	before, after, most int64
	uncapped            int // of which nothing caps any more
}

func (s *summed) add(f *plan.FieldDocument) {
	before, after := int64(0), int64(0)
	if f.Live != nil {
		before, _ = f.Live.Number()
	}
	set := false
	if f.Desired != nil {
		after, set = f.Desired.Number()
	}
	if !set {
		s.uncapped++
	}
	s.before, s.after, s.most = plan.Plus(s.before, before), plan.Plus(s.after, after), max(s.most, after)
}

func (s *summed) words(currency string) string {
	said := catalogue.Say("held.most", "field", s.label, "amount", money(s.most, currency))
	if s.together {
		said = catalogue.Say("held.sum", "field", s.label,
			"before", planview.Amount(s.before), "after", money(s.after, currency))
	}
	if s.uncapped > 0 {
		said = catalogue.Say("held.uncapped", "amounts", said, "n", planview.Thousands(s.uncapped))
	}
	return said
}

func money(micros int64, currency string) string {
	return strings.TrimSpace(planview.Amount(micros) + " " + currency)
}

// Resolve returns the items of the kinds that are named, as the plan has them; false where it has no such kind by now.
func Resolve(schemas resource.Schemas, p *planview.Document, named []string) (items []string, found bool) {
	if len(named) == 0 {
		return nil, true
	}
	releases := map[string]planview.Release{}
	for _, r := range planview.Releases(p) {
		releases[r.Allow] = r
	}
	kinds := map[string]*kind{}
	for _, k := range kindsOf(schemas, p, releases) {
		if len(k.asks) > 1 {
			kinds[k.digest()] = k
		}
	}
	for _, digest := range named {
		if kinds[digest] == nil {
			return nil, false
		}
		for _, a := range kinds[digest].asks {
			items = append(items, a.Item)
		}
	}
	return items, true
}
