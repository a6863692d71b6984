package main

import (
	"os"
	"path/filepath"
	"testing"
)

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func saveFile(t *testing.T, name, content string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	noError(t, os.WriteFile(name, []byte(content), 0o600))
}
