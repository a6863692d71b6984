// Package notify tells people what changed in an account that nobody looks at:
// something is held, failed, works again, drifted, was applied, stopped or goes on.
//
// It refuses to repeat itself: what was told is told again only after a day or as
// it changes, and one run is one message. Its one invariant: telling never blocks
// and never fails a run, and a message holds no secret.
//
// Open notify.go first: Tell, the topics and the forms of destinations. situation.go reads a run, news.go decides what
// of it is new and words it, queue.go keeps what waits, deliver.go sends it; outbox.go has several processes send
// it. A new form, such as Matrix, is a row of forms in forms.go: its word, its check and how a message goes there; its
// keys stand in sources/config/daemon_notify.go.
package notify

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"adsync/internal/secret"
	"adsync/state/kv"
)

// Topic is what a message is about.
type Topic string

// The topics.
const (
	topicHeld        Topic = "held"
	topicFailed      Topic = "failed"
	topicOtherWriter Topic = "other_writer"
	topicCredentials Topic = "credentials"
	topicRecovered   Topic = "recovered"
	topicDrift       Topic = "drift"
	topicApplied     Topic = "applied"
	topicSuspended   Topic = "suspended"
	topicResumed     Topic = "resumed"
	topicReview      Topic = "review"
	topicPaused      Topic = "paused"
	topicComment     Topic = "comment"
	topicSpend       Topic = "spend"
)

// topics are all of them, in the order in which a message names them.
var topics = []struct {
	Topic
	usual  bool // told to a destination that names none
	urgent bool // told at any hour, and seldom kept for later
}{
	{topicCredentials, true, true},
	{topicFailed, true, true},
	{topicOtherWriter, true, true},
	{topicReview, true, true},
	{topicHeld, true, false},
	{topicComment, true, false},
	{topicSuspended, true, true},
	{topicResumed, true, true},
	{topicPaused, true, true},
	{topicSpend, true, true},
	{topicRecovered, true, true},
	{topicDrift, false, true},
	{topicApplied, false, false},
}

// Topics returns every topic, in the order in which a message names them.
func Topics() (all []Topic) {
	for _, t := range topics {
		all = append(all, t.Topic)
	}
	return all
}

// Usual returns those of a destination that names none.
func Usual() (all []Topic) {
	for _, t := range topics {
		if t.usual {
			all = append(all, t.Topic)
		}
	}
	return all
}

// urgent reports whether a topic is told at any hour.
func (t Topic) urgent() bool {
	for _, one := range topics {
		if one.Topic == t {
			return one.urgent
		}
	}
	return false
}

// Destination is where messages go.
type Destination struct {
	Name   string // for the log
	Person string // who reads it, by their name among people; "" of a place
	// it is told of what concerns the person alone, and On is nothing to it: who watches the account are others
	Concerned bool
	Form      Form
	URL       secret.Text   // of webhook, slack and teams; who knows it may write there
	Key       secret.Text   // of webhook: what it is signed with
	Mail      Mail          // of email
	On        []Topic       // empty: the usual ones
	Remind    time.Duration // what lasts is told again after it; 0: a day
	Quiet     Quiet         // hours in which only what is urgent is told
}

// Options are what a notifier needs beside its destinations.
type Options struct {
	Page string // address of the account's page; "" where there is none
	Log  *slog.Logger
	Send Sender           // nil: over the network
	Kept kv.Store         // where what was told is kept over a restart; nil keeps nothing
	Now  func() time.Time // nil: the clock of the machine

	Outbox Outbox // nil: this process delivers
}

