package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certify writes a certificate for loopback, by a name, and its key.
func certify(t *testing.T, folder, name string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for file, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

func TestTLSAndARenewedCertificate(t *testing.T) {
	folder := t.TempDir()
	if _, err := ReadTLS(filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"), nil); err == nil {
		t.Error("a certificate that is not there was read")
	}
	certificate, key := certify(t, folder, "first")
	var told []error // by one handshake after the other
	config, err := ReadTLS(certificate, key, func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t, func(o *Options) { o.Listen, o.TLS = "127.0.0.1:0", config })
	listener, err := a.server.Bind()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- a.server.Serve(ctx, listener) }()
	shown := func() string {
		// who it is, is what is looked at
		client := &http.Client{
			Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
		}
		answer, err := client.Get("https://" + listener.Addr().String() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s %v", answer.Status, err)
		}
		return answer.TLS.PeerCertificates[0].Subject.CommonName
	}
	if got := shown(); got != "first" {
		t.Errorf("shown: %s", got)
	}
	certify(t, folder, "second")
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(certificate, later, later); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "second" {
		t.Errorf("after a renewal: %s", got)
	}
	if err := os.WriteFile(certificate, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := shown(); got != "second" {
			t.Errorf("while it is written: %s", got)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0].Error(), "cert.pem") {
		t.Errorf("told %v; want once that it cannot be read", told)
	}
	if answer, err := http.Get("http://" + listener.Addr().String() + "/healthz"); err == nil &&
		answer.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %s", answer.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A private key that everybody on the machine can read is no secret any more.
func TestX13AKeyThatEverybodyReadsIsRefused(t *testing.T) {
	certificate, key := certify(t, t.TempDir(), "first")
	for mode, safe := range map[os.FileMode]bool{
		0o600: true, 0o400: true, 0o640: true, 0o644: false, 0o604: false, 0o602: false,
	} {
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		_, err := ReadTLS(certificate, key, nil)
		if (err == nil) != safe {
			t.Errorf("%04o: %v; want it to be taken: %t", mode, err, safe)
		}
		if err != nil && !strings.Contains(err.Error(), "open to everybody on this machine") {
			t.Errorf("%04o: %v", mode, err)
		}
	}
}
