// Package authors knows who wrote what the files of an account ask for, where people sent it at the page of this
// daemon: what an order changed of the files is whoever's gave it.
//
// It refuses to guess: it knows authors of the very files that orders left, also after a restart. Its invariant: once a
// file was anything else, by whomever, nobody is known to have written what stands in it, also where it is the same
// again; and once any file was, nobody is known to have written what stands in none.
package authors

import (
	"sync"
	"time"

	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/sources"
	"adsync/sources/config"
)

// Known are the authors of the files of one account.
type Known struct {
	mu   sync.Mutex
	keep keeping

	content  string    // Desired.Hash of the files that they are of; "" where nobody is known
	settings string    // of them, the sum of the account's settings
	noted    time.Time // when these were left so
	wrote    []written
}

// written is what somebody wrote of what the files ask for.
type written struct {
	Time    time.Time `json:"time"`
	By      eyes.Who  `json:"by"`
	Lineage string    `json:"lineage"`
	Serial  int64     `json:"serial"`
	Parts   []part    `json:"parts"`
}

// part is a part of what a plan asks for, and the file in which it stands.
type part struct {
	Key      string    `json:"key"` // as plan.Part.Key has it
	Address  string    `json:"address"`
	Field    string    `json:"field,omitempty"`
	File     string    `json:"file,omitempty"`    // slash path; "": it stands in no file alone, as what was removed does
	Sum      string    `json:"sum,omitempty"`     // SHA-256 of that file
	Modified time.Time `json:"modified,omitzero"` // when it was written
}

// Order is what somebody had files become.
type Order struct {
	Who           eyes.Who
	Before, After *sources.Desired
	Root          string            // the folder with the files
	Files         map[string]string // sums of those that it wrote, by slash path
	Asks          []plan.Ask        // of what they are to be
	Lineage       string            // of the state from which that was planned
	Serial        int64
}

// See looks at files that were read from a folder: who wrote what stands in another than was left is not known any
// more. d is nil, or has no Hash, where they could not be read. Whoever looked began so at a time: what was left since
// they may not have seen.
func (k *Known) See(root string, d *sources.Desired, content string, began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.load(root)
	if k.content != "" && k.content != content && k.noted.Before(began) {
		k.settle(d, content)
		k.save()
	}
}

// settle leaves of what is known what stands in files that are as they were left, under the same settings.
func (k *Known) settle(d *sources.Desired, content string) {
	if d == nil || d.Hash != content || d.Snapshot == nil || d.Sum(config.ProjectFile) != k.settings {
		k.forget()
		return
	}
	k.content = content
	k.leave(func(p *part) bool {
		return p.File != "" && d.Sum(p.File) == p.Sum && fileOf(d, p.Address, p.Field) == p.File
	})
}

// leave lets go of all parts but some, which it may change.
func (k *Known) leave(stays func(*part) bool) {
	var left []written
	for _, w := range k.wrote {
		parts := w.Parts
		w.Parts = nil
		for _, p := range parts {
			if stays(&p) {
				w.Parts = append(w.Parts, p)
			}
		}
		if len(w.Parts) > 0 {
			left = append(left, w)
		}
	}
	if k.wrote = left; len(left) == 0 {
		k.forget()
	}
}

func (k *Known) forget() { k.content, k.settings, k.wrote = "", "", nil }

// fileOf is the file in which a value stands; "" where it stands in none, or is a whole resource.
func fileOf(d *sources.Desired, address, field string) string {
	at, known := resource.ParseAddress(address)
	if !known || field == "" {
		return ""
	}
	r := d.Snapshot.Get(at)
	if r == nil || r.Value(field).IsAbsent() {
		return ""
	}
	return r.Value(field).Position.File()
}

// Moved notes that adsync itself wrote results into the files, which are as d has them by now.
func (k *Known) Moved(from string, d *sources.Desired) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.content != from || from == "" || d.Hash == from {
		return
	}
	k.content = d.Hash
	for i := range k.wrote {
		for j := range k.wrote[i].Parts {
			k.stamp(&k.wrote[i].Parts[j], d.Sum(k.wrote[i].Parts[j].File))
		}
	}
	k.save()
}

// Of returns who wrote what of files, in changes planned from a state of this lineage.
func (k *Known) Of(content, lineage string) (of []eyes.Wrote) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range k.wrote {
		if k.content != content || w.Lineage != lineage || time.Since(w.Time) > lasts {
			continue
		}
		one := eyes.Wrote{Time: w.Time, By: []eyes.Who{w.By}, Lineage: w.Lineage, Serial: w.Serial}
		for _, p := range w.Parts {
			one.Keys = append(one.Keys, p.Key)
		}
		of = append(of, one)
	}
	return of
}

// Write has an order be carried out, and notes it where that was done; nil is one of which nothing is known. What
// others are known to have written stays theirs as far as it is still asked for; what nobody is known to have written
// stays nobody's. Whoever looks meanwhile waits.
func (k *Known) Write(o *Order, put func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o != nil {
		k.load(o.Root)
	}
	err := put()
	if err == nil && o != nil {
		k.note(o)
		k.noted = time.Now()
		k.save()
	}
	return err
}

func (k *Known) note(o *Order) {
	if k.content != o.Before.Hash {
		k.settle(o.Before, o.Before.Hash)
	}
	if o.Before.HashWith(o.Files) != o.After.Hash || o.After.Hash == "" || // another file moved meanwhile
		diag.HasErrors(o.Before.Problems) { // then not all rows are read
		k.forget()
		return
	}
	asked, own := map[string]bool{}, []part{}
	fresh := o.nothingGone()
	for _, ask := range o.Asks {
		for _, p := range ask.Parts {
			key := p.Key(ask.Hazard)
			if asked[key] = true; o.wrote(p, fresh) {
				own = append(own, part{Key: key, Address: p.Address, Field: p.Field})
			}
		}
	}
	for i := range own {
		if file := fileOf(o.After, own[i].Address, own[i].Field); o.Files[file] != "" {
			own[i].File = file
		}
	}
	k.wrote = append(k.wrote, written{Time: time.Now(), By: o.Who, Lineage: o.Lineage, Serial: o.Serial, Parts: own})
	k.content, k.settings = o.After.Hash, o.After.Sum(config.ProjectFile)
	k.leave(func(p *part) bool { // others may hold what was there
		if p.File != "" && fileOf(o.After, p.Address, p.Field) != p.File {
			p.File = ""
		}
		if sum := o.Files[p.File]; sum != "" {
			k.stamp(p, sum)
		}
		return asked[p.Key]
	})
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
