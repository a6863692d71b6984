package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// hides FOLDER FILE...: neither the files, of which stdout and stderr are the
// last command's, nor what adsync wrote into the folder's state shows the people
// of the scripts, as written or as a plain hash.
func hideCanaries(ts *testscript.TestScript, _ bool, args []string) {
	shown := map[string][]byte{}
	for _, name := range args[1:] {
		shown[name] = []byte(ts.ReadFile(name))
	}
	for _, dir := range []string{filepath.Join(args[0], ".adsync"), ".tmp"} {
		ts.Check(fs.WalkDir(os.DirFS(ts.MkAbs(".")), dir, func(name string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			shown[name], err = os.ReadFile(ts.MkAbs(name))
			return err
		}))
	}
	for _, canary := range []string{"canary.person@secret.example", "+4915550198765"} {
		sum := sha256.Sum256([]byte(canary))
		for _, secret := range []string{canary, strings.TrimPrefix(canary, "+"),
			hex.EncodeToString(sum[:]), string(sum[:])} {
			for name, content := range shown {
				if bytes.Contains(content, []byte(secret)) || bytes.Contains(bytes.ToLower(content), []byte(secret)) {
					ts.Fatalf("%s shows %q", name, secret)
				}
			}
		}
	}
}
