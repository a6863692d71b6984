package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// The mark is a small file beside the database that names the lineage and the
// serial of the last commit. It is raised after each commit without an fsync of
// its own: it may lag behind after a power cut and is never ahead. So a database
// that is gone, put back from a copy, or whose log lost its end is seen for what
// it is, and never taken for a new or a whole one.
//
// It has two slots, written in turn, so that a torn write leaves the other.

const slotSize = 512

// position is what a slot says.
type position struct {
	lineage string
	serial  int64
}

type mark struct {
	file    *os.File
	lineage string
}

func (p position) slot() []byte {
	text := fmt.Sprintf("adsync state %s serial %d ", p.lineage, p.serial)
	text += fmt.Sprintf("sum %016x\n", slotSum(text))
	return append([]byte(text), bytes.Repeat([]byte{' '}, slotSize-len(text))...)
}

func slotSum(text string) uint64 {
	return new(summer).sum(record{classHeader, "mark"}, text)
}

// parseSlot reads what slot wrote.
func parseSlot(b []byte) (position, bool) {
	var p position
	if _, err := fmt.Sscanf(string(b), "adsync state %s serial %d ", &p.lineage, &p.serial); err != nil {
		return position{}, false
	}
	return p, bytes.Equal(b, p.slot())
}

// readMark returns what the mark says; there is false where there is no file.
func readMark(path string) (p position, there bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return position{}, false, nil
	}
	if err != nil {
		return position{}, true, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	for ; len(b) >= slotSize; b = b[slotSize:] {
		if slot, ok := parseSlot(b[:slotSize]); ok && slot.serial > p.serial {
			p = slot
		}
	}
	if p.serial == 0 {
		return position{}, true, fmt.Errorf("%w: %s cannot be read; %s", ErrDamaged, path, restore)
	}
	return p, true, nil
}

// createMark writes a mark that is durable when it returns.
func createMark(dir, path string, p position) error {
	return writeFile(dir, path, append(p.slot(), p.slot()...))
}

func openMark(path, lineage string) (*mark, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return &mark{file, lineage}, nil
}

// raise reports whether a serial is durable.
func (m *mark) raise(serial int64) error {
	if _, err := m.file.WriteAt(position{m.lineage, serial}.slot(), serial%2*slotSize); err != nil {
		return fmt.Errorf("write %s: %w", m.file.Name(), err)
	}
	return nil
}

func (m *mark) close() error { return m.file.Close() }

// SerialOf returns how many commits the state in a folder has seen, 0 where there is
// none. It takes no lock, and reads one small file: whether a state is another by
// now costs nothing to ask.
func SerialOf(dir string) (int64, error) {
	if err := folder(dir).plain(); err != nil {
		return 0, err
	}
	mark, _, err := readMark(folder(dir).path(markName))
	return mark.serial, err
}
