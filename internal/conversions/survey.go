package conversions

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// maxBody bounds a batch, bytes. assumption: the bound of the service is not published.
const maxBody = 4 << 20

// mostProblems is how many rows are named that cannot go.
const mostProblems = 20

// Batch is a part of a file that goes in one request, which is taken whole or not at all.
type Batch struct {
	Number int // from 1
	First  int // line or row of its first event
	Last   int
	Events int

	sum [sha256.Size]byte // of the events as they are sent: the file may change between two readings
}

// Problem is a row that cannot go, and why.
type Problem struct {
	Row     int    `json:"row"`
	Message string `json:"message"`
}

// Survey is what a file holds, found by reading it once; no event is kept.
type Survey struct {
	Digest   string
	Rows     int
	Invalid  int       // of them, what the service would refuse, or has already in the file
	Problems []Problem // the first of them
	Batches  []Batch
}

// Events is how many events can go.
func (s *Survey) Events() int { return s.Rows - s.Invalid }

// Look reads a file and cuts it into batches of so many events. The batches do not depend on the time;
// what is too old by now is a problem all the same.
func Look(ctx context.Context, f *File, perRequest int, now time.Time) (*Survey, error) {
	s := &Survey{}
	var b batcher
	b.perRequest, b.ended = perRequest, func(batch Batch, _ []kept) error {
		s.Batches = append(s.Batches, batch)
		return nil
	}
	known := seen{}
	digest, err := f.walk(ctx, func(r row) error {
		s.Rows++
		if r.problem = known.problem(r); r.problem == nil {
			if err := b.add(r); err != nil {
				return err
			}
			r.problem = r.event.timely(now)
		}
		if r.problem != nil {
			if s.Invalid++; len(s.Problems) < mostProblems {
				s.Problems = append(s.Problems, Problem{r.number, r.problem.Error()})
			}
		}
		return nil
	})
	if err == nil {
		err = b.end()
	}
	s.Digest = digest
	return s, err
}

// seen are the ids of the rows so far, by 16 bytes of their hash, with the row of each.
type seen map[[16]byte]int32

// problem is why a row cannot go, be it its own or that its id was there.
func (s seen) problem(r row) error {
	if r.problem != nil {
		return r.problem
	}
	sum := sha256.Sum256([]byte(r.event.ID))
	id := [16]byte(sum[:16])
	if first, there := s[id]; there {
		return fmt.Errorf("has the id of row %d; want one row an event", first)
	}
	s[id] = int32(r.number) // a file of so many lines is beyond every bound
	return nil
}

// kept is an event of a batch, as it is sent.
type kept struct {
	number int
	event  event
	body   json.RawMessage
}

// batcher cuts rows into batches.
type batcher struct {
	perRequest int
	ended      func(Batch, []kept) error

	batch Batch
	rows  []kept
	size  int
}

func (b *batcher) add(r row) error {
	body, err := json.Marshal(r.event)
	if err != nil {
		return fmt.Errorf("row %d cannot be written as JSON", r.number) // the cause may quote it
	}
	if len(b.rows) == b.perRequest || b.size+len(body)+1 > maxBody {
		if err := b.end(); err != nil {
			return err
		}
	}
	b.rows, b.size = append(b.rows, kept{r.number, r.event, body}), b.size+len(body)+1
	return nil
}

// end ends the batch that is open.
func (b *batcher) end() error {
	if len(b.rows) == 0 {
		return nil
	}
	b.batch = Batch{Number: b.batch.Number + 1, First: b.rows[0].number, Last: b.rows[len(b.rows)-1].number,
		Events: len(b.rows)}
	sum := sha256.New()
	for _, k := range b.rows {
		sum.Write(k.body)
		sum.Write([]byte{'\n'})
	}
	sum.Sum(b.batch.sum[:0])
	err := b.ended(b.batch, b.rows)
	b.rows, b.size = b.rows[:0], 0
	return err
}

// bodyOf is the request of a batch at a time, without what is too old by then, and the rows it has.
func bodyOf(rows []kept, at time.Time) (body []byte, numbers []int) {
	body = []byte(`{"events":[`)
	for _, k := range rows {
		if k.event.timely(at) != nil {
			continue
		}
		if numbers = append(numbers, k.number); len(numbers) > 1 {
			body = append(body, ',')
		}
		body = append(body, k.body...)
	}
	return append(body, "]}"...), numbers
}
