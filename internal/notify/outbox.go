package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"adsync/state/kv"
)

// Outbox changes what is kept of an account and what is queued of its deliveries in one transaction. Whoever changes
// the same account meanwhile waits. A notifier that has one delivers nothing itself: any process does, by Deliver.
type Outbox func(ctx context.Context, change func(kept kv.Store) (Next, error)) error

// Next is what is queued as of one change.
type Next struct {
	Queue []Delivery
	Done  bool  // the delivery in which the change is made has ended
	Lost  error // as it was refused for good; nil: it arrived, or nothing waited
}

// Delivery is the wish that what waits for a destination be delivered at a moment. Two of one destination are one, the
// earlier.
type Delivery struct {
	To string // identity of the destination
	At time.Time
}

// hand puts what is new into the outbox. Where that fails it waits here, and Run tries again. mu is held.
func (n *Notifier) hand() {
	err := n.o.Outbox(context.Background(), func(store kv.Store) (next Next, err error) {
		k, err := readKept(store)
		if errors.Is(err, errDamaged) {
			n.o.Log.Warn("what waits to be told cannot be read; it is lost", "account", n.account, "error", err)
		} else if err != nil {
			return next, err
		}
		all := map[string]keptPost{}
		for _, p := range n.posts {
			one := k.Posts[p.Identity()]
			whole := post{Destination: p.Destination, under: one.Under, lost: one.Lost}
			whole.take(one)
			whole.known = p.known
			if m := p.next; m != nil {
				fresh := *m
				fresh.Missing += one.Lost
				whole.next, whole.lost = joined(whole.next, &fresh), 0
			}
			whole.next = whole.known.standing(whole.next)
			all[p.Identity()] = whole.kept()
			if wait, waits := n.waitFor(&whole); waits || whole.under != nil {
				next.Queue = append(next.Queue, Delivery{p.Identity(), n.o.Now().Add(wait)})
			}
		}
		return next, writeKept(store, kept{keptVersion, n.zone, all, n.pauses})
	})
	if err != nil && !n.stuck { // once
		n.o.Log.Warn("what people are told of cannot be queued; it is tried on", "account", n.account, "error", err)
	}
	if n.stuck = err != nil; n.stuck {
		n.again()
		return
	}
	for _, p := range n.posts {
		p.next = nil
	}
}

// again has Run hand over what is here.
func (n *Notifier) again() {
	select {
	case n.bell <- struct{}{}:
	default:
	}
}

func (n *Notifier) handNow() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hand()
}

// handOn hands over what could not be handed over at once, until the context ends.
func (n *Notifier) handOn(ctx context.Context) {
	for {
		select {
		case <-n.bell:
		case <-ctx.Done():
			return
		}
		n.handNow()
		if sleep(ctx, firstWait) != nil { // not over and over at once
			return
		}
	}
}

// handed waits until what may leave now has left, by whichever process.
func (n *Notifier) handed(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-n.bell:
			n.handNow()
		default:
		}
		k, err := readKept(n.o.Kept)
		if err == nil && !n.due(k) {
			return
		}
		_ = sleep(ctx, lookPause)
	}
}

// lookPause is how long is waited between two looks at whether all has left.
const lookPause = 200 * time.Millisecond

// due reports whether something may leave now, as it is kept.
func (n *Notifier) due(k kept) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.posts {
		one := k.Posts[p.Identity()]
		whole := post{Destination: p.Destination}
		whole.take(one)
		if wait, waits := n.waitFor(&whole); one.Under != nil || p.next != nil || waits && wait <= 0 {
			return true
		}
	}
	return false
}

// Deliver delivers what waits for a destination of an account, once: what may leave now. Its error is of an attempt
// that may be made again, and After how long to leave the destination alone. A message that may have gone out before,
// as the process that sent it died, goes out again as it was, with its id.
func Deliver(ctx context.Context, to Destination, o Options) error {
	d := &deliverer{n: &Notifier{o: o.filled()}, to: to}
	if err := d.n.o.Outbox(ctx, d.takes); err != nil || d.under == nil {
		return err
	}
	failed := d.n.send(ctx, &post{Destination: to}, d.under)
	if failed != nil && ctx.Err() != nil {
		return failed // nobody knows whether it arrived: it goes out as it is
	}
	ended := d.n.o.Outbox(context.WithoutCancel(ctx), func(kept kv.Store) (Next, error) { return d.ends(kept, failed) })
	return errors.Join(ended, d.again)
}

// After is how long the destination asked to be left alone, where an error of Deliver says so.
func After(err error) time.Duration {
	if refused := new(refusal); errors.As(err, &refused) {
		return min(refused.after, longestWait)
	}
	return 0
}

// NothingWaits reports whether nothing is kept for a destination, by its identity.
func NothingWaits(s kv.Store, identity string) (bool, error) {
	k, err := readKept(s)
	one := k.Posts[identity]
	return len(one.Waiting) == 0 && one.Under == nil, err
}

// Backoff is how long is waited after so many attempts have failed.
func Backoff(attempt int) time.Duration {
	wait := firstWait
	for range min(attempt-1, attempts) {
		wait *= 2
	}
	return min(wait, longestWait)
}

// deliverer delivers to one destination from what is kept.
type deliverer struct {
	n     *Notifier
	to    Destination
	under *Message
	again error
}

// post is the destination with what is kept of it.
func (d *deliverer) post(k kept) *post {
	one := k.Posts[d.to.Identity()]
	p := &post{Destination: d.to, under: one.Under, lost: one.Lost}
	p.take(one)
	d.n.zone = k.Zone
	return p
}

// takes puts what may leave on its way.
func (d *deliverer) takes(kept kv.Store) (next Next, err error) {
	d.under = nil
	k, err := readKept(kept)
	if err != nil {
		return next, err
	}
	p := d.post(k)
	if d.under = p.under; d.under != nil {
		return next, nil
	}
	if d.under = d.n.take(p); d.under == nil {
		next = d.rest(p, nil)
	}
	if d.under == nil && (p.next != nil || len(k.Posts[d.to.Identity()].Waiting) == 0) {
		return next, nil // it is as it was
	}
	k.Posts[d.to.Identity()] = p.kept()
	return next, writeKept(kept, k)
}

// rest ends the delivery, and queues what waits on.
func (d *deliverer) rest(p *post, lost error) Next {
	next := Next{Done: true, Lost: lost}
	if wait, waits := d.n.waitFor(p); waits {
		next.Queue = []Delivery{{d.to.Identity(), d.n.o.Now().Add(wait)}}
	}
	return next
}

// ends notes what became of what was on its way.
func (d *deliverer) ends(kept kv.Store, failed error) (next Next, err error) {
	k, err := readKept(kept)
	if err != nil {
		return Next{}, err
	}
	p := d.post(k)
	if p.under == nil || p.under.ID != d.under.ID { // another process has ended it meanwhile
		return d.rest(p, nil), nil
	}
	refused := new(refusal)
	_ = errors.As(failed, &refused) // else it is none
	switch p.under = nil; {
	case failed == nil, refused.some:
		p.sent.note(d.under.Topics, d.n.o.Now())
		next = d.rest(p, failed)
	case refused.final:
		p.sent.note(d.under.Topics, d.n.o.Now())
		p.lost += d.under.Missing + 1
		next = d.rest(p, fmt.Errorf("not delivered: %w", failed))
	default:
		d.again = failed
		p.next = p.known.standing(joined(d.under, p.next))
		if p.next == nil {
			d.again, next = nil, d.rest(p, nil)
		}
	}
	k.Posts[d.to.Identity()] = p.kept()
	return next, writeKept(kept, k)
}
