package sources_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/workbook"
)

// largeSnapshot takes more than the 16 MiB a sheet may have in memory while it
// is written.
func largeSnapshot() *resource.Snapshot {
	s := benchmarkSnapshot(1)
	group := s.Addresses()[1]
	for i := range 9_000 {
		ad := &resource.Resource{Address: group.Down(kinds.Ad, fmt.Sprintf("ad-%d", i))}
		ad.Set("title", resource.Text("Shoes for muddy trails"))
		ad.Set("body", resource.Text("Light."))
		ad.Set("image", resource.Text("https://img.example/a.png"))
		ad.Set("target_url", resource.Text("https://shop.example/"+strings.Repeat("a", 2_000)))
		s.Add(ad)
	}
	return s
}

// halted says that a workbook is about to be written out, and never returns.
type halted struct{}

func (halted) Write([]byte) (int, error) {
	fmt.Println("spilled")
	select {}
}

const writesAndHalts = "ADSYNC_TEST_WRITES_AND_HALTS"

func scratchIn(t testing.TB, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	return left
}

// TestW25PartsAKilledProcessLeftAreTakenAway kills a process while parts of a
// workbook lie on disk.
func TestW25PartsAKilledProcessLeftAreTakenAway(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	if os.Getenv(writesAndHalts) != "" {
		must(t, workbook.WriteWorkbook(halted{}, kinds.All(), largeSnapshot(), dollars))
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), writesAndHalts+"=1")
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	_, err = io.ReadFull(out, make([]byte, len("spilled\n")))
	must(t, err)

	left := scratchIn(t, dir)
	if len(left) != 1 {
		t.Fatalf("the process keeps parts in %q, want one folder", left)
	}
	about, err := os.Stat(left[0])
	must(t, err)
	parts := scratchIn(t, left[0])
	if about.Mode().Perm() != 0o700 || len(parts) == 0 {
		t.Fatalf("%s has the mode %v and %d parts; want 0700 and at least one", left[0], about.Mode(), len(parts))
	}

	var b bytes.Buffer
	must(t, workbook.WriteTemplate(&b, kinds.All(), dollars))
	if got := scratchIn(t, dir); len(got) != 1 || got[0] != left[0] {
		t.Errorf("while the process runs, %q are left, want its folder %q", got, left)
	}
	must(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	if got := scratchIn(t, dir); len(got) != 1 {
		t.Fatalf("the killed process left %q, want its folder", got)
	}
	must(t, workbook.WriteTemplate(&b, kinds.All(), dollars))
	if got := scratchIn(t, dir); len(got) > 0 {
		t.Errorf("after the next workbook %q are left, want nothing", got)
	}
}

// TestW25ReadingLeavesNothing holds that a workbook is read in memory alone.
func TestW25ReadingLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	content := bookOf(t, manyRows(20_000))
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if got := readBytes(content); len(got.Drafts) != 20_000 {
		t.Fatalf("%d drafts, want 20,000", len(got.Drafts))
	}
	if got := scratchIn(t, dir); len(got) > 0 {
		t.Errorf("reading left %q, want nothing", got)
	}
}
