package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// layersOf returns two layers: what seldom changes, and the program. Time zones lie in the program.
func layersOf(b binary, extra []byte) ([]v1.Layer, error) {
	passwd := fmt.Sprintf("adsync:x:%d:%d:adsync:%s:/nonexistent\n", user, user, state)
	group := fmt.Sprintf("adsync:x:%d:\n", user)
	base := []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, content: []byte(group)},
		{name: "etc/passwd", mode: 0o644, content: []byte(passwd)},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: append(mozilla(), extra...)},
		{name: "tmp/", mode: 0o1777},
		{name: "var/", mode: 0o755},
		{name: "var/lib/", mode: 0o755},
		{name: state[1:] + "/", mode: 0o700, user: user},
	}
	own := []entry{
		{name: "usr/", mode: 0o755},
		{name: "usr/local/", mode: 0o755},
		{name: "usr/local/bin/", mode: 0o755},
		{name: program[1:], mode: 0o755, content: b.content},
	}
	var layers []v1.Layer
	for _, entries := range [][]entry{base, own} {
		packed, err := pack(entries, b.at)
		if err != nil {
			return nil, err
		}
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
		layer, err := tarball.LayerFromOpener(open,
			tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	return layers, nil
}

// entry is a file, or a folder where its name ends with a slash.
type entry struct {
	name    string
	mode    int64
	user    int
	content []byte
}

func pack(entries []entry, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: e.mode, Uid: e.user, Gid: e.user, Size: int64(len(e.content)),
			ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if e.name[len(e.name)-1] == '/' {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	return packed.Bytes(), w.Close()
}

// mozilla returns the root certificates that Mozilla trusts, as PEM. They come from a module, not from the machine's
// ca-certificates, which differs from machine to machine and so would the image. A root that is trusted only for what
// it issued until some day is left out: a file of certificates cannot say until when.
func mozilla() []byte {
	var file bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			file.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return file.Bytes()
}

// readRoots reads more certificates; none where there is no file.
func readRoots(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if block, _ := pem.Decode(content); block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New(path + " has no certificate; want PEM")
	}
	return content, nil
}
