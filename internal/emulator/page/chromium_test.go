package page_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// chromium runs headless Chromium, which `make deps` installs, and gives what it
// writes. The test fails without it.
func chromium(t *testing.T, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatalf("the page is tested in Chromium: %v; make deps installs it", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, path, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu",
		"--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + filepath.Join(t.TempDir(), "profile"),
	}, args...)...)
	text, err := command.Output()
	if err != nil {
		t.Fatalf("chromium %v: %v", args, err)
	}
	return string(text)
}

// screenshot keeps a picture of an address, in PAGE_SCREENSHOTS where that is
// set, for people to look at. It fails when the picture is empty.
func screenshot(t *testing.T, address, name string) {
	t.Helper()
	folder := os.Getenv("PAGE_SCREENSHOTS")
	if folder == "" {
		folder = t.TempDir()
	}
	picture := filepath.Join(folder, name+".png")
	chromium(t, "--screenshot="+picture, "--window-size=1280,1200", "--hide-scrollbars", address)
	about, err := os.Stat(picture)
	if err != nil || about.Size() < 5000 {
		t.Errorf("screenshot of %s: %v, %v; want a picture", address, about, err)
	}
}
