package notify

import (
	"fmt"
	"slices"
)

// Said is what somebody said of a change or of a run, and whom it concerns beside who watches the account.
type Said struct {
	By, Of, Text string
	Concerns     []string // people, by their names
}

// TellComments tells who watches the account what people said, each time once; whom it concerns of that alone; and
// nobody what they said themselves.
func (n *Notifier) TellComments(all []Said) {
	if len(all) == 0 {
		return
	}
	n.restored.Do(n.restore)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.posts {
		var items []Item
		for _, s := range all {
			heard := slices.Contains(p.On, topicComment) ||
				p.Person != "" && slices.Contains(s.Concerns, p.Person)
			if heard && (p.Person == "" || p.Person != s.By) {
				items = append(items, Item{Text: s.By + " on " + s.Of + ": " + s.Text})
			}
		}
		if len(items) == 0 {
			continue
		}
		one := section(commented(len(items)), items)
		one.Topic, one.Count = topicComment, len(items)
		m := &Message{Time: n.o.Now(), Account: n.account, Page: n.o.Page}
		m.add(one)
		p.add(m.about([]Topic{topicComment}))
	}
	n.keep()
}

func commented(n int) string {
	if n == 1 {
		return "somebody commented"
	}
	return fmt.Sprintf("%d comments", n)
}
