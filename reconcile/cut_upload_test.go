package reconcile_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// An upload that is cut off in the middle of its body, or whose answer is, goes again in
// the same run: nothing fails, and a file that came twice is used once. It is cut by a
// server of its own between both, on the connection.
func TestACutUploadGoesAgainInTheSameRun(t *testing.T) {
	for _, cut := range []struct {
		name  string
		comes bool
	}{{"in the middle of its body", false}, {"in its answer", true}} {
		t.Run(cut.name, func(t *testing.T) {
			w := newWorld(t)
			uploads := w.behindACut(cut.comes, 2)
			w.agent = w.newAgent()
			w.tree("spring", "paused")
			w.write("ad/spring/g/b", map[string]any{
				"name": "Ad b", "status": "active", "title": "Shoes for mud",
				"body": "Light shoes.", "target_url": "https://shop.example/b", "image": w.image(testImage(t)),
			})
			w.audience("customers", 0, 5000)
			w.clean()
			for _, path := range []string{"/upload", "/uploads"} {
				if n := uploads[path].Load(); n != 3 {
					t.Errorf("%s was sent %d times; want twice cut off and once more", path, n)
				}
			}
			if n := w.matched("customers"); n != 5000 {
				t.Errorf("%d people are in the audience; want 5000", n)
			}
		})
	}
}

// behindACut puts a server before the service that cuts the first uploads of each sort
// off: in the middle of their bodies, or after the service has done them.
func (w *world) behindACut(comes bool, times int32) map[string]*atomic.Int32 {
	w.t.Helper()
	target, err := url.Parse(strings.TrimSuffix(w.service.BaseURL, "/v1"))
	if err != nil {
		w.t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(target)
	uploads := map[string]*atomic.Int32{"/upload": {}, "/uploads": {}}
	front := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		count := uploads[strings.TrimPrefix(r.URL.Path, "/v1")]
		if r.Method != http.MethodPost || count == nil || count.Add(1) > times {
			behind.ServeHTTP(out, r)
			return
		}
		if comes {
			behind.ServeHTTP(httptest.NewRecorder(), r)
		} else if _, err := io.CopyN(io.Discard, r.Body, r.ContentLength/2); err != nil {
			w.t.Error(err)
		}
		panic(http.ErrAbortHandler) // closes the connection
	}))
	w.t.Cleanup(front.Close)
	w.service.BaseURL = front.URL + "/v1"
	return uploads
}
