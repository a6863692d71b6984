package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/public"
)

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// answers resolves each name to one address after another, the last one for ever.
type answers struct {
	of    []string
	asked atomic.Int32
}

func (a *answers) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := min(int(a.asked.Add(1)), len(a.of)) - 1
	var all []netip.Addr
	for text := range strings.FieldsSeq(a.of[i]) {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

func reach(t *testing.T, entries ...string) public.Reach {
	t.Helper()
	var r public.Reach
	for _, e := range entries {
		if err := r.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func wantRefused(t *testing.T, err error, want string) {
	t.Helper()
	var r *Refused
	if !errors.As(err, &r) || !strings.Contains(r.Reason, want) {
		t.Errorf("error is %v, want a refusal with %q", err, want)
	}
}

// secretServer is a server of one's own network: nobody may come to it.
func secretServer(t *testing.T) (port string, came *atomic.Int32) {
	t.Helper()
	came = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came.Add(1) }))
	t.Cleanup(s.Close)
	return s.URL[strings.LastIndexByte(s.URL, ':')+1:], came
}

// TestNamesThatLeadIntoOnesOwnNetworkAreRefused: also one of several addresses, and
// one in the form of IPv6.
func TestNamesThatLeadIntoOnesOwnNetworkAreRefused(t *testing.T) {
	port, came := secretServer(t)
	for _, addresses := range []string{
		"127.0.0.1", "::1", "::ffff:127.0.0.1", "8.8.8.8 127.0.0.1",
		"169.254.169.254", "10.0.0.1", "100.64.0.1", "fe80::1",
	} {
		_, err := Fetcher{Resolver: &answers{of: []string{addresses}}}.Get(
			t.Context(), "http://shop.example:"+port+"/", Images())
		wantRefused(t, err, "shop.example is at ")
	}
	if came.Load() > 0 {
		t.Error("a server of one's own network was asked")
	}
}

// TestNameThatAnswersOtherwiseASecondTimeIsAskedOnce: the connection goes to the address
// that was judged, and a redirect to the same name is judged anew.
func TestNameThatAnswersOtherwiseASecondTimeIsAskedOnce(t *testing.T) {
	port, came := secretServer(t)
	rebinding := &answers{of: []string{"192.0.2.1", "127.0.0.1"}}
	l := Images()
	l.Time = 200 * time.Millisecond
	_, err := Fetcher{Reach: reach(t, "192.0.2.0/24"), Resolver: rebinding}.Get(
		t.Context(), "http://shop.example:"+port+"/", l)
	wantRefused(t, err, "shop.example")
	if n := rebinding.asked.Load(); n != 1 || came.Load() > 0 {
		t.Errorf("the name was resolved %d times and the server asked %d times; want once and never", n, came.Load())
	}

	first := httptest.NewServer(http.RedirectHandler("/again", http.StatusFound))
	defer first.Close()
	again := &answers{of: []string{"127.0.0.1", "127.0.0.2"}}
	_, err = Fetcher{Reach: reach(t, "127.0.0.1"), Resolver: again}.Get(
		t.Context(), "http://shop.example"+first.URL[strings.LastIndexByte(first.URL, ':'):], Images())
	wantRefused(t, err, "shop.example is at 127.0.0.2, a loopback address")
}

// TestRedirectsGoByTheSameRule: to loopback, to another scheme, around in a circle.
func TestRedirectsGoByTheSameRule(t *testing.T) {
	port, came := secretServer(t)
	for to, want := range map[string]string{
		"http://127.0.0.2:" + port + "/":         "it is redirected to an address that is at 127.0.0.2",
		"http://0x7f000002:" + port + "/":        "is a number in the place of a host",
		"http://[::ffff:127.0.0.2]:" + port:      "an IPv4 address in the form of IPv6",
		"http://user:pass@127.0.0.1:" + port:     "has a user name or a password in it",
		"http://inner.example:" + port:           "inner.example is at 127.0.0.2",
		"file:///etc/passwd":                     "is no http or https address",
		"/":                                      "it is redirected more than 5 times",
		"http://metadata.google.internal/latest": `is at "metadata.google.internal"`,
	} {
		first := httptest.NewServer(http.RedirectHandler(to, http.StatusFound))
		_, err := Fetcher{Reach: reach(t, "127.0.0.1"), Resolver: &answers{of: []string{"127.0.0.2"}}}.Get(
			t.Context(), first.URL, Images())
		first.Close()
		wantRefused(t, err, want)
	}
	if came.Load() > 0 {
		t.Error("a server that is not listed was asked")
	}
}

// TestWhatIsReadIsBounded: a body without end, a slow one, a wrong type, and what says
// that it is a picture and is none.
func TestWhatIsReadIsBounded(t *testing.T) {
	png := picture(t)
	l := Limits{Bytes: 1 << 16, Time: 2 * time.Second, Types: []string{"image/png"}}
	for name, row := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"whole":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(png) }, ""},
		"endless": {endless, "it is larger than 65536 bytes"},
		"slow":    {slow, "takes longer than 2s"},
		"silent":  {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "takes longer than 2s"},
		"page": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
			`it is of the type "text/html"; want image/png`},
		"script": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "<svg onload=alert(1)>")
		}, "says that it is of the type image/png"},
		"drawing": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, "<svg/>")
		}, `it is of the type "image/svg+xml"`},
		"absent": {http.NotFound, "answers 404"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", "9000")
			_, _ = w.Write(png)
		}, "did not answer to the end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(row.serve)
			defer s.Close()
			got, err := Fetcher{Reach: reach(t, "127.0.0.1")}.Get(t.Context(), s.URL+"/a.png?signature=secret", l)
			if row.want == "" {
				if err != nil || got.Type != "image/png" || !bytes.Equal(got.Bytes, png) {
					t.Errorf("got %q of %d bytes, %v", got.Type, len(got.Bytes), err)
				}
				return
			}
			wantRefused(t, err, row.want)
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%v shows the address whole", err)
			}
		})
	}
}

func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// slow sends its head and then nothing.
func slow(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// TestNoProxyOfTheEnvironmentIsAsked: it would resolve the name again.
func TestNoProxyOfTheEnvironmentIsAsked(t *testing.T) {
	port, came := secretServer(t)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+port)
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:"+port)
	_, err := Fetcher{Resolver: &answers{of: []string{"10.0.0.1"}}}.Get(t.Context(), "http://shop.example/", Images())
	wantRefused(t, err, "shop.example is at 10.0.0.1, a private address")
	if came.Load() > 0 {
		t.Error("the proxy was asked")
	}
}

// TestNothingIsReachedBesidesWhenTheOperatorListsNothing: the default is safe.
func TestNothingIsReachedBesidesWhenTheOperatorListsNothing(t *testing.T) {
	port, came := secretServer(t)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"} {
		_, err := Fetcher{}.Get(t.Context(), "http://"+host+":"+port+"/", Images())
		wantRefused(t, err, "the address is ")
	}
	if came.Load() > 0 {
		t.Error("a server of one's own machine was asked")
	}
}
