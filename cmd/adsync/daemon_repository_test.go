package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// expired is a certificate of the server that was good until yesterday, and that
// whoever reads the file of certificates trusts.
func (r *repository) expired() *tls.Config {
	r.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	noError(r.t, err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
		NotBefore: now.Add(-48 * time.Hour), NotAfter: now.Add(-24 * time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	noError(r.t, err)
	content, err := os.ReadFile(r.ca)
	noError(r.t, err)
	saveFile(r.t, r.ca, string(content)+string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})))
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}},
		NextProtos:   []string{"h2", "http/1.1"},
	}
}

// TestADaemonOutlivesWhatIsWrongWithItsRepository, G1, G5, G6, G7, G9: nothing new is
// planned while the repository cannot be read, and the log says why; what is committed
// meanwhile is applied once it can. The token is nowhere.
func TestADaemonOutlivesWhatIsWrongWithItsRepository(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	conf, hung := t.TempDir(), make(chan bool)
	defer close(hung)
	token := filepath.Join(conf, "token")
	saveFile(t, token, gitToken)
	expired := r.expired()
	saveFile(t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
every: 1h
operator: %s
state: states
accounts:
- name: shop
  git: {url: "%s", ref: main, ca: %s, token: {file: %s}, timeout: 2s}
  webhook: {secret: {env: HOOK}}
`, operator, r.url, r.ca, token))
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	at := fmt.Sprint(p.until("msg", "the daemon runs")["listen"])
	p.until("msg", "run ended", "class", "applied")
	hangs := func(path, begin string) func() {
		return func() {
			hang := func(w http.ResponseWriter, request *http.Request) bool {
				if !strings.HasSuffix(request.URL.Path, path) {
					return false
				}
				if begin != "" {
					w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
					io.WriteString(w, begin)
					w.(http.Flusher).Flush()
				}
				select {
				case <-hung:
				case <-request.Context().Done():
				}
				return true
			}
			r.before.Store(&hang)
		}
	}
	upstream := func(args ...string) func() {
		return func() { r.git(append([]string{"-C", r.upstream}, args...)...) }
	}
	serves := func() { r.before.Store(nil) }
	for i, row := range []struct {
		name       string
		breaks     func()
		class, why string
		mends      func()
	}{
		{"stands still", hangs("/info/refs", ""), "transient", "no end after 2s", serves},
		{"stands still in the middle of a pack", hangs("/git-upload-pack", "0008NAK\n0009\x01PACK"),
			"transient", "no end after 2s", serves},
		{"a token that is over", func() { saveFile(t, token, "over-"+gitToken) }, "credentials", "(401)", func() {
			saveFile(t, token, gitToken)
		}},
		{"a token that is being written", func() { saveFile(t, token, "") }, "credentials", "is empty", func() {
			saveFile(t, token, gitToken)
		}},
		{"a certificate that is over", func() { r.shows.Store(expired) },
			"credentials", "a certificate of https://127.0.0.1", func() { r.shows.Store(nil) }},
		{"a branch that is gone", upstream("branch", "-m", "main", "away"),
			"input", "gone since", upstream("branch", "-m", "away", "main")},
		{"a tag of its name", upstream("tag", "main"), "input", "is a branch and a tag", upstream("tag", "-d", "main")},
	} {
		r.save(fmt.Sprintf("bid: {max: 1.%d}", 25-i), fmt.Sprintf("bid: {max: 1.%d}", 24-i), row.name)
		row.breaks()
		before := s.requests.Load()
		push(t, at, "refs/heads/main")
		line := p.until("msg", "run ended", "woken", "push")
		if line["class"] != row.class || !strings.Contains(fmt.Sprint(line["message"]), row.why) {
			t.Errorf("%s: the run ends %v: %v; want %s: %s",
				row.name, line["class"], line["message"], row.class, row.why)
		}
		if n := s.requests.Load() - before; n != 0 {
			t.Errorf("%s: the service was asked %d times; want nothing planned", row.name, n)
		}
		row.mends()
		push(t, at, "refs/heads/main")
		p.until("msg", "run ended", "class", "applied")
		if bid, want := bidOf(t, s, "Trail runners"), int64(1_240_000-10_000*i); bid != want {
			t.Errorf("%s: the bid is %d afterwards; want %d", row.name, bid, want)
		}
	}
	for _, path := range []string{"/metrics", "/api/v1/accounts", "/accounts/shop", "/healthz", "/readyz"} {
		answer, err := http.Get("http://" + at + path)
		noError(t, err)
		content, err := io.ReadAll(answer.Body)
		noError(t, err)
		answer.Body.Close()
		if bytes.Contains(content, []byte(gitToken)) {
			t.Errorf("%s shows the token of git", path)
		}
	}
	p.end()
	if strings.Contains(p.said(), gitToken) {
		t.Error("the log shows the token of git")
	}
	noError(t, filepath.WalkDir(filepath.Join(conf, "states"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if bytes.Contains(content, []byte(gitToken)) {
			t.Errorf("%s holds the token of git", name)
		}
		return err
	}))
}
