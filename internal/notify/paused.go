package notify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/planview"
)

// toldPause is a pause that stood, as far as people were told of it.
type toldPause struct {
	orders.Pause
	Called string `json:"called"`           // what it pauses
	Failed bool   `json:"failed,omitempty"` // that it is not carried out yet
	Done   bool   `json:"done,omitempty"`   // that it is
	// the last order to go on that was not carried out whole, as they were told; zero where none was
	Stays time.Time `json:"refused,omitzero"`
}

// pausesTitle is what several of them come to.
const pausesTitle = "%d orders to pause or to go on"

// TellPauses tells what became of pauses, as they stand after a run: each of these once. Failure is why the run did not
// get as far as to carry one out, "" where it did. Ordered has the orders of people, the oldest first; it is asked only
// where one to go on was carried out or refused.
func (n *Notifier) TellPauses(standing []daemon.StandingPause, failure string,
	ordered func() ([]daemon.Ordered, error)) {
	n.restored.Do(n.restore)
	n.mu.Lock()
	defer n.mu.Unlock()
	told := map[string]toldPause{}
	var said []Section
	for i := range standing {
		p := &standing[i]
		now, sections := n.pauses[p.ID].next(p, failure, ordered)
		told[p.ID], said = now, append(said, sections...)
	}
	for _, id := range slices.Sorted(maps.Keys(n.pauses)) {
		if _, stands := told[id]; !stands {
			said = append(said, n.pauses[id].ended(ordered))
		}
	}
	if maps.Equal(told, n.pauses) {
		return
	}
	n.pauses = told
	for _, p := range n.posts {
		m := &Message{Time: n.o.Now(), Account: n.account, Page: n.o.Page}
		for _, s := range said {
			if len(m.Sections) > 0 {
				m.Sections[0] = s.eventsAfter(m.Sections[0], pausesTitle)
				continue
			}
			m.add(s)
		}
		if m = m.about(p.On); m != nil {
			p.add(m)
		}
	}
	n.keep()
}

// next is what people know of a pause from now on, and what they are told.
func (t toldPause) next(p *daemon.StandingPause, failure string,
	ordered func() ([]daemon.Ordered, error)) (now toldPause, said []Section) {
	t.Pause, t.Called = p.Pause, brief(p.What())
	if t.Called == p.Resource && len(p.All) == 1 { // its name was not known as the pause was ordered
		t.Called = brief(p.All[0].Name)
	}
	switch why := cmp.Or(p.Said, failure); {
	case p.Settled && !t.Done:
		t.Done, t.Failed = true, false
		said = append(said, pauseSection(t.Called+" is paused", carriedOut(&p.Paused)+"; "+saidOf(p.Pause)))
	case !p.Settled && !t.Failed && !t.Done && why != "":
		t.Failed = true
		said = append(said, pauseSection(t.Called+" is not paused yet", brief(why)+"; "+saidOf(p.Pause)))
	}
	if !p.Settled || p.Said == "" || p.GoOn != nil { // or it is ordered anew: what becomes of that is told
		return t, said
	}
	if at, by := goOnOf(p.Pause, ordered); t.Stays.IsZero() || at.After(t.Stays) {
		t.Stays = at
		if at.IsZero() {
			t.Stays = p.Since
		}
		why := strings.TrimSuffix(brief(p.Said)+"; "+by, "; ")
		said = append(said, pauseSection(t.Called+" does not go on", why))
	}
	return t, said
}

// carriedOut says when a pause was carried out, and what it stopped.
func carriedOut(p *orders.Paused) string {
	text := "carried out at the service on " + p.At.UTC().Format("2006-01-02 15:04 MST")
	if len(p.All) == 0 {
		return text + "; nothing of it delivered"
	}
	amount := func(micros int64) string { return planview.Amount(micros) + " " + diag.Printable(p.Could.Currency) }
	if p.Could.Day > 0 {
		text += fmt.Sprintf("; it could spend %s a day", amount(p.Could.Day))
	}
	if p.Could.Lifetime > 0 {
		text += fmt.Sprintf("; it had lifetime budgets of %s, less what was spent of them", amount(p.Could.Lifetime))
	}
	if len(p.All) > 1 {
		text += fmt.Sprintf("; %d in all", len(p.All))
	}
	return text
}

// ended says that a pause stands no more.
func (t toldPause) ended(ordered func() ([]daemon.Ordered, error)) Section {
	if _, by := goOnOf(t.Pause, ordered); by != "" {
		return pauseSection(t.Called+" goes on", by+"; it was "+saidOf(t.Pause))
	}
	return pauseSection(t.Called+" is not paused any more", "nothing is left of what was "+saidOf(t.Pause))
}

// goOnOf says who ordered last to go on with what a pause has paused, when, and why; "" where nobody did.
func goOnOf(p orders.Pause, ordered func() ([]daemon.Ordered, error)) (at time.Time, says string) {
	all, err := ordered()
	if err != nil {
		return at, "" // what became of it is told all the same
	}
	for _, o := range slices.Backward(all) {
		if o.Order != orders.GoingOn || o.Of != p.Name || o.Time.Before(p.Since) {
			continue
		}
		text := "ordered"
		if o.By != "" {
			text += " by " + o.By
		}
		text += " on " + o.Time.UTC().Format("2006-01-02 15:04 MST")
		if o.Reason != "" {
			text += ": " + brief(o.Reason)
		}
		return o.Time, text
	}
	return at, ""
}

// saidOf is who ordered a pause, and why.
func saidOf(p orders.Pause) string {
	p.Reason = brief(p.Reason)
	return p.String()
}

// briefLength is how long a part is at most of what people wrote, so that none pushes another out.
const briefLength = 100

func brief(text string) string {
	if runes := []rune(text); len(runes) > briefLength {
		return string(runes[:briefLength-1]) + "…"
	}
	return text
}

func pauseSection(title, text string) Section {
	one := section(diag.Printable(title), []Item{{Text: diag.Printable(text)}})
	one.Topic, one.Count = topicPaused, 1
	return one
}
