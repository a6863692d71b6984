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
}

type keptPost struct {
	Told    map[Topic]keptMark `json:"told,omitempty"`
	Run     string             `json:"run,omitempty"`     // the last that was told of
	Waiting []*Message         `json:"waiting,omitempty"` // oldest first
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

// identity is the same for a destination wherever it stands in the configuration. Its
// address is a secret, and goes in as a hash.
func (d *Destination) identity() string {
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
	n.zone = k.Zone
	for _, p := range n.posts {
		p.take(k.Posts[p.identity()])
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
		return kept{}, errors.New("it is damaged, or of another version")
	}
	return k, nil
}

// take goes on where a post ended.
func (p *post) take(k keptPost) {
	p.known.run = k.Run
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

// keep writes what a restart has to know, on the disk. mu is held.
func (n *Notifier) keep() {
	if n.o.Kept == nil {
		return
	}
	k := kept{FormatVersion: keptVersion, Zone: n.zone, Posts: map[string]keptPost{}}
	for _, p := range n.posts {
		one := keptPost{Told: map[Topic]keptMark{}, Run: p.known.run}
		for _, m := range []*Message{p.under, p.next} {
			if m != nil {
				one.Waiting = append(one.Waiting, m)
			}
		}
		for topic, l := range p.known.lasts {
			if l.mark != "" {
				one.Told[topic] = keptMark{l.mark, l.told, l.said}
			}
		}
		k.Posts[p.identity()] = one
	}
	content, err := json.Marshal(k)
	if err == nil {
		err = n.o.Kept.Put(keptName, append(content, '\n'))
	}
	if err != nil {
		n.o.Log.Warn("what people were told of cannot be kept; a restart may tell it again",
			"account", n.account, "error", err)
	}
}
