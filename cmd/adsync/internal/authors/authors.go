// Package authors knows who wrote what the files of an account ask for, where people sent it at the page of this
// daemon: what an order changed of the files is whoever's gave it.
//
// It refuses to guess, and to remember more than one process saw: it knows authors of the very files that the last
// order left, and of no others. Its invariant: once files were anything else, by whomever, nobody is known to have
// written them, also where they are the same again.
package authors

import (
	"slices"
	"sync"
	"time"

	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/sources"
)

// Known are the authors of the files of one account.
type Known struct {
	mu      sync.Mutex
	content string    // Desired.Hash of the files that they are of; "" where nobody is known
	noted   time.Time // when these were left so
	wrote   []eyes.Wrote
}

// Order is what somebody had files become.
type Order struct {
	Who           eyes.Who
	Before, After *sources.Desired
	Files         map[string]string // sums of those that it wrote, by slash path
	Asks          []plan.Ask        // of what they are to be
	Lineage       string            // of the state from which that was planned
	Serial        int64
}

// See forgets all where the files were others than they were left. Whoever looked began so at a time: what was left
// since they may not have seen.
func (k *Known) See(content string, began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.content != content && k.noted.Before(began) {
		k.forget()
	}
}

func (k *Known) forget() { k.content, k.wrote = "", nil }

// Moved notes that adsync itself wrote results into the files.
func (k *Known) Moved(from, to string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.content == from {
		k.content = to
	}
}

// Of returns who wrote what of files, in changes planned from a state of this lineage.
func (k *Known) Of(content, lineage string) (of []eyes.Wrote) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range k.wrote {
		if k.content == content && w.Lineage == lineage {
			of = append(of, w)
		}
	}
	return of
}

// Write has an order be carried out, and notes it where that was done; nil is one of which nothing is known. What
// others are known to have written stays theirs as far as it is still asked for; what nobody is known to have written
// stays nobody's. Whoever looks meanwhile waits.
func (k *Known) Write(o *Order, put func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := put()
	if err == nil && o != nil {
		k.note(o)
		k.noted = time.Now()
	}
	return err
}

func (k *Known) note(o *Order) {
	if k.content != o.Before.Hash {
		k.forget()
	}
	if o.Before.HashWith(o.Files) != o.After.Hash || o.After.Hash == "" || // another file moved meanwhile
		diag.HasErrors(o.Before.Problems) { // then not all rows are read
		k.forget()
		return
	}
	asked, own := map[string]bool{}, []string{}
	fresh := o.nothingGone()
	for _, ask := range o.Asks {
		for _, p := range ask.Parts {
			key := p.Key(ask.Hazard)
			if asked[key] = true; o.wrote(p, fresh) {
				own = append(own, key)
			}
		}
	}
	last := eyes.Wrote{By: []eyes.Who{o.Who}, Lineage: o.Lineage, Serial: o.Serial, Keys: own}
	var wrote []eyes.Wrote // others may hold what was there
	for _, w := range append(k.wrote, last) {
		w.Keys = slices.DeleteFunc(slices.Clone(w.Keys), func(key string) bool { return !asked[key] })
		if len(w.Keys) > 0 {
			wrote = append(wrote, w)
		}
	}
	k.content, k.wrote = o.After.Hash, wrote
}

// nothingGone reports whether the files name all that they named: where not, what is new may be something of somebody
// else's that has another name by now.
func (o *Order) nothingGone() bool {
	for r := range o.Before.Snapshot.All() {
		if o.After.Snapshot.Get(r.Address) == nil {
			return false
		}
	}
	return true
}

// wrote reports whether the order changed what the files say of a part.
func (o *Order) wrote(p plan.Part, fresh bool) bool {
	at, known := resource.ParseAddress(p.Address)
	if !known {
		return false
	}
	was, is := o.Before.Snapshot.Get(at), o.After.Snapshot.Get(at)
	switch {
	case was == nil && is == nil:
		return false
	case was == nil:
		return fresh
	case is == nil:
		return true
	}
	return p.Field != "" && plan.DigestOf(was.Value(p.Field)) != plan.DigestOf(is.Value(p.Field))
}
