package notify

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"adsync/state/kv"
)

// kept is what a notifier keeps over a restart: what it told of what lasts, and what
// is not delivered yet. It holds no secret.
type kept struct {
	FormatVersion int                 `json:"format_version"`
	Zone          string              `json:"zone,omitempty"` // the account's time zone
	Posts         map[string]keptPost `json:"posts"`          // by identity
	// the pauses that stood as people were told last, by id
	Pauses map[string]toldPause `json:"pauses,omitempty"`
}

type keptPost struct {
	Told    map[Topic]keptMark `json:"told,omitempty"`
	Run     string             `json:"run,omitempty"`     // the last that was told of
	Waiting []*Message         `json:"waiting,omitempty"` // oldest first

	// Of an outbox alone, whose deliveries are made by whichever process.
	Under *Message `json:"under,omitempty"` // on its way; it may have arrived
	Sent  sent     `json:"sent,omitempty"`
	Lost  int      `json:"lost,omitempty"`
}

type keptMark struct {
	Mark string    `json:"mark"`
	Told time.Time `json:"told"`
	Said Section   `json:"said,omitzero"`
}

const (
	keptName    = "told.json"
	keptVersion = 1
	largestKept = 4 << 20 // of which more is not read
)

// Identity is the same for a destination wherever it stands in the configuration. Its
// address is a secret, and goes in as a hash.
func (d *Destination) Identity() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q",
		d.Form, d.URL.Reveal(), d.Mail.Host, strings.Join(d.Mail.To, " ")))
	return fmt.Sprintf("%s-%x", d.Form, sum[:8])
}

// restore takes over what was kept. What cannot be read costs a repetition, and
// nothing else.
func (n *Notifier) restore() {
	if n.o.Kept == nil {
		return
	}
	k, err := readKept(n.o.Kept)
	if err != nil {
		n.o.Log.Warn("what people were told before cannot be read; they may be told again",
			"account", n.account, "error", err)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.zone, n.pauses = k.Zone, k.Pauses
	for _, p := range n.posts {
		one := k.Posts[p.Identity()]
		p.take(one)
		if n.o.Outbox == nil {
			p.next = p.known.standing(joined(one.Under, p.next))
			continue
		}
		if p.next != nil || one.Under != nil { // of a process that had none, perhaps, and queued nothing
			n.again()
		}
		p.next = nil // it stays where it is kept
	}
}

func readKept(s kv.Store) (k kept, err error) {
	content, err := s.Get(keptName, largestKept)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal(content, &k); err != nil || k.FormatVersion != keptVersion {
		return kept{}, errDamaged
	}
	return k, nil
}

var errDamaged = errors.New("it is damaged, or of another version")

func writeKept(s kv.Store, k kept) error {
	content, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return s.Put(keptName, append(content, '\n'))
}

// take goes on where a post ended.
func (p *post) take(k keptPost) {
	p.known.run, p.sent = k.Run, k.Sent
	for topic, one := range k.Told {
		if p.known.lasts == nil {
			p.known.lasts = map[Topic]lasting{}
		}
		p.known.lasts[topic] = lasting{one.Mark, one.Told, one.Said}
	}
	for _, m := range k.Waiting {
		p.next = joined(p.next, m)
	}
	p.next = p.known.standing(p.next)
}

// keep writes what a restart has to know, on the disk, or hands it over. mu is held.
func (n *Notifier) keep() {
	if n.o.Outbox != nil {
		n.hand()
		return
	}
	if n.o.Kept == nil {
		return
	}
	all := map[string]keptPost{}
	for _, p := range n.posts {
		one := p.kept()
		if p.under != nil { // which a restart sends with the rest
			one.Waiting = append([]*Message{p.under}, one.Waiting...)
		}
		one.Under, one.Sent, one.Lost = nil, nil, 0
		all[p.Identity()] = one
	}
	if err := writeKept(n.o.Kept, kept{keptVersion, n.zone, all, n.pauses}); err != nil {
		n.o.Log.Warn("what people were told of cannot be kept; a restart may tell it again",
			"account", n.account, "error", err)
	}
}

// kept is what is kept of a post.
func (p *post) kept() keptPost {
	one := keptPost{Told: map[Topic]keptMark{}, Run: p.known.run, Under: p.under, Sent: p.sent, Lost: p.lost}
	if p.next != nil {
		one.Waiting = []*Message{p.next}
	}
	for topic, l := range p.known.lasts {
		if l.mark != "" {
			one.Told[topic] = keptMark{l.mark, l.told, l.said}
		}
	}
	return one
}
