package notify

import (
	"fmt"
	"strings"

	"adsync/internal/review"
)

// TellReviews tells what became of ads in the service's review: each of these once.
func (n *Notifier) TellReviews(ads []review.Line) {
	if len(ads) == 0 {
		return
	}
	n.restored.Do(n.restore)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.posts {
		m := &Message{Time: n.o.Now(), Account: n.account, Page: n.o.Page}
		m.add(reviewed(ads))
		if m = m.about(p.On); m != nil {
			p.add(m)
		}
	}
	n.keep()
}

// reviewed is a section of ads that the review judged.
func reviewed(ads []review.Line) Section {
	var items []Item
	counts := map[review.State]int{}
	for _, l := range ads {
		counts[l.State]++
		text := l.Called() + " is approved now"
		if l.State != review.Approved {
			text = l.Called() + ": " + l.Text()
		}
		items = append(items, Item{Text: text})
	}
	var parts []string
	for _, state := range []review.State{review.Rejected, review.Limited, review.Approved} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	one := section("review of ads: "+strings.Join(parts, ", "), items)
	one.Topic, one.Count = topicReview, len(ads)
	return one
}
