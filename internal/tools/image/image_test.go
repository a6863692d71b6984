package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

const (
	repository = "../../.."
	version    = "1.2.3-test"
	epoch      = "1700000000"
)

// other is a platform that is not this machine's.
var other = map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]

// An image of adsync for this machine, and of a program that does nothing for the other platform, is what programs
// that are not ours read, unpack and fetch, and the adsync in it does its work where there is nothing else.
func TestImage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", epoch)
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	roots := filepath.Join(dir, "roots.pem")
	write(t, roots, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	binaries := []string{filepath.Join(dir, "own"), filepath.Join(dir, "other")}
	compile(t, repository, "./cmd/adsync", binaries[0], runtime.GOARCH, "0")
	nothing := t.TempDir()
	write(t, filepath.Join(nothing, "main.go"), "package main\n\nfunc main() {}\n")
	compile(t, nothing, "main.go", binaries[1], other, "0")
	out := filepath.Join(dir, "out")
	noError(t, build(version, roots, "", out, binaries))

	t.Run("the same bytes again", func(t *testing.T) {
		again := filepath.Join(t.TempDir(), "again")
		noError(t, build(version, roots, "", again, binaries))
		if first, second := sums(t, out), sums(t, again); len(first) < 10 || !maps.Equal(first, second) {
			t.Errorf("the second build wrote other files:\n%v\n%v", first, second)
		}
	})
	t.Run("skopeo reads each platform", func(t *testing.T) {
		for _, arch := range []string{runtime.GOARCH, other} {
			at := "oci:" + out + "/layout:" + version
			wantConfig(t, arch, skopeo(t, "inspect", "--override-arch", arch, "--config", at))
		}
	})
	t.Run("skopeo reads what docker load reads", func(t *testing.T) {
		for _, arch := range []string{runtime.GOARCH, other} {
			file := "docker-archive:" + out + "/adsync-linux-" + arch + ".tar:adsync:" + version
			wantConfig(t, arch, skopeo(t, "inspect", "--config", file))
		}
	})
	t.Run("skopeo fetches what was pushed", func(t *testing.T) {
		server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
		defer server.Close()
		at := strings.TrimPrefix(server.URL, "http://") + "/ads/adsync"
		noError(t, build(version, roots, at, filepath.Join(t.TempDir(), "out"), binaries))
		for _, arch := range []string{runtime.GOARCH, other} {
			wantConfig(t, arch, skopeo(t, "inspect", "--tls-verify=false", "--override-arch", arch, "--config",
				"docker://"+at+":"+version))
		}
	})
	t.Run("umoci unpacks what runs", func(t *testing.T) { runUnpacked(t, out, server.URL) })
}

// config is what an image says of itself, as the standard names it.
type config struct {
	Architecture string
	Created      time.Time
	Config       struct {
		User, StopSignal string
		Entrypoint, Cmd  []string
		Volumes, Labels  map[string]any
	}
}

func wantConfig(t *testing.T, arch string, text []byte) {
	t.Helper()
	var c config
	noError(t, json.Unmarshal(text, &c))
	if c.Architecture != arch || c.Created.Unix() != 1700000000 {
		t.Errorf("%s of %s; want %s of SOURCE_DATE_EPOCH", c.Architecture, c.Created, arch)
	}
	if c.Config.User != "65532:65532" || c.Config.StopSignal != "SIGTERM" ||
		!slices.Equal(slices.Sorted(maps.Keys(c.Config.Volumes)), []string{"/tmp", "/var/lib/adsync"}) {
		t.Errorf("user %s, signal %s, volumes %v; want 65532:65532, SIGTERM, /tmp and the state",
			c.Config.User, c.Config.StopSignal, c.Config.Volumes)
	}
	if got := c.Config.Labels["org.opencontainers.image.version"]; got != version {
		t.Errorf("label of the version is %v; want %s", got, version)
	}
}

