package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
)

// A picture whose server redirects into one's own network is left out of the page, and nobody comes there.
// The browser, which stands in here as a program that notes what it is given, gets no address of the
// service that leads there either.
func TestPreviewDoesNotLeadIntoOnesOwnNetwork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser is opened by another program there, and 127.0.0.2 may be no address")
	}
	var came atomic.Int32
	inner := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Add(1) }))
	var err error
	noError(t, inner.Listener.Close())
	inner.Listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.2:0")
	noError(t, err)
	inner.Start()
	t.Cleanup(inner.Close)
	cdn := httptest.NewServer(http.RedirectHandler(inner.URL+"/a.png", http.StatusFound))
	t.Cleanup(cdn.Close)

	service, err := emulator.Open(emulator.Options{Accounts: []emulator.Account{{ID: "adacct_preview", Name: "Test",
		Currency: "USD", TimeZone: "America/New_York", Key: "sk-preview-key", Features: emulator.AllFeatures()}}})
	noError(t, err)
	preview := "" // in place of the service's own
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if preview == "" || !strings.HasSuffix(r.URL.Path, "/preview") {
			service.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[{"body":"<iframe src=\"`+preview+`\"></iframe>"}]}`)
	}))
	t.Cleanup(func() { line.Close(); noError(t, service.Close()) })

	folder := t.TempDir()
	shop, opened := filepath.Join(folder, "shop"), filepath.Join(folder, "opened")
	save := func(picture string) {
		t.Helper()
		saveFile(t, filepath.Join(shop, "ads.yaml"), "kind: ad_group\ncampaign: spring\nkey: runners\nname: Runners\n"+
			"context_hints: [people who run]\nbid: {max: 1}\nads:\n  - {key: hero, title: Shoes, body: Light., "+
			"target_url: 'https://shop.example/trail', image: '"+picture+"'}\n")
	}
	save("https://cdn.invalid/a.png")
	saveFile(t, filepath.Join(shop, "adsync.yaml"), "account: {currency: USD, timezone: America/New_York}\n")
	saveFile(t, filepath.Join(shop, "campaign.yaml"), springAt("50.00"))
	saveFile(t, filepath.Join(folder, "operator.yaml"), "reach: [127.0.0.1]\n")
	saveFile(t, filepath.Join(folder, "bin", "xdg-open"), "#!/bin/sh\necho \"$1\" >>'"+opened+"'\n")
	noError(t, os.Chmod(filepath.Join(folder, "bin", "xdg-open"), 0o700))
	t.Setenv("PATH", filepath.Join(folder, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	runs := func(want int, args ...string) string {
		t.Helper()
		var said bytes.Buffer
		env := &session.Env{}
		env.In, env.Out, env.Err, env.Getenv = strings.NewReader(""), &said, &said, func(name string) string {
			return map[string]string{"NO_COLOR": "1", session.EnvBaseURL: line.URL + "/v1", session.EnvKeyLag: "0s",
				session.EnvKey: "sk-preview-key", session.EnvOperator: filepath.Join(folder, "operator.yaml")}[name]
		}
		if code := execute(t.Context(), env, append(args, shop)); code != want {
			t.Fatalf("adsync %s ends with %d; want %d:\n%s", strings.Join(args, " "), code, want, said.String())
		}
		return said.String()
	}
	runs(console.ExitDone, "apply", "--yes")

	save(cdn.URL + "/a.png")
	page := filepath.Join(folder, "page")
	said := runs(console.ExitDone, "preview", "--open", "--out", page)
	if !strings.Contains(said, "picture left out: it is redirected to an address that is at 127.0.0.2") {
		t.Errorf("preview says %q; want the picture left out", said)
	}
	given, err := os.ReadFile(opened)
	noError(t, err)
	if !strings.HasPrefix(string(given), "https://ads.example.com/previews/") || bytes.Count(given, []byte("\n")) != 1 {
		t.Errorf("the browser was given %q; want the service's preview once", given)
	}
	drawn, err := os.ReadFile(filepath.Join(page, "previews.html"))
	noError(t, err)
	if bytes.Contains(drawn, []byte(`"`+inner.URL)) {
		t.Error("the page leads to the server of one's own network")
	}
	for _, preview = range []string{inner.URL + "/p", "https://127.0.0.2/p", "https://10.0.0.1/p",
		"https://169.254.169.254/latest"} {
		said := runs(console.ExitUnavailable, "preview", "--open")
		if !strings.Contains(said, "the service gave an address that is none of the public internet") {
			t.Errorf("of %s preview says %q", preview, said)
		}
	}
	if after, err := os.ReadFile(opened); err != nil || !bytes.Equal(after, given) || came.Load() != 0 {
		t.Errorf("the browser was given %q, %v, and %d came to the server; want no more, and none",
			after, err, came.Load())
	}
}
