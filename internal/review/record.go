package review

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"adsync/internal/words/catalogue"
)

// Record is what is known of the reviews of one account.
type Record struct {
	Ads     map[string]*Standing `json:"ads"`            // by address
	Changes []Change             `json:"changes"`        // the oldest first
	Read    time.Time            `json:"read,omitzero"`  // when the service was asked last
	Left    bool                 `json:"left,omitempty"` // the budget did not last for all
	// the ad behind which the list is read on; "" from its beginning
	After  string    `json:"after,omitempty"`
	Minute time.Time `json:"minute,omitzero"` // when Sent began to count
	Sent   int       `json:"sent,omitempty"`

	moved bool // an ad was seen to stand otherwise
}

// Change is that an ad came to stand otherwise.
type Change struct {
	Time   time.Time `json:"time"`
	Name   string    `json:"name"`
	In     string    `json:"in,omitempty"`
	At     string    `json:"address"`
	Before State     `json:"before,omitempty"` // "" where nothing was known of it
	State  State     `json:"state"`
	Means  string    `json:"means,omitempty"`
	Do     string    `json:"do,omitempty"`
}

// Called is the ad as people call it.
func (c Change) Called() string { return Line{Name: c.Name, In: c.In, Address: c.At}.Called() }

// Text is the change in one line.
func (c Change) Text() string {
	text := catalogue.Say("review.is", "ad", c.Called(), "state", c.State.Words())
	if c.Before != "" {
		text = catalogue.Say("review.was", "ad", c.Called(), "state", c.State.Words(), "before", c.Before.Words())
	}
	if c.Means != "" && c.State != InReview {
		text += ": " + c.Means
	}
	return text
}

// keptChanges is how many changes are kept.
const keptChanges = 1000

// See takes in what was read of an ad. asked says that it was asked for, with its issues:
// else these stand as they were read last, as long as the review says what it said then.
func (r *Record) See(now time.Time, s Standing, asked bool) {
	before := r.Ads[s.Address]
	s.Since, s.Read = now, now
	if asked {
		s.Asked = now
	}
	if before != nil && before.ID != s.ID { // another ad has its address
		before = nil
	}
	if before != nil {
		if !asked {
			s.Asked = before.Asked
		}
		if !asked && s.Said == before.Said {
			s.Issues = before.Issues
		}
		s.Told = before.Told
		if alike(before, &s) {
			s.Since = before.Since
		}
	}
	if r.Ads == nil {
		r.Ads = map[string]*Standing{}
	}
	r.Ads[s.Address] = &s
	r.note(now, before, &s)
}

// note keeps what changed for the worse, or from there. That a review begins or approves is
// what happens to every ad.
func (r *Record) note(now time.Time, before, s *Standing) {
	if before != nil && alike(before, s) {
		return
	}
	r.moved = true
	c := Change{Time: now, At: s.Address, State: s.State()}
	if before.known() {
		c.Before = before.State()
	}
	bad := []State{Rejected, Limited}
	if !slices.Contains(bad, c.State) && !slices.Contains(bad, c.Before) {
		return
	}
	line := s.Line()
	c.Name, c.In, c.Means, c.Do = line.Name, line.In, line.Why(), line.Do
	r.Changes = append(r.Changes, c)
	if more := len(r.Changes) - keptChanges; more > 0 {
		r.Changes = slices.Delete(r.Changes, 0, more)
	}
}

// Miss notes that the service does not have an ad.
func (r *Record) Miss(now time.Time, address string) {
	if r.Ads == nil {
		r.Ads = map[string]*Standing{}
	}
	r.Ads[address] = &Standing{Address: address, Since: now, Read: now, Asked: now}
}

// Moved reports whether an ad was seen to stand otherwise since the record was loaded.
func (r *Record) Moved() bool { return r.moved }

// Take takes in what another record knows of later: what a plan has read.
func (r *Record) Take(other *Record) {
	for _, s := range other.sorted() {
		if mine := r.Ads[s.Address]; mine == nil || mine.Read.Before(s.Read) {
			r.See(s.Read, *s, s.Asked.Equal(s.Read))
		}
	}
}

// Stale has an ad be read again: it was just written.
func (r *Record) Stale(address string) {
	if s := r.Ads[address]; s != nil {
		s.Asked = time.Time{}
	}
}

// slack is how much sooner than its time an ad is read: reads are not spaced to the second.
const slack = 30 * time.Second

// StaleInReview has all that is in review asked for again.
func (r *Record) StaleInReview() {
	for address, s := range r.Ads {
		if s.State() == InReview {
			r.Stale(address)
		}
	}
}

