package state

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The log does not grow with the number of commits; a log that cannot be moved
// into the database stops the store.
func TestLogIsMovedIntoTheDatabase(t *testing.T) {
	dir := filepath.Join(memoryFolder(t), "state")
	s := openFolder(t, dir)
	long := strings.Repeat("x", 20*pageSize)
	for n := range 150 {
		must(t, s.RecordFile(t.Context(), fmt.Sprintf("https://images.shop.example/%d.jpg", n), long))
	}
	at, err := os.Stat(filepath.Join(dir, databaseName+"-wal"))
	must(t, err)
	if most := int64(2 * logPages * pageSize); at.Size() > most {
		t.Errorf("the log has %d bytes after 150 commits of 20 pages; want %d at most", at.Size(), most)
	}
	d := s.(*held).engine.(*database)
	ended, end := context.WithCancel(t.Context())
	end()
	d.logged = logPages
	if err := d.checkpoint(ended, nil); err == nil {
		t.Error("a checkpoint that could not be made = nil; want an error")
	}
}
