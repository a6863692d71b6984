package notify

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"time"
)

// post is a destination with what waits for it.
type post struct {
	Destination
	known memory
	under *Message      // on its way
	next  *Message      // the news since, as one message; nil where there is none
	bell  chan struct{} // rings when next is another
	lost  int           // messages that never arrived, since the last that said so
	sent  []time.Time   // within the last hour
}

// add takes news in.
func (p *post) add(m *Message) {
	m.Missing, p.lost = p.lost, 0
	p.next = joined(p.next, m)
	select {
	case p.bell <- struct{}{}:
	default:
	}
}

// undoes are the topics that end with another.
var undoes = map[Topic][]Topic{Failed: {Recovered}, Credentials: {Recovered}, Suspended: {Resumed}, Recovered: {Failed, Credentials}, Resumed: {Suspended}}

// joined is one message of two: of each topic the newest.
func joined(before, m *Message) *Message {
	if before == nil || m == nil {
		if m == nil {
			return before
		}
		return m
	}
	one := *m
	one.ID = rand.Text()
	one.Joined, one.Missing = before.Joined+m.Joined+1, before.Missing+m.Missing
	if len(one.Money) == 0 {
		one.Money = before.Money
	}
	one.Run, one.Commit = cmp.Or(one.Run, before.Run), cmp.Or(one.Commit, before.Commit)
	one.Sections = slices.Clone(m.Sections)
	for _, s := range before.Sections {
		at := slices.IndexFunc(one.Sections, func(o Section) bool { return o.Topic == s.Topic })
		switch {
		case at >= 0 && s.Topic == Applied:
			one.Sections[at] = one.Sections[at].after(s)
		case at < 0 && !slices.ContainsFunc(m.Sections, func(o Section) bool { return slices.Contains(undoes[o.Topic], s.Topic) }):
			one.Sections = append(one.Sections, s)
		}
	}
	one.titled()
	return &one
}

// after is what was applied, with what was applied before.
func (s Section) after(before Section) Section {
	items := append([]Item{{Text: "before: " + before.Title}}, before.Items...)
	s.Items, s.More = items[:min(len(items), itemsShown)], before.More+max(0, len(items)-itemsShown)
	return s
}

// full is how long a destination is not told more, as it was told much within the
// hour.
func (n *Notifier) full(p *post) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(p.sent) > 0 && time.Since(p.sent[0]) >= time.Hour {
		p.sent = p.sent[1:]
	}
	if len(p.sent) < perHour {
		return 0
	}
	return time.Hour - time.Since(p.sent[0])
}

func (n *Notifier) waits(p *post) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return p.next != nil
}

// take puts what waits on its way; nil where nothing does.
func (n *Notifier) take(p *post) *Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	p.under, p.next = p.next, nil
	return p.under
}

// back has what did not arrive wait again, with what came meanwhile, as far as it
// still stands.
func (n *Notifier) back(p *post) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p.next, p.under = p.known.standing(joined(p.under, p.next)), nil
}

// done notes that what was on its way arrived.
func (n *Notifier) done(p *post) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p.under, p.sent = nil, append(p.sent, time.Now())
	n.keep()
}

// lose gives up what was on its way.
func (n *Notifier) lose(p *post) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p.under != nil {
		p.lost += p.under.Missing + 1
	}
	p.under, p.sent = nil, append(p.sent, time.Now())
	n.keep()
}

// standing is a message without what has ended since; nil where that was all.
func (k *memory) standing(m *Message) *Message {
	if m == nil {
		return nil
	}
	ended := func(s Section) bool { return slices.Contains(lastingTopics, s.Topic) && k.lasts[s.Topic].mark == "" }
	if !slices.ContainsFunc(m.Sections, ended) {
		return m
	}
	one := *m
	one.Sections = slices.DeleteFunc(slices.Clone(m.Sections), ended)
	if len(one.Sections) == 0 {
		return nil
	}
	one.titled()
	return &one
}

// earlier says what became of messages before this one.
func (m *Message) earlier() (words []string) {
	if m.Joined > 0 {
		words = append(words, fmt.Sprintf("with what is still so of %d messages that could not be delivered before", m.Joined))
	}
	if m.Missing > 0 {
		words = append(words, fmt.Sprintf("%d messages before this one could not be delivered", m.Missing))
	}
	return words
}
