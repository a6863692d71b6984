package main

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// binary is a program and what it says of how it was built.
type binary struct {
	content  []byte
	platform v1.Platform
	revision string // "" where it does not say
	at       time.Time
}

func readBinary(path string) (b binary, err error) {
	if b.content, err = os.ReadFile(path); err != nil {
		return b, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return b, err
	}
	said := map[string]string{}
	for _, s := range info.Settings {
		said[s.Key] = s.Value
	}
	b.platform = v1.Platform{OS: said["GOOS"], Architecture: said["GOARCH"]}
	b.revision = said["vcs.revision"]
	if said["vcs.modified"] == "true" {
		b.revision += "-modified"
	}
	if b.at, err = timeOf(said["vcs.time"]); err != nil {
		return b, err
	}
	return b, refuseDynamic(path)
}

// timeOf returns SOURCE_DATE_EPOCH, or the time of the commit.
func timeOf(commit string) (time.Time, error) {
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q; want seconds since 1970", epoch)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	if commit == "" {
		return time.Time{}, errors.New("it does not say of which commit it is; want SOURCE_DATE_EPOCH")
	}
	return time.Parse(time.RFC3339, commit)
}

// refuseDynamic refuses a program that needs a loader, which the image does not have.
func refuseDynamic(path string) error {
	file, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return errors.New("it is not static; want it built with CGO_ENABLED=0")
	}
	return nil
}

const (
	program = "/usr/local/bin/adsync"
	state   = "/var/lib/adsync"
	user    = 65532 // the user without rights of distroless images, which policies of clusters know
)

// imageOf returns the image of one platform.
func imageOf(b binary, version string, extra []byte) (v1.Image, error) {
	layers, err := layersOf(b, extra)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created := v1.Time{Time: b.at}
	for i, what := range []string{"certificates, a user and empty folders", "adsync " + version} {
		image, err = mutate.Append(image, mutate.Addendum{Layer: layers[i], MediaType: types.OCILayer,
			History: v1.History{Created: created, CreatedBy: "internal/tools/image", Comment: what}})
		if err != nil {
			return nil, err
		}
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Created, file.OS, file.Architecture = created, b.platform.OS, b.platform.Architecture
	file.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		Env:          []string{"HOME=" + state, "XDG_STATE_HOME=" + state},
		Entrypoint:   []string{program},
		Cmd:          []string{"daemon", "--config", "/etc/adsync/daemon.yaml", "--log-format", "json"},
		WorkingDir:   "/",
		Volumes:      map[string]struct{}{state: {}, "/tmp": {}}, // to write there where the root is read-only
		ExposedPorts: map[string]struct{}{"8787/tcp": {}},
		StopSignal:   "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":       "adsync",
			"org.opencontainers.image.description": "keeps ad accounts equal to their files",
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     version,
			"org.opencontainers.image.created":     b.at.Format(time.RFC3339),
		},
	}
	if b.revision != "" {
		file.Config.Labels["org.opencontainers.image.revision"] = b.revision
	}
	return mutate.ConfigFile(image, file)
}
