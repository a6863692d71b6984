package state

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// keptReports is how many bytes reports take, compressed; every load of the
// state reads them. A report larger than that is kept alone.
const keptReports = 32 << 20

// fewRuns is how many runs have their heads read one by one.
const fewRuns = 30

// ErrNoReport is a run of which no report is kept.
var ErrNoReport = errors.New("no report is kept of this run")

// RecordReport keeps what is said of a run: a head for the history, and the
// report itself. The oldest reports go first where they take too much room;
// heads stay as long as their runs. A report of nil is none: the head alone stays.
func (l history) RecordReport(_ context.Context, run string, head []byte, report func(io.Writer) error) error {
	packed := ""
	if report != nil {
		var err error
		if packed, err = compress(report); err != nil {
			return fmt.Errorf("record the report of %s: %w", run, err)
		}
	}
	return l.change(func(b *batch) error {
		if _, there, err := b.get(record{classRun, run}); err != nil || !there {
			return cmp.Or(err, fmt.Errorf("record the report of %s: no run has this number", run))
		}
		b.put(classHead, run, strconv.Itoa(len(packed))+"\n"+string(head))
		if report == nil {
			b.remove(classReport, run)
			return nil
		}
		b.put(classReport, run, packed)
		return reports{b}.makeRoom(run, len(packed))
	})
}

// makeRoom drops the oldest reports until what is left is not too much.
func (b reports) makeRoom(newest string, size int) error {
	all := size
	for run, written := range b.reports {
		if run != newest {
			all += written
		}
	}
	if all <= keptReports {
		return nil
	}
	runs, err := b.runs()
	if err != nil {
		return err
	}
	for _, run := range runs {
		r := record{classReport, run.ID}
		if _, kept := b.sums[r]; !kept || run.ID == newest {
			continue
		}
		value, _, err := b.get(record{classHead, run.ID})
		if err != nil {
			return err
		}
		written, _, err := decodeHead(run.ID, value)
		if err != nil {
			return err
		}
		if size += written; size > keptReports {
			b.remove(classReport, run.ID)
		}
	}
	return nil
}

// Report returns the report of a run, or ErrNoReport.
func (l history) Report(_ context.Context, run string) ([]byte, error) {
	var packed string
	err := l.view(func(b *batch) error {
		value, there, err := b.get(record{classReport, run})
		if packed = value; err == nil && !there {
			err = ErrNoReport
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the report of %s: %w", run, err)
	}
	unpacked, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		return nil, unreadable(record{classReport, run})
	}
	report, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, unreadable(record{classReport, run})
	}
	return report, nil
}

func compress(write func(io.Writer) error) (string, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // a run waits for it twice
	if err != nil {
		return "", err
	}
	if err := write(w); err != nil {
		return "", err
	}
	err = w.Close()
	return packed.String(), err
}

// decodeHead returns the size of the report beside a head, and the head.
func decodeHead(run, value string) (size int, head []byte, err error) {
	text, rest, _ := strings.Cut(value, "\n")
	if size, err = strconv.Atoi(text); err != nil {
		return 0, nil, unreadable(record{classHead, run})
	}
	return size, []byte(rest), nil
}

// addHeads returns the runs their heads.
func (b reports) addHeads(runs []Run) error {
	heads := map[string]string{}
	if len(runs) > fewRuns {
		if err := b.engine.each(classHead, func(run, value string) error {
			heads[run] = value
			return nil
		}); err != nil {
			return err
		}
	}
	for i := range runs {
		value, there := heads[runs[i].ID]
		var err error
		if len(runs) <= fewRuns {
			value, there, err = b.get(record{classHead, runs[i].ID})
		}
		if err == nil && there {
			_, runs[i].Head, err = decodeHead(runs[i].ID, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prune makes room for one more run: it drops the oldest that left nothing open,
// with its report and the closed steps and keys that belong to it.
func (b reports) prune() error {
	runs, err := b.runs()
	if err != nil {
		return err
	}
	open, err := b.openRuns()
	if err != nil {
		return err
	}
	slices.Reverse(runs)
	dropped := map[string]bool{}
	for _, run := range runs {
		if len(runs)-len(dropped) < keptRuns {
			break
		}
		if !open[run.ID] {
			dropped[run.ID] = true
			b.remove(classRun, run.ID)
			b.remove(classHead, run.ID)
			b.remove(classReport, run.ID)
		}
	}
	return b.engine.each(classStep, func(id, value string) error {
		r, err := decodeStep(id, value)
		if err == nil && dropped[r.Run] && !r.Point.IsOpen() {
			b.remove(classStep, id)
			b.remove(classKey, r.Key)
		}
		return err
	})
}

// openRuns are the runs with a step that has not ended.
func (b reports) openRuns() (map[string]bool, error) {
	steps, err := b.openRecords(nil)
	open := map[string]bool{}
	for _, r := range steps {
		open[r.Run] = true
	}
	return open, err
}
