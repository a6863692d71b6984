package plan

import "adsync/internal/resource"

// Base is what a plan would be without the latest change of the files, such as
// those of a pull request.
type Base struct {
	Revision  string   `json:"revision"`  // as it was asked for: origin/main
	Commit    string   `json:"commit"`    // 40 hexadecimal digits
	Whole     bool     `json:"whole"`     // its files have no errors; otherwise nothing counts as pending
	Money     Money    `json:"money"`     // what the plan without the change does to possible spend
	Withdrawn []string `json:"withdrawn"` // addresses it would have changed, and this plan does not
}

// Since says of every change and field whether the plan of other files, made
// from the same account, has it too: it is pending, and no consequence of what
// changed in the files. A nil plan has nothing.
func (p *Plan) Since(base Base, before *Plan) {
	p.Base = &base
	p.Base.Withdrawn = []string{}
	if before == nil {
		return
	}
	p.Base.Whole, p.Base.Money = true, *before.Document().Money
	pending := map[resource.Address]*Change{}
	for i := range before.Changes {
		pending[before.Changes[i].Address] = &before.Changes[i]
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		was := pending[c.Address]
		delete(pending, c.Address)
		c.Pending = was != nil && c.markPending(was)
	}
	for i := range before.Changes {
		if a := before.Changes[i].Address; pending[a] != nil {
			p.Base.Withdrawn = append(p.Base.Withdrawn, a.String())
		}
	}
}

// markPending marks the fields both have, and says whether the changes are one.
func (c *Change) markPending(was *Change) bool {
	same := c.Action == was.Action && (c.Held == nil) == (was.Held == nil) && len(c.Fields) == len(was.Fields)
	for i := range c.Fields {
		f := &c.Fields[i]
		for j := range was.Fields {
			if g := &was.Fields[j]; f.Name == g.Name && f.Desired.Equal(g.Desired) && c.Action == was.Action {
				f.Pending = true
				same = same && (f.Held == nil) == (g.Held == nil)
			}
		}
		same = same && f.Pending
	}
	return same
}