// runUnpacked runs the program of this machine's image as its user, in a root that holds the image and a folder of
// files, and wants it to write nowhere but in the volumes.
func runUnpacked(t *testing.T, out, service string) {
	dir := t.TempDir()
	skopeo(t, "copy", "--override-arch", runtime.GOARCH, "oci:"+out+"/layout:"+version, "oci:"+dir+"/one:x")
	command(t, "umoci", "unpack", "--rootless", "--image", dir+"/one:x", dir+"/bundle")
	text, err := os.ReadFile(dir + "/bundle/config.json")
	noError(t, err)
	var bundle struct{ Process struct{ Args, Env []string } }
	noError(t, json.Unmarshal(text, &bundle))
	root := dir + "/bundle/rootfs"
	before := slices.Sorted(maps.Keys(sums(t, root)))

	noError(t, os.CopyFS(root+"/shop", os.DirFS(repository+"/examples/quickstart")))
	noError(t, os.RemoveAll(root+"/shop/.adsync"))
	noError(t, os.Mkdir(root+"/etc/adsync", 0o755))
	write(t, root+"/etc/adsync/daemon.yaml", "listen: none\naccounts: [{name: shop, folder: /shop}]\n")
	adsync := func(env []string, args ...string) (string, error) {
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env = "/", append(env, bundle.Process.Env...)
		c.SysProcAttr = &syscall.SysProcAttr{
			Chroot: root, Cloneflags: syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
		}
		text, err := c.CombinedOutput()
		return string(text), err
	}
	for _, args := range [][]string{
		{program, "version"},
		{program, "apply", "--yes", "/shop"}, // in the time zone of the account
		append(bundle.Process.Args, "--check"),
		append(bundle.Process.Args, "--once"),
	} {
		if text, err := adsync(nil, args...); err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}

	noError(t, os.RemoveAll(root+"/shop"))
	asked := []string{"ADSYNC_BASE_URL=" + service + "/v1", "ADSYNC_API_KEY=key"}
	if text, _ := adsync(asked, program, "whoami"); !strings.Contains(text, "404") {
		t.Errorf("a service whose root is in the image gave no answer:\n%s", text)
	}
	noError(t, os.Remove(root+"/etc/ssl/certs/ca-certificates.crt"))
	if text, _ := adsync(asked, program, "whoami"); !strings.Contains(text, "certificate") {
		t.Errorf("without the certificates of the image the service was trusted all the same:\n%s", text)
	}
	write(t, root+"/etc/ssl/certs/ca-certificates.crt", "")
	noError(t, os.RemoveAll(root+"/etc/adsync"))
	after := slices.DeleteFunc(slices.Sorted(maps.Keys(sums(t, root))), func(name string) bool {
		return strings.HasPrefix(name, "tmp/") || strings.HasPrefix(name, "var/lib/adsync/")
	})
	if !slices.Equal(before, after) {
		t.Errorf("files of the image are %v; want %v", after, before)
	}
}

// The certificates are as many as openssl counts, all of authorities, and one that everybody knows is among them.
func TestRoots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "roots.pem")
	write(t, file, string(mozilla()))
	var names []string
	for rest := mozilla(); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		c, err := x509.ParseCertificate(block.Bytes)
		noError(t, err)
		if !c.IsCA {
			t.Errorf("%s is no authority", c.Subject)
		}
		names = append(names, c.Subject.CommonName)
	}
	counted := string(command(t, "openssl", "storeutl", "-certs", "-noout", file))
	if len(names) < 100 || !strings.Contains(counted, fmt.Sprintf("Total found: %d\n", len(names))) {
		t.Errorf("%d certificates, and openssl says %q; want the same, and 100 at least", len(names), counted)
	}
	if !slices.Contains(names, "ISRG Root X1") {
		t.Error("ISRG Root X1 is not there")
	}
}

// What would not run in the image, or has no time, is refused.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	static := filepath.Join(dir, "static")
	compile(t, dir, "main.go", static, runtime.GOARCH, "0")
	dynamic := filepath.Join(dir, "dynamic")
	write(t, filepath.Join(dir, "net.go"), "package main\n\nimport _ \"os/user\"\n")
	compile(t, dir, ".", dynamic, runtime.GOARCH, "1")
	for _, row := range []struct{ name, binary, roots, epoch, want string }{
		{"needs a loader", dynamic, "", epoch, "not static"},
		{"no commit and no time", static, "", "", "want SOURCE_DATE_EPOCH"},
		{"time is no number", static, "", "today", `SOURCE_DATE_EPOCH is "today"`},
		{"roots are no certificates", static, "main.go", epoch, "has no certificate"},
		{"no program", "main.go", "", epoch, "main.go"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("SOURCE_DATE_EPOCH", row.epoch)
			err := build(version, row.roots, "", filepath.Join(t.TempDir(), "out"), []string{row.binary})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("build = %v; want %q", err, row.want)
			}
		})
	}
}

func compile(t *testing.T, dir, what, to, arch, cgo string) {
	t.Helper()
	c := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", to, what)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOARCH="+arch, "GOOS=linux", "GO111MODULE=auto")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", what, err, text)
	}
}

func skopeo(t *testing.T, args ...string) []byte {
	t.Helper()
	return command(t, "skopeo", args...)
}

// command returns what a program of the machine prints.
func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	var problems bytes.Buffer
	c := exec.Command(name, args...)
	c.Stderr = &problems
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, text, problems.Bytes())
	}
	return text
}

// sums returns the digest of every file below a folder.
func sums(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	noError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = sha256.Sum256(content)
		return err
	}))
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	noError(t, os.WriteFile(path, []byte(text), 0o644))
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
