// Command image puts static binaries of adsync into a container image, a platform each, without Docker: an OCI layout
// of all platforms, a tarball of each for `docker load`, and, if asked, a push to a registry.
//
//	image [-version 1.2.3] [-roots extra.pem] [-push registry/name] OUT BINARY...
//
// The same binaries give the same bytes: nothing is taken from the machine, and every time is that of the commit, or
// of SOURCE_DATE_EPOCH. It is a module of its own, so that adsync needs none of what it uses.
//
// Open layers.go for what the image holds, config.go for how it is run.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	version := flag.String("version", "dev", "version, which is the tag too")
	roots := flag.String("roots", "", "file of certificates to trust beside Mozilla's, as PEM")
	push := flag.String("push", "", "registry/name to push to")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: image [-version V] [-roots FILE] [-push registry/name] OUT BINARY...")
		os.Exit(2)
	}
	if err := build(*version, *roots, *push, flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func build(version, roots, push, out string, binaries []string) error {
	extra, err := readRoots(roots)
	if err != nil {
		return err
	}
	tag, err := name.NewTag("adsync:" + version)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, path := range binaries {
		b, err := readBinary(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		image, err := imageOf(b, version, extra)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		file := filepath.Join(out, "adsync-"+b.platform.OS+"-"+b.platform.Architecture+".tar")
		if err := tarball.WriteToFile(file, tag, image); err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &b.platform},
		})
	}
	if err := writeLayout(filepath.Join(out, "layout"), version, index); err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("adsync:%s@%s\n", version, digest)
	if push == "" {
		return nil
	}
	at, err := name.NewTag(push + ":" + version)
	if err != nil {
		return err
	}
	return remote.WriteIndex(at, index, remote.WithAuthFromKeychain(authn.DefaultKeychain))
}

// writeLayout writes an OCI layout with the one index, named as its version.
func writeLayout(dir, version string, index v1.ImageIndex) error {
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": version,
	}))
}
