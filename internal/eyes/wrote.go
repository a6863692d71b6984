package eyes

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"adsync/plan"
	"adsync/state/kv"
)

// wroteName is where it is kept who wrote what, beside the state of an account.
const wroteName = "wrote.ndjson"

// lasts is how long it is kept.
const lasts = 31 * 24 * time.Hour

// Wrote is who wrote some changes, all of them, as a forge or the page proved it.
type Wrote struct {
	Time    time.Time `json:"time"`
	By      []Who     `json:"by"`
	Lineage string    `json:"lineage"` // of the state from which the changes were planned
	Serial  int64     `json:"serial"`  // of that state: what was done since is another change
	Keys    []string  `json:"keys"`    // of the parts, as plan.Part.Key has them
}

// Note keeps who wrote something, and lets go of what is old.
func Note(at kv.Store, w Wrote) error {
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return at.Rewrite(wroteName, func(content []byte) (kept []byte) {
		for before := range bytes.Lines(content) {
			var one Wrote
			if json.Unmarshal(before, &one) == nil && w.Time.Sub(one.Time) < lasts && !w.says(&one) {
				kept = append(append(kept, bytes.TrimRight(before, "\n")...), '\n')
			}
		}
		return append(append(kept, line...), '\n')
	})
}

// says reports whether the same is said as before.
func (w *Wrote) says(o *Wrote) bool {
	return w.Lineage == o.Lineage && w.Serial == o.Serial && slices.Equal(w.By, o.By) && slices.Equal(w.Keys, o.Keys)
}

// Noted returns who is known to have written what, in changes planned from a state of this lineage.
func Noted(at kv.Store, lineage string) (of []Wrote, err error) {
	all, err := kv.Lines[Wrote](at, wroteName)
	for _, w := range all {
		if w.Lineage == lineage {
			of = append(of, w)
		}
	}
	return of, err
}

// sendersName is where it is kept who had which commit made, beside the state of an account.
const sendersName = "senders.ndjson"

// Sender is who had adsync make a commit, as the page proved it: it changes what they ordered, and nothing else.
type Sender struct {
	Time   time.Time `json:"time"`
	Who    Who       `json:"who"`
	Commit string    `json:"commit"` // full hash
}

// NoteSender keeps who had a commit made, and lets go of what is old. Of one that several people had made nobody is
// known to be the sender.
func NoteSender(at kv.Store, s Sender) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return at.Rewrite(sendersName, func(content []byte) (kept []byte) {
		for before := range bytes.Lines(content) {
			var one Sender
			if json.Unmarshal(before, &one) == nil && s.Time.Sub(one.Time) < lasts {
				kept = append(append(kept, bytes.TrimRight(before, "\n")...), '\n')
			}
		}
		return append(append(kept, line...), '\n')
	})
}

// SenderOf returns who had a commit made; nil where nobody is known.
func SenderOf(at kv.Store, commit string) (who *Who, err error) {
	all, err := kv.Lines[Sender](at, sendersName)
	for i := range all {
		switch {
		case all[i].Commit != commit || commit == "":
		case who != nil && *who != all[i].Who:
			return nil, err
		default:
			who = &all[i].Who
		}
	}
	return who, err
}

// authors are those who wrote a part, and whether these are all who did.
func (r *Rule) authors(h plan.Hazard, p plan.Part) (authors []Who, known bool) {
	key := p.Key(h)
	for _, w := range r.wrote[key] {
		if r.Spent(key, w.Serial) {
			continue
		}
		known = true
		for _, one := range w.By {
			if !slices.Contains(authors, one) {
				authors = append(authors, one)
			}
		}
	}
	return authors, known
}
