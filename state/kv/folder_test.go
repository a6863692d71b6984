package kv_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"adsync/internal/testing/kvtest"
	"adsync/state/kv"
)

func TestAFolderConforms(t *testing.T) {
	kvtest.Conforms(t, func(t *testing.T) kv.Store {
		return kv.Folder{Dir: filepath.Join(t.TempDir(), "not", "there", "yet")}
	})
}

// What has a name and is no plain file is not read, not written through, and not replaced; it may be taken away.
func TestOnlyPlainFilesCount(t *testing.T) {
	for name, put := range map[string]func(path, other string) error{
		"a folder":      func(path, _ string) error { return os.Mkdir(path, 0o700) },
		"a pipe":        func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a broken link": func(path, _ string) error { return os.Symlink("nowhere", path) },
		"a link":        func(path, other string) error { return os.Symlink(other, path) },
	} {
		t.Run(name, func(t *testing.T) {
			f, other := kv.Folder{Dir: t.TempDir()}, filepath.Join(t.TempDir(), "other")
			if err := errors.Join(os.WriteFile(other, []byte("mine"), 0o600), put(f.Where("a"), other)); err != nil {
				t.Fatal(err)
			}
			_, got := f.Get("a", kv.Most)
			_, secret := f.Secret("a", []byte("fresh"))
			for call, err := range map[string]error{
				"Get": got, "Secret": secret, "Put": f.Put("a", []byte("b")), "Append": f.Append("a", []byte("b")),
				"Rewrite": f.Rewrite("a", func(b []byte) []byte { return b }),
			} {
				if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), f.Where("a")) {
					t.Errorf("%s = %v; want an error that names it", call, err)
				}
			}
			if names, err := f.Names(""); err != nil || len(names) > 0 {
				t.Errorf("Names = %q, %v; want none", names, err)
			}
			if err := f.Delete("a"); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(f.Where("a")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("after Delete: %v; want nothing there", err)
			}
			if text, err := os.ReadFile(other); err != nil || string(text) != "mine" {
				t.Errorf("the file behind a link is %q, %v", text, err)
			}
		})
	}
}

func TestALinkOnTheWayIsRefused(t *testing.T) {
	f, other := kv.Folder{Dir: t.TempDir()}, t.TempDir()
	err := errors.Join(os.Symlink(other, f.Where("a")), os.WriteFile(filepath.Join(other, "b"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	_, got := f.Get("a/b", kv.Most)
	for call, err := range map[string]error{
		"Get": got, "Put": f.Put("a/b", nil), "Append": f.Append("a/b", nil), "Delete": f.Delete("a/b"),
	} {
		if err == nil || !strings.Contains(err.Error(), f.Where("a")) {
			t.Errorf("%s = %v; want an error that names the link", call, err)
		}
	}
	if names, err := f.Names("a/"); len(names) > 0 {
		t.Errorf("Names = %q, %v; want none", names, err)
	}
}

// A folder nobody can look into may hold anything: that is not the same as nothing.
func TestWhatCannotBeLookedIntoIsNotNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (kv.Folder{Dir: dir}).Get("STOP", kv.Most); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get = %v; want an error that is not fs.ErrNotExist", err)
	}
}

func TestFilesAreTheirOwnersAlone(t *testing.T) {
	f := kv.Folder{Dir: filepath.Join(t.TempDir(), "state")}
	_, failed := f.Secret("b/secret", []byte("a"))
	if err := errors.Join(failed, f.Put("b/put", nil), f.Append("b/appended", nil)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"": 0o700, "b": 0o700, "b/put": 0o600, "b/appended": 0o600, "b/secret": 0o600,
	} {
		if about, err := os.Stat(f.Where(name)); err != nil || about.Mode().Perm() != want {
			t.Errorf("%q is %v, %v; want %v", name, about.Mode().Perm(), err, want)
		}
	}
	if err := os.Chmod(f.Where("b/secret"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Secret("b/secret", []byte("b")); err == nil || !strings.Contains(err.Error(), "0600") {
		t.Errorf("Secret of a file others read = %v; want it refused", err)
	}
	if entries, err := os.ReadDir(f.Where("b")); err != nil || len(entries) != 3 {
		t.Errorf("the folder holds %v, %v; want the three files alone", entries, err)
	}
}

// The folder around is never made: it may be on a mount that is away.
func TestTheFolderAroundIsNeverMade(t *testing.T) {
	around := filepath.Join(t.TempDir(), "files")
	f := kv.Folder{Dir: filepath.Join(around, ".adsync"), Within: around}
	_, secret := f.Secret("a", []byte("a"))
	for call, err := range map[string]error{
		"Put": f.Put("a", nil), "Append": f.Append("a", nil), "Secret": secret,
	} {
		if !errors.Is(err, kv.ErrAway) {
			t.Errorf("%s = %v; want ErrAway", call, err)
		}
	}
	if _, err := os.Stat(around); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder around is there: %v", err)
	}
	if err := errors.Join(os.Mkdir(around, 0o700), f.Put("a", nil)); err != nil {
		t.Errorf("once it is back: %v", err)
	}
}
