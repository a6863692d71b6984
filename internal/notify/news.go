package notify

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
)

// Message is what is told at once: the news of one run.
type Message struct {
	ID       string
	Time     time.Time
	Account  string
	Title    string
	Topics   []Topic
	Money    []string
	Sections []Section
	Page     string
	Run      string
	Commit   string
	Missing  int // messages that were dropped before this one
}

// Section is what a message says of one topic.
type Section struct {
	Topic Topic  `json:"topic"`
	Title string `json:"title"`
	Items []Item `json:"items,omitempty"`
	More  int    `json:"more,omitempty"` // items that are left out
	Again bool   `json:"again,omitempty"`
}

// How many items of a section are named, and how long each may be.
const (
	itemsShown = 10
	longest    = 300
)

// transientAfter is how many attempts fail before somebody is told: most such
// failures pass.
const transientAfter = 3

// memory is what was told of what lasts: what it was, and when.
type memory struct {
	lasts map[Topic]lasting
	run   string
}

type lasting struct {
	mark string // a hash of what it is; "" where it does not last
	told time.Time
}

func (k *memory) clone() memory { return memory{maps.Clone(k.lasts), k.run} }

func (k *memory) same(other memory) bool {
	return k.run == other.run && maps.Equal(k.lasts, other.lasts)
}

// news is the message of a situation, nil where nothing changed that is asked for.
func (k *memory) news(s Situation, on []Topic, remind time.Duration) *Message {
	if k.lasts == nil {
		k.lasts = map[Topic]lasting{}
	}
	ailing := k.lasts[Failed].mark != "" || k.lasts[Credentials].mark != ""
	m := &Message{Time: s.Time, Money: s.Money, Run: s.Run, Commit: s.Commit}
	if failing, known := failing(s); known {
		k.lasting(m, s, remind, Credentials, failing[Credentials])
		k.lasting(m, s, remind, Failed, failing[Failed])
		if ailing && k.lasts[Failed].mark == "" && k.lasts[Credentials].mark == "" {
			m.add(Section{Topic: Recovered, Title: "works again"})
		}
	}
	if s.Planned || len(s.Held) > 0 {
		k.lasting(m, s, remind, Held, counted(s.Held, "held"))
	}
	if s.Planned {
		k.lasting(m, s, remind, Drift, counted(s.Drift, "changed at the service"))
	}
	k.suspension(m, s, remind)
	if s.Applied > 0 && s.Run != k.run {
		k.run = s.Run
		m.add(Section{Topic: Applied, Title: fmt.Sprintf("%d applied (%s)", s.Applied, s.Run)})
	}
	return m.about(on)
}

// lasting tells of something that lasts: as it comes, as it changes, and again
// after a while.
func (k *memory) lasting(m *Message, s Situation, remind time.Duration, topic Topic, one Section) {
	before := k.lasts[topic]
	mark := one.mark()
	switch {
	case mark == "":
		k.lasts[topic] = lasting{}
		return
	case mark != before.mark:
	case s.Time.Sub(before.told) >= remind:
		one.Again = true
	default:
		return
	}
	k.lasts[topic] = lasting{mark, s.Time}
	one.Topic = topic
	m.add(one)
}

// suspension tells of what somebody ordered.
func (k *memory) suspension(m *Message, s Situation, remind time.Duration) {
	stood := k.lasts[Suspended].mark != ""
	one := Section{}
	if s.Suspended != nil {
		one.Title = s.Suspended.String()
	}
	k.lasting(m, s, remind, Suspended, one)
	if stood && s.Suspended == nil {
		m.add(Section{Topic: Resumed, Title: "goes on: what stopped it was lifted"})
	}
}

// failing says what keeps an account from being equal to its files. A run that did
// not get so far says nothing of it.
func failing(s Situation) (all map[Topic]Section, known bool) {
	all = map[Topic]Section{}
	title := string(s.Class)
	if s.Message != "" {
		title = s.Message
	}
	switch s.Class {
	case daemon.InSync, daemon.Applied, daemon.Held:
	case daemon.Partial, daemon.Undecided:
		all[Failed] = section(title, s.Failed)
	case daemon.Input, daemon.Misplaced, daemon.Internal:
		all[Failed] = Section{Title: title}
	case daemon.Credentials:
		all[Credentials] = Section{Title: title}
	case daemon.Transient:
		if s.Failures < transientAfter {
			return nil, false
		}
		all[Failed] = Section{Title: "fails again and again: " + title}
	default:
		return nil, false
	}
	return all, true
}

// counted is a section of so many items, nothing where there are none.
func counted(items []Item, words string) Section {
	if len(items) == 0 {
		return Section{}
	}
	return section(fmt.Sprintf("%d %s", len(items), words), items)
}

// section names the first of its items.
func section(title string, items []Item) Section {
	one := Section{Title: title, More: max(0, len(items)-itemsShown)}
	for _, item := range items[:min(len(items), itemsShown)] {
		one.Items = append(one.Items, Item{short(item.Text), item.Command})
	}
	return one
}

func short(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}

// mark is a hash of what a section says, "" where it says nothing.
func (s Section) mark() string {
	if s.Title == "" {
		return ""
	}
	text := s.Title
	for _, item := range s.Items {
		text += "\x00" + item.Text + "\x00" + item.Command
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (m *Message) add(s Section) { m.Sections = append(m.Sections, s) }

// about leaves the topics that are asked for; nil where that is nothing.
func (m *Message) about(on []Topic) *Message {
	m.Sections = slices.DeleteFunc(m.Sections, func(s Section) bool { return !slices.Contains(on, s.Topic) })
	if len(m.Sections) == 0 {
		return nil
	}
	order := Topics()
	slices.SortStableFunc(m.Sections, func(a, b Section) int { return slices.Index(order, a.Topic) - slices.Index(order, b.Topic) })
	titles := make([]string, len(m.Sections))
	for i, s := range m.Sections {
		m.Topics = append(m.Topics, s.Topic)
		titles[i] = s.Title
		if s.Again {
			titles[i] = "still " + s.Title
		}
	}
	m.Title = short(strings.Join(titles, "; "))
	m.ID = rand.Text()
	return m
}
