package notify

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/words"
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
	Missing  int // messages before this one that never arrived
	Joined   int // messages before this one in whose place it stands, with what is still so of them

	Reached map[int]bool `json:",omitempty"` // which mailboxes have it, of a mail to several
	Report  *Report      `json:"-"`          // nil: none
}

// Section is what a message says of one topic.
type Section struct {
	Topic Topic  `json:"topic"`
	Title string `json:"title"`
	Items []Item `json:"items,omitempty"`
	More  int    `json:"more,omitempty"` // items that are left out
	Again bool   `json:"again,omitempty"`
	Of    int    `json:"of,omitempty"`    // messages of this topic that it stands for, where it is more than its own
	Count int    `json:"count,omitempty"` // of what was applied: changes
}

// How many items of a section are named, and how long each may be.
const (
	itemsShown = 10
	longest    = 300
)

// How many attempts fail before somebody is told: most such failures pass. Ten that
// meet a lock are a quarter of an hour.
const (
	transientAfter = 3
	lockedAfter    = 10
)

// lastingTopics are those that stand until they end, and are told again meanwhile.
var lastingTopics = []Topic{topicCredentials, topicFailed, topicHeld, topicSuspended, topicDrift}

// memory is what was told of what lasts: what it was, and when.
type memory struct {
	lasts map[Topic]lasting
	run   string   // the last that was told of
	money []string // of the last plan
}

type lasting struct {
	mark string // what it is, in whatever words; "" where it does not last
	told time.Time
	said Section
}

func (k *memory) clone() memory { return memory{maps.Clone(k.lasts), k.run, k.money} }

func (k *memory) same(other memory) bool {
	return k.run == other.run && maps.EqualFunc(k.lasts, other.lasts, func(a, b lasting) bool {
		return a.mark == b.mark && a.told.Equal(b.told)
	})
}

// news is the message of a situation, nil where nothing changed that is asked for.
func (k *memory) news(s Situation, on []Topic, remind time.Duration) *Message {
	if k.lasts == nil {
		k.lasts = map[Topic]lasting{}
	}
	if s.Planned {
		k.money = s.Money
	}
	fresh := s.Run != "" && s.Run != k.run
	if fresh {
		k.run = s.Run
	}
	m := &Message{Time: s.Time, Money: s.Money, Run: s.Run, Commit: s.Commit}
	k.troubles(m, s, remind, fresh)
	if s.Planned || len(s.Held) > 0 {
		one := counted(s.Held, "waiting for approval")
		k.lasting(m, s, remind, topicHeld, one, marked("held", one.Title, s.Held))
	} else {
		k.again(m, s, remind, topicHeld)
	}
	if s.Planned {
		one := counted(s.Drift, words.Outside.Words())
		k.lasting(m, s, remind, topicDrift, one, marked("drift", one.Title, s.Drift))
	} else {
		k.again(m, s, remind, topicDrift)
	}
	k.suspension(m, s, remind)
	if len(s.Writers) > 0 {
		one := section("somebody else writes to this account", s.Writers)
		one.Topic = topicOtherWriter
		m.add(one)
	}
	if s.Applied > 0 && fresh {
		m.add(Section{Topic: topicApplied, Title: fmt.Sprintf("%d applied (%s)", s.Applied, s.Run), Count: s.Applied})
	}
	return m.about(on)
}

// troubles tells of what keeps an account from being equal to its files, and of its
// end.
func (k *memory) troubles(m *Message, s Situation, remind time.Duration, fresh bool) {
	t, known := troubleOf(s)
	if known && t.vague && kindOf(k.lasts[t.topic].mark) == kindOf(t.mark) {
		known = false // nothing new was seen of it
	}
	if !known {
		k.again(m, s, remind, topicCredentials)
		k.again(m, s, remind, topicFailed)
		return
	}
	if t.said.Title == "" {
		t = trouble{}
	}
	// what a run was refused is told, though it was refused before
	if fresh && s.Class != daemon.Held && len(t.said.Items) > 0 {
		k.lasts[t.topic] = lasting{}
	}
	ailing := k.lasts[topicFailed].mark != "" || k.lasts[topicCredentials].mark != ""
	for _, topic := range []Topic{topicCredentials, topicFailed} {
		one := trouble{}
		if t.topic == topic {
			one = t
		}
		k.lasting(m, s, remind, topic, one.said, one.mark)
	}
	if ailing && t.mark == "" {
		m.add(Section{Topic: topicRecovered, Title: "works again"})
	}
}

// lasting tells of something that lasts: as it comes, as it changes, and again
// after a while.
func (k *memory) lasting(m *Message, s Situation, remind time.Duration, topic Topic, one Section, mark string) {
	before := k.lasts[topic]
	one.Topic = topic
	switch {
	case mark == "":
		k.lasts[topic] = lasting{}
		return
	case mark != before.mark:
	case before.due(s.Time, remind):
		one.Again = true
	default:
		return
	}
	k.lasts[topic] = lasting{mark, s.Time, one}
	m.add(one)
}

