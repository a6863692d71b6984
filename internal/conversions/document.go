package conversions

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"adsync/internal/csvfile"
)

// SendDocument is the JSON form of conversions send.
type SendDocument struct {
	FormatVersion int             `json:"format_version"`
	File          string          `json:"file"`
	Digest        string          `json:"digest"` // of the file: sha256:<hex>
	Pixel         string          `json:"pixel"`
	Host          string          `json:"host"`    // that events are sent to
	Checked       bool            `json:"checked"` // nothing was to be sent
	Rows          int             `json:"rows"`
	Invalid       int             `json:"invalid"`  // rows that cannot go
	Problems      []Problem       `json:"problems"` // the first of them
	Batches       []BatchDocument `json:"batches"`
	Events        Counts          `json:"events"`  // by what became of their batch
	Results       string          `json:"results"` // file with a result a row; "" where none was written
}

// BatchDocument is a batch, and what became of it.
type BatchDocument struct {
	Number   int    `json:"number"`
	FirstRow int    `json:"first_row"`
	LastRow  int    `json:"last_row"`
	Events   int    `json:"events"`
	Fate     string `json:"fate"` // waiting, unknown, taken, refused, late, left
	Code     string `json:"code"` // the service's word for why it was refused
	Row      int    `json:"row"`  // the event it was refused for; 0 where the service names none
}

// Counts are events by the fate of their batch.
type Counts struct {
	Taken   int `json:"taken"`
	Unknown int `json:"unknown"`
	Refused int `json:"refused"`
	Late    int `json:"late"`
	Left    int `json:"left"`
	Waiting int `json:"waiting"`
}

// Document returns what became of the batches; a nil journal is one in which nothing is.
func Document(s *Survey, j *Journal) SendDocument {
	d := SendDocument{FormatVersion: 1, Digest: s.Digest, Rows: s.Rows, Invalid: s.Invalid,
		Problems: append([]Problem{}, s.Problems...), Batches: []BatchDocument{}}
	for _, b := range s.Batches {
		var e entry
		if j != nil {
			e = j.entries[b.Number]
		}
		one := BatchDocument{b.Number, b.First, b.Last, b.Events, string(e.Fate), e.Code, e.Row}
		if e.Fate == Waiting {
			one.Fate = "waiting"
		}
		*d.Events.by(e.Fate) += b.Events
		d.Batches = append(d.Batches, one)
	}
	return d
}

func (c *Counts) by(f Fate) *int {
	return map[Fate]*int{Taken: &c.Taken, Unknown: &c.Unknown, Refused: &c.Refused, Late: &c.Late, Left: &c.Left,
		Waiting: &c.Waiting}[f]
}

// Of are the batches of a fate.
func (d *SendDocument) Of(f Fate) (batches []int) {
	for _, b := range d.Batches {
		if b.Fate == string(f) {
			batches = append(batches, b.Number)
		}
	}
	return batches
}

// ResultsBegin says how a file of results begins.
const ResultsBegin = "\ufeffresult,row,batch,message\r\n"

// WriteResults writes what became of each row, and nothing of what stands in it.
func WriteResults(ctx context.Context, w io.Writer, f *File, s *Survey, j *Journal, now time.Time) error {
	out, known, at := csvfile.NewWriter(w), seen{}, 0
	out.Write([]string{"result", "row", "batch", "message"})
	_, err := f.walk(ctx, func(r row) error {
		if err := known.problem(r); err != nil {
			out.Write([]string{"problem", strconv.Itoa(r.number), "", err.Error()})
			return nil
		}
		for at < len(s.Batches)-1 && r.number > s.Batches[at].Last {
			at++
		}
		if len(s.Batches) == 0 {
			return errChanging
		}
		result, message := resultOf(j, s.Batches[at].Number, r, now)
		out.Write([]string{result, strconv.Itoa(r.number), strconv.Itoa(s.Batches[at].Number), message})
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// resultOf is what became of a row of a batch.
func resultOf(j *Journal, batch int, r row, now time.Time) (result, message string) {
	var e entry
	if j != nil {
		e = j.entries[batch]
	}
	if e.Fate == Taken || e.Fate == Unknown || e.Fate == Left {
		now = e.At // a row that was too old by then did not go
	}
	late := r.event.timely(now)
	switch {
	case late != nil:
		return "late", late.Error()
	case e.Fate == Unknown:
		return "unknown", fmt.Sprintf("its batch was sent, and no answer came; --again %d sends it again", batch)
	case e.Fate == Left:
		return "left", "its batch was sent, and no answer came; it is left so"
	case e.Fate == Taken:
		return "taken", ""
	case e.Fate == Refused && e.Row == r.number:
		return "refused", "the service refused its batch for it: " + e.Code
	case e.Fate == Refused:
		return "refused", "its batch was not taken, and goes with the next send"
	}
	return "waiting", "its batch was not sent"
}
