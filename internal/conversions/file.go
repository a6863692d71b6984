package conversions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/xlsx"
)

// Fault is why nothing of a file can be used. It says where and what, and never what is written there.
type Fault struct {
	Row     int // line or row of a sheet; 0 where it is the file's
	Message string
	Hint    string
}

func (f *Fault) Error() string {
	text := f.Message
	if f.Row > 0 {
		text = fmt.Sprintf("row %d: %s", f.Row, text)
	}
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text
}

// Reading says how a file is read.
type Reading struct {
	Zone         *time.Location // of times that name none; nil: such a time is refused
	ActionSource string         // of events that name none
	Workbook     xlsx.Limits
}

// File is an open file of events.
type File struct {
	Reading
	file *os.File
	read func(context.Context, io.Reader, func(row) error) error
}

// row is one event of a file, or why it cannot be one.
type row struct {
	number  int // line or row of a sheet
	event   event
	problem error
}

// Open opens a CSV file, a file of JSON lines or a workbook, as its name ends.
func Open(name string, r Reading) (*File, error) {
	f := &File{Reading: r}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt":
		f.read = f.readTable
	case ".jsonl", ".ndjson":
		f.read = f.readLines
	case ".xlsx":
		f.read = f.readWorkbook
	default:
		return nil, &Fault{Message: "the name ends in no .csv, .jsonl or .xlsx; want one of them"}
	}
	var err error
	if f.file, err = os.Open(name); err != nil {
		return nil, err
	}
	if about, err := f.file.Stat(); err != nil || !about.Mode().IsRegular() {
		return nil, errors.Join(&Fault{Message: "it is no plain file; want one, as it is read more than once"},
			f.file.Close())
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// walk visits every event from the first, and returns the digest of the file, "sha256:<hex>".
func (f *File) walk(ctx context.Context, visit func(row) error) (digest string, err error) {
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum := sha256.New()
	content := io.TeeReader(f.file, sum)
	rows := 0
	err = f.read(ctx, content, func(r row) error {
		if rows++; rows%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r.problem == nil {
			r.problem = r.event.check()
		}
		return visit(r)
	})
	if fault, ok := errors.AsType[*csvfile.Fault](err); ok {
		err = &Fault{fault.Line, fault.Message, fault.Hint}
	}
	if err == nil {
		_, err = io.Copy(io.Discard, content)
	}
	if err == nil && rows == 0 {
		err = &Fault{Message: "file holds no event; want one a row"}
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), err
}
