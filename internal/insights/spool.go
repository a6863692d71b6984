package insights

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// Row is one row of a report. Cells are by the columns of the report.
type Row struct {
	Start       int64    `json:"s"` // Unix seconds
	End         int64    `json:"e"`
	Preliminary bool     `json:"p"`
	Cells       []string `json:"c"`
	Partial     bool     `json:"w,omitempty"` // a week of which the span has not all days
}

// key is what a row is sorted by: a figure or a text. What has no value comes last.
type key struct {
	void   bool
	number int64
	text   string
}

// entry is where a row lies in the file, and its place among the rows.
type entry struct {
	place
	segment int32
	start   int64
	keys    []key
	tie     string
}

// place is where a row lies in the file.
type place struct {
	at   int64
	size int32
}

// spool holds rows in a file that nobody else sees, and in memory what orders them: a
// report of any size takes little memory, and its sums are known before its first row.
type spool struct {
	file    *os.File
	out     *bufio.Writer
	end     int64
	entries []entry           // until they are arranged
	places  []place           // of the rows, in order
	known   map[string]string // texts that many rows share, once
	line    []byte            // of the row that was read last
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "adsync-figures-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil { // it goes when the process does
		return nil, errors.Join(err, file.Close())
	}
	return &spool{file: file, out: bufio.NewWriterSize(file, 1<<16), known: map[string]string{}}, nil
}

func (s *spool) add(row Row, e entry) error {
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	if _, err := s.out.Write(line); err != nil {
		return err
	}
	e.place = place{s.end, int32(len(line))} // a row is a part of an answer, whose size is bounded
	s.end += int64(len(line))
	if shared, ok := s.known[e.tie]; ok {
		e.tie = shared
	} else {
		s.known[e.tie] = e.tie
	}
	s.entries = append(s.entries, e)
	return nil
}

// arrange puts the rows in order: by segment, by what was asked for, by time, by name.
func (s *spool) arrange(orders []Order) error {
	slices.SortStableFunc(s.entries, func(a, b entry) int {
		if c := cmp.Compare(a.segment, b.segment); c != 0 {
			return c
		}
		for i, order := range orders {
			if c := compareKeys(a.keys[i], b.keys[i], order.Direction == "desc"); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.tie, b.tie))
	})
	s.places = make([]place, len(s.entries))
	for i := range s.entries {
		s.places[i] = s.entries[i].place
	}
	s.entries, s.known = nil, nil
	return s.out.Flush()
}

func compareKeys(a, b key, descending bool) int {
	switch {
	case a.void && b.void:
		return 0
	case a.void:
		return 1
	case b.void:
		return -1
	}
	c := cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	if descending {
		return -c
	}
	return c
}

// read reads a row back.
func (s *spool) read(where place) (row Row, err error) {
	s.line = slices.Grow(s.line[:0], int(where.size))[:where.size]
	_, err = s.file.ReadAt(s.line, where.at)
	if err == nil || errors.Is(err, io.EOF) {
		err = json.Unmarshal(s.line, &row)
	}
	if err != nil {
		err = fmt.Errorf("read figures back: %w", err)
	}
	return row, err
}

// rows are the rows in order.
func (s *spool) rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, where := range s.places {
			row, err := s.read(where)
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