// again reminds of something that lasts and of which a run saw nothing new.
func (k *memory) again(m *Message, s Situation, remind time.Duration, topic Topic) {
	l := k.lasts[topic]
	if l.mark == "" || l.said.Title == "" || !l.due(s.Time, remind) {
		return
	}
	if len(m.Money) == 0 {
		m.Money = k.money
	}
	k.lasting(m, s, remind, topic, l.said, l.mark)
}

// due reports whether it is time to tell of it again: also where the clock was put back.
func (l lasting) due(now time.Time, remind time.Duration) bool {
	age := now.Sub(l.told)
	return age < 0 || age >= remind
}

// suspension tells of what somebody ordered.
func (k *memory) suspension(m *Message, s Situation, remind time.Duration) {
	stood := k.lasts[topicSuspended].mark != ""
	one := Section{}
	if s.Suspended != nil {
		one.Title = s.Suspended.String()
	}
	k.lasting(m, s, remind, topicSuspended, one, marked("suspended", one.Title, nil))
	if stood && s.Suspended == nil {
		m.add(Section{Topic: topicResumed, Title: "goes on: what stopped it was lifted"})
	}
}

// trouble is what keeps an account from being equal to its files.
type trouble struct {
	topic Topic
	said  Section
	mark  string // what it is. Words that are others each time, such as the id of a request, are not in it
	vague bool   // the run did not look at it anew: what was told of it stands
}

// refusedKind is what was refused, by an apply or in the plans after it.
const refusedKind = "refused"

// troubleOf returns what is wrong. A run that did not get so far says nothing of it.
func troubleOf(s Situation) (t trouble, known bool) {
	title := string(s.Class)
	if s.Message != "" {
		title = s.Message
	}
	refused := func(title string) trouble {
		return trouble{
			topic: topicFailed, said: section(title, s.Failed), mark: marked(refusedKind, refusedKind, s.Failed),
		}
	}
	switch s.Class {
	case daemon.InSync, daemon.Applied:
		return trouble{}, true
	case daemon.Held:
		t = trouble{topic: topicFailed, mark: refusedKind + ":", vague: !s.Planned}
		if len(s.Failed) > 0 {
			t = refused(fmt.Sprintf("%d refused by the service", len(s.Failed)))
		}
	case daemon.Partial:
		t = refused(title)
		t.vague = len(s.Failed) == 0
	case daemon.Undecided:
		t = trouble{
			topic: topicFailed, said: section(title, s.Failed),
			mark: marked("undecided", "undecided", s.Failed), vague: len(s.Failed) == 0,
		}
	case daemon.Input, daemon.Misplaced:
		t = trouble{topic: topicFailed, said: Section{Title: title}, mark: marked(string(s.Class), title, nil)}
	case daemon.Internal:
		t = trouble{topic: topicFailed, said: Section{Title: title}, mark: "internal:"}
	case daemon.Credentials:
		t = trouble{topic: topicCredentials, said: Section{Title: title}, mark: "credentials:"}
	case daemon.Transient:
		if s.Failures < transientAfter {
			return t, false
		}
		t = trouble{topic: topicFailed, said: Section{Title: "fails again and again: " + title}, mark: "transient:"}
	case daemon.Locked:
		if s.Failures < lockedAfter {
			return t, false
		}
		t = trouble{topic: topicFailed, said: Section{Title: "does not get its turn: " + title}, mark: "locked:"}
	default:
		return t, false
	}
	return t, true
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
		item.Text = short(item.Text)
		one.Items = append(one.Items, item)
	}
	return one
}

func short(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}

// marked is the mark of a section: its kind, and a hash of its title and of all its
// items; "" where it says nothing.
func marked(kind, title string, items []Item) string {
	if title == "" {
		return ""
	}
	var texts []string
	for _, item := range items {
		texts = append(texts, cmp.Or(item.At, item.Text+"\x00"+item.Command))
	}
	slices.Sort(texts)
	sum := sha256.Sum256([]byte(title + "\x00" + strings.Join(texts, "\x00")))
	return kind + ":" + hex.EncodeToString(sum[:])
}

// kindOf is the kind a mark is of.
func kindOf(mark string) string {
	kind, _, _ := strings.Cut(mark, ":")
	return kind
}

func (m *Message) add(s Section) {
	s.Title = short(s.Title)
	m.Sections = append(m.Sections, s)
}

// about leaves the topics that are asked for; nil where that is nothing.
func (m *Message) about(on []Topic) *Message {
	m.Sections = slices.DeleteFunc(m.Sections, func(s Section) bool { return !slices.Contains(on, s.Topic) })
	if len(m.Sections) == 0 {
		return nil
	}
	m.titled()
	m.ID = rand.Text()
	return m
}

// titled puts the sections in order, and says in one line what they are.
func (m *Message) titled() {
	order := Topics()
	slices.SortStableFunc(m.Sections, func(a, b Section) int {
		return slices.Index(order, a.Topic) - slices.Index(order, b.Topic)
	})
	titles := make([]string, len(m.Sections))
	m.Topics = nil
	for i, s := range m.Sections {
		m.Topics = append(m.Topics, s.Topic)
		titles[i] = s.Title
		if s.Again {
			titles[i] = "still " + s.Title
		}
	}
	m.Title = short(strings.Join(titles, "; "))
}
