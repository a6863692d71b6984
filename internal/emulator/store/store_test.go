package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func all(t *testing.T, s *Store, bucket string) map[string]string {
	t.Helper()
	got := map[string]string{}
	if err := s.Load(bucket, func(k string, v []byte) error { got[k] = string(v); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func put(bucket, key, value string) Write { return Write{bucket, key, []byte(value)} }

func TestWhatWasWaitedForIsThereAfterReopening(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Append([]Write{put("a", "1", "x"), put("a", "2", "y"), put("b", "1", "z")})
	seq := s.Append([]Write{put("a", "1", "later"), {Bucket: "a", Key: "2"}, put("a", "3", "w")})
	if err := s.Wait(seq); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	defer s.Close()
	if diff := cmp.Diff(map[string]string{"1": "later", "3": "w"}, all(t, s, "a")); diff != "" {
		t.Errorf("bucket a (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"1": "z"}, all(t, s, "b")); diff != "" {
		t.Errorf("bucket b (-want +got):\n%s", diff)
	}
}

func TestCloseCommitsWhatWaits(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 100 {
		s.Append([]Write{put("a", fmt.Sprint(i), "x")})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	defer s.Close()
	if got := len(all(t, s, "a")); got != 100 {
		t.Errorf("after Close there are %d records, want 100", got)
	}
}

func TestManyWritersShareCommitsInOrder(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var order sync.Mutex
	var writers sync.WaitGroup
	n := 0
	for range 8 {
		writers.Go(func() {
			for range 25 {
				order.Lock()
				n++
				seq := s.Append([]Write{put("a", "last", fmt.Sprint(n))})
				order.Unlock()
				if err := s.Wait(seq); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	s.Close()
	s = open(t, dir)
	defer s.Close()
	if got := all(t, s, "a")["last"]; got != "200" {
		t.Errorf("last writer wrote %s, want 200", got)
	}
}

func TestASecondOpenIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	second, err := Open(dir)
	if err == nil {
		second.Close()
		t.Fatal("the folder is opened twice")
	}
	if !strings.Contains(err.Error(), "is open in another process") {
		t.Errorf("error = %q", err)
	}
}

func TestOthersCannotReadTheFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	defer open(t, dir).Close()
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, fileName): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s = %o, want %o", path, got, want)
		}
	}
}

func TestADamagedOrNewerFileIsRefused(t *testing.T) {
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, fileName),
		[]byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(damaged); err == nil {
		s.Close()
		t.Error("a damaged file is opened")
	}
	newer := t.TempDir()
	s := open(t, newer)
	if _, err := s.db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if s, err := Open(newer); err == nil {
		s.Close()
		t.Error("a file of a newer version is opened")
	}
}

func TestAfterAFailedCommitNothingIsPromised(t *testing.T) {
	s := open(t, t.TempDir())
	s.db.Close()
	if err := s.Wait(s.Append([]Write{put("a", "1", "x")})); err == nil {
		t.Error("Wait promises a write that could not be committed")
	}
	if err := s.Wait(s.Append([]Write{put("a", "2", "x")})); err == nil {
		t.Error("Wait promises a write after a failed commit")
	}
	if err := s.Close(); err == nil {
		t.Error("Close hides the failed commit")
	}
}

func TestMemoryKeepsNothingAndNeverWaits(t *testing.T) {
	s := open(t, "")
	if err := s.Wait(s.Append([]Write{put("a", "1", "x")})); err != nil {
		t.Fatal(err)
	}
	if got := all(t, s, "a"); len(got) != 0 {
		t.Errorf("memory has %v", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
