package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWatchSeesEverySave: saved in place or put in its place, a change is
// checked (faults F1, F2).
func TestWatchSeesEverySave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.yaml")
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = "kind: campaign\nname: First one\nbidding_type: clicks\nbudget: {daily: 5}\n"
	write(name, good)
	c := asAdsync("validate", "--watch", dir)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = writer, writer
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	guard := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	defer guard.Stop()
	lines := bufio.NewScanner(reader)
	until := func(words string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), words) {
				return
			}
		}
		t.Fatalf("watch ended before it said %q", words)
	}
	until("1 resource, no problems")
	write(filepath.Join(dir, "new.tmp"), strings.Replace(good, "bidding_type: clicks\n", "", 1))
	if err := os.Rename(filepath.Join(dir, "new.tmp"), name); err != nil {
		t.Fatal(err)
	}
	until("ADS1006")
	write(name, good)
	until("1 resource, no problems")
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("watch ended with %v; want 0 after an interrupt", err)
	}
}