// Due returns the ads that it is time to ask for, where each is a request: those never
// read, those in review, and then those that were read longest ago.
func (r *Record) Due(now time.Time, addresses []string) []string {
	rank := func(address string) (group int, read time.Time) {
		s := r.Ads[address]
		switch {
		case s == nil || s.Asked.IsZero():
			return 0, time.Time{}
		case s.State() == InReview:
			return 1, s.Asked
		}
		return 2, s.Asked
	}
	due := slices.DeleteFunc(slices.Clone(addresses), func(address string) bool {
		group, read := rank(address)
		age, every := now.Sub(read), []time.Duration{0, Soon, Hourly}[group]
		return age >= 0 && age < every-slack
	})
	slices.SortFunc(due, func(a, b string) int {
		one, read := rank(a)
		other, before := rank(b)
		return cmp.Or(one-other, read.Compare(before), strings.Compare(a, b))
	})
	return due
}

// Keep drops the ads that are no longer known of.
func (r *Record) Keep(known func(address string) bool) {
	for address := range r.Ads {
		if !known(address) {
			delete(r.Ads, address)
		}
	}
}

// State is where an ad stands; false where nothing is known of it.
func (r *Record) State(address string) (State, bool) {
	if r == nil || !r.Ads[address].known() {
		return "", false
	}
	return r.Ads[address].State(), true
}

// Line is what is known of an ad, in words; false where nothing is.
func (r *Record) Line(address string) (Line, bool) {
	if r == nil || !r.Ads[address].known() {
		return Line{}, false
	}
	return r.Ads[address].Line(), true
}

// Cells is what a table says of an ad, in words: its review, and what keeps it from being
// shown.
func (r *Record) Cells(address string) (said, serving string) { return r.Ads[address].cells("") }

// Allow returns how many requests may be sent now, of so many a minute. Spend counts one.
func (r *Record) Allow(now time.Time, most int) int {
	if age := now.Sub(r.Minute); age < 0 || age >= time.Minute {
		r.Minute, r.Sent = now, 0
	}
	return max(0, most-r.Sent)
}

// Spend counts a request.
func (r *Record) Spend() { r.Sent++ }

// Waits reports whether an ad is in review.
func (r *Record) Waits() bool {
	for _, s := range r.Ads {
		if s.State() == InReview {
			return true
		}
	}
	return false
}

// again is the mark of an ad that is reviewed anew after people were told of it.
const again = "again"

// TakeNews returns what people were not told yet, and notes that they are: an ad that was
// rejected or limited, and one that was and is approved now.
func (r *Record) TakeNews() []Line {
	var news []Line
	for _, s := range r.sorted() {
		mark := s.mark()
		switch state := s.State(); {
		case state == InReview && s.Told != "":
			s.Told = again
		case state == InReview, s.Told == mark:
		case state == Approved && s.Told == "":
		case state == Approved:
			s.Told = ""
			news = append(news, s.Line())
		default:
			s.Told = mark
			news = append(news, s.Line())
		}
	}
	return news
}

var order = []State{Rejected, Limited, InReview, Approved}

// sorted returns the ads, those that ask most of a person first.
func (r *Record) sorted() []*Standing {
	if r == nil {
		return nil
	}
	all := make([]*Standing, 0, len(r.Ads))
	for _, s := range r.Ads {
		if s.known() {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *Standing) int {
		return cmp.Or(slices.Index(order, a.State())-slices.Index(order, b.State()),
			strings.Compare(a.Address, b.Address))
	})
	return all
}

// Lines returns where each ad stands, those that ask most of a person first.
func (r *Record) Lines() []Line {
	var lines []Line
	for _, s := range r.sorted() {
		lines = append(lines, s.Line())
	}
	return lines
}

// Summary is the reviews of an account at a glance.
type Summary struct {
	Rejected int      `json:"rejected"`
	Limited  int      `json:"limited"`
	InReview int      `json:"in_review"`
	Approved int      `json:"approved"`
	Ads      []Line   `json:"ads"`              // that are not approved, the worst first
	More     int      `json:"more,omitempty"`   // of them, that are not listed
	Lately   []Change `json:"lately,omitempty"` // the newest first
}

// How much of a record a summary lists.
const (
	listed = 200
	lately = 20
)

// Summary returns what is known; nil where nothing is.
func (r *Record) Summary() *Summary {
	if r == nil {
		return nil
	}
	s := &Summary{Ads: []Line{}}
	for _, ad := range r.sorted() {
		state := ad.State()
		*s.count(state)++
		switch {
		case state == Approved:
		case len(s.Ads) == listed:
			s.More++
		default:
			s.Ads = append(s.Ads, ad.Line())
		}
	}
	if s.Rejected+s.Limited+s.InReview+s.Approved == 0 {
		return nil
	}
	for i := len(r.Changes) - 1; i >= 0 && len(s.Lately) < lately; i-- {
		s.Lately = append(s.Lately, r.Changes[i])
	}
	return s
}

func (s *Summary) count(state State) *int {
	switch state {
	case Rejected:
		return &s.Rejected
	case Limited:
		return &s.Limited
	case InReview:
		return &s.InReview
	}
	return &s.Approved
}
