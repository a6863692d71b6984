package conversions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Choice is which batches of unknown fate go again, or are left as they are.
type Choice struct {
	all     bool
	numbers []int
}

// ParseChoice reads numbers of batches, or all.
func ParseChoice(texts []string) (c Choice, err error) {
	for _, text := range texts {
		if text == "all" {
			c.all = true
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return c, fmt.Errorf("batch is %q; want the number of one of unknown fate, or all", text)
		}
		c.numbers = append(c.numbers, n)
	}
	return c, nil
}

// Any reports whether anything is chosen.
func (c Choice) Any() bool { return c.all || len(c.numbers) > 0 }

func (c Choice) has(batch int) bool { return c.all || slices.Contains(c.numbers, batch) }

// Check refuses a choice of batches whose fate is known.
func (c Choice) Check(j *Journal) error {
	for _, n := range c.numbers {
		if j.Fate(n) != Unknown {
			return fmt.Errorf("batch %d is not of unknown fate; %s", n, named(j.of(Unknown)))
		}
	}
	return nil
}

func named(batches []int) string {
	if len(batches) == 0 {
		return "none is"
	}
	return "those are " + Numbers(batches)
}

// Numbers are batches as people read them, the first of many.
func Numbers(batches []int) string {
	const most = 20
	var texts []string
	for _, n := range batches[:min(len(batches), most)] {
		texts = append(texts, strconv.Itoa(n))
	}
	text := strings.Join(texts, ", ")
	if len(batches) > most {
		text += fmt.Sprintf(" and %d more", len(batches)-most)
	}
	return text
}

// of are the batches of a fate, in order.
func (j *Journal) of(fate Fate) (batches []int) {
	for n, e := range j.entries {
		if e.Fate == fate {
			batches = append(batches, n)
		}
	}
	slices.Sort(batches)
	return batches
}

// Leave settles batches of unknown fate as they are: they are never sent again.
func (j *Journal) Leave(s *Survey, c Choice, at time.Time) error {
	for _, b := range s.Batches {
		if j.Fate(b.Number) == Unknown && c.has(b.Number) {
			if err := j.note(b, Left, "", 0, at); err != nil {
				return err
			}
		}
	}
	return j.file.Sync()
}

// Due are the batches that go now: what was not sent or was refused, and what is chosen of unknown fate.
func (j *Journal) Due(s *Survey, again Choice) (batches, events int) {
	for _, b := range s.Batches {
		if j.due(b, again) {
			batches, events = batches+1, events+b.Events
		}
	}
	return batches, events
}

func (j *Journal) due(b Batch, again Choice) bool {
	fate := j.Fate(b.Number)
	return !fate.settled() && (fate != Unknown || again.has(b.Number))
}

// mostLost is after how many lost answers in a row nothing more is sent.
const mostLost = 5

// The ways in which sending ends early.
var (
	// ErrNoConnection is an address that cannot be reached, or takes nothing now.
	ErrNoConnection = errors.New("the address of events takes nothing")
	// ErrRefused is an answer that every other batch would get as well.
	ErrRefused = errors.New("the address of events refuses the key, the pixel or the request")
	// errNoAnswers is a service whose answers are lost.
	errNoAnswers = errors.New("no answer comes")
)

// Send sends what is due, batch by batch, as it stands in the file that was looked at. What ends it early
// is an error; what became of each batch is in the journal.
func Send(ctx context.Context, f *File, s *Survey, j *Journal, to *Sender, again Choice) error {
	run := sending{j: j}
	client := to.client()
	b := batcher{perRequest: j.head.PerRequest}
	b.ended = func(batch Batch, rows []kept) error {
		if batch.Number > len(s.Batches) || batch != s.Batches[batch.Number-1] {
			return errChanging
		}
		if !j.due(batch, again) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at := to.Now()
		body, numbers := bodyOf(rows, at)
		if len(numbers) == 0 {
			return j.late(batch, at)
		}
		return run.send(batch, numbers, at, func() (outcome, error) {
			return to.post(ctx, client, body, len(numbers))
		})
	}
	known := seen{}
	digest, err := f.walk(ctx, func(r row) error {
		if known.problem(r) != nil {
			return nil
		}
		return b.add(r)
	})
	if err == nil {
		err = b.end()
	}
	if err == nil && digest != s.Digest {
		err = errChanging
	}
	return err
}

var errChanging = fmt.Errorf("%w: it changed while it was read", ErrChanged)

// late settles a batch of which everything is too old. One that was sent stays unknown.
func (j *Journal) late(b Batch, at time.Time) error {
	if j.Fate(b.Number) == Unknown {
		return nil
	}
	return j.note(b, Late, "", 0, at)
}

// sending is one run over the batches of a file.
type sending struct {
	j    *Journal
	lost int // answers in a row
}

// send sends one batch of these rows, and writes before and after it what is known of it.
func (r *sending) send(b Batch, numbers []int, at time.Time, post func() (outcome, error)) error {
	was := r.j.entries[b.Number]
	if err := r.j.note(b, Unknown, "", 0, at); err != nil {
		return fmt.Errorf("nothing more was sent: %w", err)
	}
	o, stopped := post()
	row := 0
	if o.event >= 0 && o.event < len(numbers) && o.fate == Refused {
		row = numbers[o.event]
	}
	fate := o.fate
	if was.Fate == Unknown && (fate == Waiting || fate == Refused) {
		fate = Unknown // what was sent before may have arrived all the same
	}
	if fate != Unknown {
		if err := r.j.note(b, fate, o.code, row, at); err != nil {
			return err
		}
	}
	if stopped != nil {
		return stopped
	}
	switch r.lost++; {
	case o.fate == Unknown && r.lost >= mostLost:
		return fmt.Errorf("%w: the last %d answers were lost (%s)", errNoAnswers, r.lost, o)
	case o.fate == Unknown:
		return nil
	case o.fate == Waiting:
		return fmt.Errorf("%w: %s", ErrNoConnection, o)
	case o.fate == Refused && slices.Contains([]int{401, 403, 404, 405}, o.status):
		return fmt.Errorf("%w: %s", ErrRefused, o)
	}
	r.lost = 0
	return nil
}
