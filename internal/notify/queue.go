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
	sent  sent
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
var undoes = map[Topic][]Topic{
	topicFailed: {topicRecovered}, topicCredentials: {topicRecovered},
	topicSuspended: {topicResumed}, topicRecovered: {topicFailed, topicCredentials}, topicResumed: {topicSuspended},
}

// joined is one message of two: of each topic the newest, and of what was applied a
// digest.
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
		case at >= 0:
			one.Sections[at] = one.Sections[at].after(s)
		case at < 0 && !slices.ContainsFunc(m.Sections, func(o Section) bool {
			return slices.Contains(undoes[o.Topic], s.Topic)
		}):
			one.Sections = append(one.Sections, s)
		}
	}
	one.titled()
	return &one
}

// after is a section in the place of one before it, of the same topic.
func (s Section) after(before Section) Section {
	items := append(s.listed(), before.listed()...)
	s.Of = s.messages() + before.messages()
	switch s.Topic {
	case topicApplied, topicOtherWriter:
	case topicReview:
		return s.eventsAfter(before, "review of ads: %d judged")
	case topicPaused:
		return s.eventsAfter(before, pausesTitle)
	case topicComment:
		return s.eventsAfter(before, "%d comments")
	case topicSpend:
		return s.eventsAfter(before, spendTitle)
	default:
		return s
	}
	s.Items, s.More = items[:min(len(items), itemsShown)], s.More+before.More+max(0, len(items)-itemsShown)
	if s.Topic == topicApplied {
		s.Count += before.Count
		s.Title = fmt.Sprintf("%d applied in %d runs", s.Count, s.Of)
	}
	return s
}

// eventsAfter joins what two messages say of things that happened once each.
func (s Section) eventsAfter(before Section, title string) Section {
	items := append(slices.Clone(s.Items), before.Items...)
	s.Items, s.More = items[:min(len(items), itemsShown)], s.More+before.More+max(0, len(items)-itemsShown)
	s.Count += before.Count
	s.Title = fmt.Sprintf(title, s.Count)
	return s
}

// messages is how many a section stands for.
func (s Section) messages() int { return max(1, s.Of) }

// listed are the items of a section, or the runs of what was applied, the newest first.
func (s Section) listed() []Item {
	if s.messages() > 1 || s.Topic != topicApplied {
		return slices.Clone(s.Items)
	}
	return []Item{{Text: s.Title}}
}

// wait is how long nothing of what waits for a destination may leave; false where
// nothing waits. It is never long, as clocks are set.
func (n *Notifier) wait(p *post) (wait time.Duration, waits bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	wait, waits = n.waitFor(p)
	return min(wait, dozeMost), waits
}

// waitFor is wait, however long that is. mu is held.
func (n *Notifier) waitFor(p *post) (wait time.Duration, waits bool) {
	if p.next == nil {
		return 0, false
	}
	now := n.o.Now()
	for i, s := range p.next.Sections {
		if one := n.leaves(p, s, now).Sub(now); i == 0 || one < wait {
			wait = one
		}
	}
	return wait, true
}

// dozeMost is how long a notifier rests before it looks at the clock again.
const dozeMost = 10 * time.Minute

// leaves is when a section may leave: not in quiet hours, nor after too many of its
// topic. mu is held.
func (n *Notifier) leaves(p *post, s Section, now time.Time) time.Time {
	at := p.sent.leaves(s.Topic, now)
	if s.Topic.urgent() && !s.Again {
		return at
	}
	return p.Quiet.after(at, n.location())
}

// take puts what may leave on its way, nil where that is nothing. The rest waits on.
func (n *Notifier) take(p *post) *Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p.next == nil {
		return nil
	}
	now := n.o.Now()
	p.under, p.next = p.next.parted(func(s Section) bool { return !n.leaves(p, s, now).After(now) })
	return p.under
}

// parted are the sections of a message that go, and those that stay, as a message each;
// nil where there are none.
func (m *Message) parted(goes func(Section) bool) (going, staying *Message) {
	first, second := *m, *m
	first.Sections, second.Sections = nil, nil
	for _, s := range m.Sections {
		part := &second
		if goes(s) {
			part = &first
		}
		part.Sections = append(part.Sections, s)
	}
	switch {
	case len(second.Sections) == 0:
		return m, nil
	case len(first.Sections) == 0:
		return nil, m
	}
	second.ID, second.Missing = rand.Text(), 0
	for _, part := range []*Message{&first, &second} {
		part.Joined = 0
		for _, s := range part.Sections {
			part.Joined = max(part.Joined, s.messages()-1)
		}
		part.titled()
	}
	return &first, &second
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
	n.leave(p)
}

// leave notes that what was on its way has left. mu is held.
func (n *Notifier) leave(p *post) {
	if p.under != nil {
		p.sent.note(p.under.Topics, n.o.Now())
	}
	p.under = nil
	n.keep()
}

// lose gives up what was on its way.
func (n *Notifier) lose(p *post) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p.under != nil {
		p.lost += p.under.Missing + 1
	}
	n.leave(p)
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

// earlier returns what became of messages before this one.
func (m *Message) earlier() (words []string) {
	if m.Joined > 0 {
		words = append(words, fmt.Sprintf("one message in the place of %d: what is still so of them", m.Joined+1))
	}
	if m.Missing > 0 {
		words = append(words, fmt.Sprintf("%d messages before this one could not be delivered", m.Missing))
	}
	return words
}
