package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"adsync/internal/testing/syscalls"

	"github.com/xuri/excelize/v2"
)

// updatable is a project that was applied, whose workbook has room for ids.
func updatable(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS("../../examples/quickstart")))
	noError(t, os.RemoveAll(filepath.Join(dir, ".adsync")))
	f, err := excelize.OpenFile(filepath.Join(dir, "winter.xlsx"))
	noError(t, err)
	defer f.Close()
	noError(t, f.SetCellStr("Ads", "K1", "ID"))
	noError(t, f.Save())
	env = append(os.Environ(), asCommand+"=1")
	apply := exec.Command(os.Args[0], "apply", "--yes", dir)
	apply.Env = env
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("apply: %v\n%s", err, out)
	}
	return dir, env
}

// An update that is killed, or meets a disk that fails, leaves the workbook as it
// was, whole; the next one does all that is to be done.
func TestAnUpdateThatDoesNotEndLeavesTheWorkbookWhole(t *testing.T) {
	t.Parallel()
	if !syscalls.Available() {
		return
	}
	dir, env := updatable(t)
	name := filepath.Join(dir, "winter.xlsx")
	original, err := os.ReadFile(name)
	noError(t, err)
	update := exec.Command(os.Args[0], "export", "--update", name)
	update.Env = env
	for _, c := range []struct {
		name, inject string
		replaced     bool
	}{
		{"killed before the new file has its name", "inject=renameat,renameat2:signal=KILL:error=EINTR", false},
		{"killed before the former file is kept", "inject=linkat:signal=KILL:error=EINTR", false},
		{"killed while the new file is made durable", "inject=fsync:signal=KILL:error=EINTR", false},
		{"a disk that makes nothing durable", "inject=fsync:error=EIO", false},
		{"a file system that renames nothing", "inject=renameat,renameat2:error=EXDEV", false},
		{"a file system without links", "inject=linkat:error=EPERM", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kept := range keptBeside(t, dir) {
				noError(t, os.Remove(kept))
			}
			noError(t, os.WriteFile(name, original, 0o600))
			traced := syscalls.Under(update, filepath.Join(t.TempDir(), "calls"),
				"-e", "trace="+syscalls.Traced+",linkat", "-e", c.inject)
			out, err := traced.CombinedOutput()
			after, readErr := os.ReadFile(name)
			noError(t, readErr)
			if replaced := !bytes.Equal(after, original); replaced != c.replaced || (err == nil) != c.replaced {
				t.Fatalf("update ended with %v, and the workbook is another: %v; want %v\n%s",
					err, replaced, c.replaced, out)
			}
			again := exec.Command(os.Args[0], "export", "--update", name)
			again.Env = env
			if out, err := again.CombinedOutput(); err != nil {
				t.Fatalf("the next update: %v\n%s", err, out)
			}
			kept := keptBeside(t, dir)
			for _, name := range kept { // two where a minute began between the runs
				if former, err := os.ReadFile(name); err != nil || !bytes.Equal(former, original) {
					t.Errorf("the former file has %d bytes, %v; want what was there", len(former), err)
				}
			}
			if len(kept) == 0 {
				t.Error("no former file is kept")
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

func keptBeside(t *testing.T, dir string) []string {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(dir, "winter (before *).xlsx"))
	noError(t, err)
	return kept
}
