package web

import (
	"fmt"
	"strings"
	"testing"
)

// takesOver gives an account a plan that takes over campaigns that are live already.
func (d *fakeDesk) takesOver(name string, campaigns int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := *d.plans[name]
	first := p.Changes[0]
	p.Changes, p.Asks = nil, nil
	for i := range campaigns {
		c := first
		c.Kind, c.Action = "campaign", "adopt"
		c.Address, c.Name = fmt.Sprintf("campaign/c%d", i), fmt.Sprintf("Campaign %d", i)
		p.Changes = append(p.Changes, c)
	}
	d.plans[name] = &p
	for i := range d.accounts {
		if d.accounts[i].Name == name {
			d.accounts[i].Reached = false
		}
	}
}

// Sixty campaigns that are taken over stand behind their count, and the link of one of them leads into it. What is
// searched is found there, too.
func TestWhatIsAlikeStandsBehindItsCount(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), func(*Options) {})
	p.desk.takesOver("shoes", 60)
	p.seen(1280, 800, "light")
	p.visit("/accounts/shoes")
	if high := eval[int](p, `document.getElementById("changes").parentElement.scrollHeight`); high > 1500 {
		t.Errorf("the changes are %d pixels tall; want at most 1500", high)
	}
	text := eval[string](p, `document.body.innerText`)
	for _, want := range []string{"Take over “Campaign 0”, which is already live", "Take over 57 more campaigns"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	const folded = `[...document.querySelectorAll(".alike article")].find(a => a.textContent.includes("“Campaign 42”"))`
	p.visit("/accounts/shoes#" + eval[string](p, folded+".id"))
	p.wait(folded + ".checkVisibility()")
	p.visit("/accounts/shoes")
	eval[bool](p, `((f) => { f.value = "campaign 43"; f.dispatchEvent(new Event("input")); return true })(filter)`)
	p.wait(`document.querySelectorAll(".alike[open] article:not([data-hidden])").length === 1`)
}
