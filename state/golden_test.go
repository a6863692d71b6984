package state

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// S22: states that earlier versions wrote, killed after a job was sent. Today's
// code finds the very bytes and the key to send again, brings the step to its end,
// and takes the state over without losing anything.
func TestS22StatesOfEarlierVersionsGoOn(t *testing.T) {
	for _, name := range []string{"format1", "format2", "format3"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, filepath.Join("testdata", name+".tar.gz"), dir)
			s := openFolder(t, dir)
			before := s.Header()
			must(t, s.Bind(t.Context(), acme))
			want := job("run-1/2/0", 2)
			want.Point, want.SentAt = Sent, morning
			open, err := s.Open(t.Context())
			must(t, err)
			same(t, "open steps", open, []Step{want})
			last, err := s.Last(t.Context())
			must(t, err)
			for _, a := range append(ads(5, 1), ads(0, 1)...) {
				if r := last.Get(a.Address); r == nil || r.ID != a.ID {
					t.Errorf("%s is %+v; want it bound to %s", a.Address, r, a.ID)
				}
			}
			generation, err := s.Generation(t.Context(), address("campaign/shoes"))
			must(t, err)
			same(t, "generation", generation, 2)
			files, err := s.Files(t.Context())
			must(t, err)
			same(t, "files", files, map[string]string{"sha256:aa": "file_1"})
			if err := s.Begin(t.Context(), job("run-1/1/0", 1)); !errors.Is(err, errExists) {
				t.Errorf("Begin of a step that is closed = %v; want %v", err, errExists)
			}

			must(t, s.Finish(t.Context(), want.ID, ads(1, 1), nil))
			must(t, s.Move(t.Context(), want.ID, Closed, Update{}))
			next, err := s.NextSequence(t.Context())
			must(t, err)
			same(t, "next number", next, int64(2))
			must(t, s.RecordReport(t.Context(), "run-1", []byte("head"), written("report")))
			must(t, s.Close())

			s = openFolder(t, dir)
			if now := s.Header(); now.Lineage != before.Lineage ||
				now.Serial <= before.Serial || now.Format != formatVersion {
				t.Errorf("header goes from %+v to %+v; want the lineage to stay, the serial to rise and format %d",
					before, now, formatVersion)
			}
			if open, err := s.Open(t.Context()); err != nil || len(open) != 0 {
				t.Errorf("Open() = %v, %v; want nothing left", open, err)
			}
		})
	}
}

// unpack lays out what a gzipped tar holds.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	file, err := os.Open(archive)
	must(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	must(t, err)
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if err == io.EOF {
			return
		}
		must(t, err)
		content, err := io.ReadAll(entries)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(entry.Name)), content, 0o600))
	}
}
