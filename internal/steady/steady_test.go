package steady_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/steady"
)

// What is in a folder is listed, whoever makes and takes away other files meanwhile.
func TestAListLeavesNothingOutWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "pack"), 0o755),
		os.WriteFile(filepath.Join(dir, "pack", "there"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			name := filepath.Join(dir, "pack", fmt.Sprint("tmp_", n%20))
			_ = os.WriteFile(name, nil, 0o600)
			_ = os.Remove(name)
		}
	}()
	folder := steady.Folder(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := folder.ReadDir("."); err != nil || len(all) != 1 {
		t.Errorf("the folder has %d files, %v; want the folder of packs alone, and no lock", len(all), err)
	}
	for range 5000 {
		all, err := folder.ReadDir("pack")
		if err != nil {
			t.Errorf("the folder cannot be listed: %v", err)
			break
		}
		found := false
		for _, about := range all {
			found = found || about.Name() == "there"
		}
		if !found {
			t.Errorf("the list has %d files, and not the one that is always there", len(all))
			break
		}
	}
	close(stop)
	<-ended
	if _, err := folder.ReadDir("none"); !os.IsNotExist(err) {
		t.Errorf("a folder that is not there gives %v; want that it is not there", err)
	}
}

// An index of a pack is read as it is, whole, in pieces and from where it is wanted, and the system is asked seldom.
func TestAnIndexIsReadInFewReads(t *testing.T) {
	dir := t.TempDir()
	content := make([]byte, 100_000)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	if err := os.WriteFile(filepath.Join(dir, "pack.idx"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	index, err := steady.Folder(dir).Open("pack.idx")
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	before := reads(t)
	var read []byte
	for piece := make([]byte, 4); ; {
		n, err := io.ReadFull(index, piece)
		read = append(read, piece[:n]...)
		if err != nil {
			break
		}
	}
	if asked := reads(t) - before; asked > 20 || !bytes.Equal(read, content) {
		t.Errorf("%d bytes in %d reads of the system; want %d as they are, in twenty at most",
			len(read), asked, len(content))
	}
	for _, to := range []struct {
		offset int64
		whence int
		want   int64
	}{{10, io.SeekStart, 10}, {7, io.SeekCurrent, 21}, {-100, io.SeekEnd, 99_900}} {
		at, err := index.Seek(to.offset, to.whence)
		piece := make([]byte, 4)
		if _, failed := io.ReadFull(index, piece); err != nil || failed != nil || at != to.want ||
			!bytes.Equal(piece, content[to.want:to.want+4]) {
			t.Errorf("a seek of %d from %d leads to %d, %v %v; want %d", to.offset, to.whence, at, err, failed, to.want)
		}
	}
}

// reads is how often this process has read, as the system counts.
func reads(t *testing.T) (n int) {
	t.Helper()
	about, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(about), "syscr: ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
