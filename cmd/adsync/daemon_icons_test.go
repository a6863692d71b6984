package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestTheIconOfABrandIsFetchedWhereTheOperatorSays: it is shown from the daemon, drawn anew; without icons: nobody is
// asked for it, and what was kept goes.
func TestTheIconOfABrandIsFetchedWhereTheOperatorSays(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	var icon bytes.Buffer
	noError(t, png.Encode(&icon, image.NewRGBA(image.Rect(0, 0, 200, 200))))
	var asked atomic.Int32
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(icon.Bytes())
	}))
	defer cdn.Close()
	account := func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/ad_account" || r.Method != http.MethodGet {
			return false
		}
		answer := httptest.NewRecorder()
		s.server.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.Replace(answer.Body.Bytes(), []byte(`"preview_url":null`),
			[]byte(`"preview_url":"`+cdn.URL+`/brand.png?signature=sk-secret"`), 1))
		return true
	}
	s.before.Store(&account)
	dir, operator := ownQuickstart(t)
	saveFile(t, operator, allowsRises+"reach: [127.0.0.1]\n")
	home := t.TempDir()
	begin := func(icons bool) (*process, func(is func(path string) bool) string) {
		saveFile(t, filepath.Join(home, "daemon.yaml"), fmt.Sprintf("listen: 127.0.0.1:0\nstate: %s\noperator: %s\n"+
			"every: 1h\nsettle: 200ms\nicons: %t\naccounts: [{name: shop, folder: %s}]\n",
			filepath.Join(home, "states"), operator, icons, dir))
		p := startDaemonWith(t, s.environment(), "--config", filepath.Join(home, "daemon.yaml"))
		at := "http://" + fmt.Sprint(p.until("msg", "the daemon answers")["address"])
		return p, func(is func(path string) bool) string {
			t.Helper()
			look := time.NewTicker(200 * time.Millisecond)
			defer look.Stop()
			for began := time.Now(); time.Since(began) < patience; <-look.C {
				var ads struct{ Brand, Icon string }
				answer, err := http.Get(at + "/api/v1/accounts/shop/ads")
				noError(t, err)
				noError(t, json.NewDecoder(answer.Body).Decode(&ads))
				noError(t, answer.Body.Close())
				if is(ads.Icon) {
					return at + ads.Icon
				}
			}
			t.Fatal("the icon is never as it should be")
			return ""
		}
	}
	p, until := begin(true)
	answer, err := http.Get(until(func(path string) bool { return path != "" }))
	noError(t, err)
	defer answer.Body.Close()
	shown, err := jpeg.Decode(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "image/jpeg" ||
		shown.Bounds().Dx() != 72 {
		t.Errorf("the icon: %s, %v, %v", answer.Status, answer.Header, err)
	}
	if asked.Load() != 1 {
		t.Errorf("it was fetched %d times; want once", asked.Load())
	}
	p.end()
	if p.mu.Lock(); strings.Contains(p.text.String(), "sk-secret") {
		t.Error("the log has the signature of the address")
	}
	p.mu.Unlock()
	p, until = begin(false)
	until(func(path string) bool { return path == "" })
	if asked.Load() != 1 {
		t.Errorf("switched off it was fetched %d times more", asked.Load()-1)
	}
	p.end()
}
