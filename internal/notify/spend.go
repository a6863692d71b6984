package notify

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/figures/overspend"
)

// spendTitle is what several of them come to.
const spendTitle = "%d spent more than is allowed"

// TellPassed tells of measured spend that passed what is allowed: each of these once.
func (n *Notifier) TellPassed(all []overspend.Passing) {
	if len(all) == 0 {
		return
	}
	n.restored.Do(n.restore)
	n.mu.Lock()
	defer n.mu.Unlock()
	var items []Item
	for i := range all {
		items = append(items, Item{Text: diag.Printable(all[i].Text(n.location()))})
	}
	one := section(diag.Printable(all[0].Title()), items)
	if len(all) > 1 {
		one = section(fmt.Sprintf(spendTitle, len(all)), items)
	}
	one.Topic, one.Count = topicSpend, len(all)
	for _, p := range n.posts {
		m := &Message{Time: n.o.Now(), Account: n.account, Page: n.o.Page}
		m.add(one)
		if m = m.about(p.On); m != nil {
			p.add(m)
		}
	}
	n.keep()
}