// filled are the options with what stands for nil.
func (o Options) filled() Options {
	if o.Send == nil {
		o.Send = network{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Sender carries one rendered message to its destination, once.
type Sender interface {
	Send(ctx context.Context, to *Destination, m *Message) error
}

const day = 24 * time.Hour

// Notifier tells of one account.
type Notifier struct {
	account string
	o       Options
	mu      sync.Mutex // guards the posts
	posts   []*post
	zone    string               // the account's, as the last plan named it; "" before there was one
	pauses  map[string]toldPause // that stood as people were told last, by id

	bell     chan struct{} // rings where the outbox has not what is here
	stuck    bool          // it could not be handed over
	restored sync.Once     // as the first of Tell and Run begins: whoever told before has ended by then
}

// New makes the notifier of an account. Run has to be called for anything to
// leave.
func New(account string, to []Destination, o Options) (*Notifier, error) {
	n := &Notifier{account: account, o: o.filled(), bell: make(chan struct{}, 1)}
	for i := range to {
		if err := to[i].check(); err != nil {
			return nil, fmt.Errorf("notify %s: %w", to[i].Name, err)
		}
		p := &post{Destination: to[i], bell: make(chan struct{}, 1)}
		switch {
		case p.Concerned:
			p.On = nil
		case len(p.On) == 0:
			p.On = Usual()
		}
		if p.Remind == 0 {
			p.Remind = day
		}
		n.posts = append(n.posts, p)
	}
	return n, nil
}

func (d *Destination) check() error {
	for _, t := range d.On {
		if !known(t) {
			return fmt.Errorf("on names %q; want one of %v", t, Topics())
		}
	}
	form, ok := forms[d.Form]
	if !ok {
		return fmt.Errorf("form is %q; want webhook, slack, teams or email", d.Form)
	}
	return form.check(d)
}

func known(t Topic) bool {
	for _, one := range Topics() {
		if one == t {
			return true
		}
	}
	return false
}

// Tell takes what a run came to. It waits for nobody; where there is news, for the
// disk.
func (n *Notifier) Tell(s Situation) {
	n.restored.Do(n.restore)
	n.mu.Lock()
	defer n.mu.Unlock()
	moved := s.Zone != "" && s.Zone != n.zone
	if moved {
		n.zone = s.Zone
	}
	for _, p := range n.posts {
		before := p.known.clone()
		m := p.known.news(s, p.On, p.Remind)
		moved = moved || m != nil || !p.known.same(before)
		if m != nil {
			m.Account, m.Page = n.account, n.o.Page
			p.add(m)
		}
		p.next = p.known.standing(p.next)
	}
	if moved {
		n.keep()
	}
}

// Run delivers until the context ends, or has it delivered.
func (n *Notifier) Run(ctx context.Context) { n.carry(ctx, true) }

// Flush delivers what may leave now, or has it delivered, and returns: for who does not Run.
func (n *Notifier) Flush(ctx context.Context) { n.carry(ctx, false) }

func (n *Notifier) carry(ctx context.Context, stays bool) {
	n.restored.Do(n.restore)
	switch {
	case n.o.Outbox != nil && stays:
		n.handOn(ctx)
		return
	case n.o.Outbox != nil:
		n.handed(ctx)
		return
	}
	var all sync.WaitGroup
	for _, p := range n.posts {
		all.Go(func() {
			for ctx.Err() == nil {
				wait, waits := n.wait(p)
				switch {
				case waits && wait <= 0:
					n.whole(p, func() { n.deliver(ctx, p) })
				case !stays:
					return
				default:
					rest(ctx, p.bell, waits, wait)
				}
			}
		})
	}
	all.Wait()
}

// rest waits until a bell rings or the context ends; where something waits, for a time
// at most.
func rest(ctx context.Context, bell <-chan struct{}, waits bool, most time.Duration) {
	var over <-chan time.Time
	if waits {
		timer := time.NewTimer(most)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-bell:
	case <-over:
	case <-ctx.Done():
	}
}

// whole has a message that breaks off take no other with it, and not come again.
func (n *Notifier) whole(p *post, deliver func()) {
	defer func() {
		if cause := recover(); cause != nil { // what it says may be of the message
			n.o.Log.Error("a notification broke off: this is a mistake of adsync",
				"account", n.account, "to", p.Name, "cause", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
			n.lose(p)
		}
	}()
	deliver()
}
