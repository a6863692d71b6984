package icons

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/public"
	"adsync/state/kv"
)

// picture is a square PNG of one colour.
func picture(t *testing.T, side int, c color.Color) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for x := range side {
		for y := range side {
			m.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	red  = color.RGBA{200, 0, 0, 255}
	blue = color.RGBA{0, 0, 200, 255}
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// brand is a server with an icon, and the account of that brand.
type brand struct {
	*testing.T
	kept  Kept
	at    string
	serve atomic.Value // http.HandlerFunc
	asked atomic.Int32
	reach public.Reach
}

func brandOf(t *testing.T, serve http.HandlerFunc) *brand {
	t.Helper()
	b := &brand{T: t, kept: Kept{Store: kv.Folder{Dir: t.TempDir()}}}
	b.serve.Store(serve)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked.Add(1)
		b.serve.Load().(http.HandlerFunc)(w, r)
	}))
	t.Cleanup(s.Close)
	b.at = s.URL
	if err := b.reach.Add("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	return b
}

func has(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(content)
	}
}

// follows has the account follow an address at a moment; "" where it could not.
func (b *brand) follows(path string, after time.Duration) (failed string) {
	b.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = b.at + path
	}
	if err := b.kept.Follow(b.Context(), address, noon.Add(after), &b.reach); err != nil {
		return err.Error()
	}
	return ""
}

// shows is the colour of the icon that is kept, "" where there is none.
func (b *brand) shows() string {
	b.Helper()
	content, sum, err := b.kept.Icon()
	if err != nil {
		b.Fatal(err)
	}
	if content == nil {
		return ""
	}
	m, err := jpeg.Decode(bytes.NewReader(content))
	if err != nil || len(sum) != 16 || len(content) > 16<<10 || m.Bounds().Dx() > side {
		b.Fatalf("%v, %q, %d bytes, %v", err, sum, len(content), m.Bounds())
	}
	if r, _, _, _ := m.At(20, 20).RGBA(); r>>8 > 100 {
		return "red"
	}
	return "blue"
}

// TestAnIconIsFetchedOnceADay: and where its address is another, but not more than once an hour. What cannot be had
// takes nothing away that was had from there, and leaves nothing of another address.
func TestAnIconIsFetchedOnceADay(t *testing.T) {
	b := brandOf(t, has(picture(t, 128, red)))
	for _, row := range []struct {
		name  string
		serve http.HandlerFunc
		after time.Duration
		path  string
		fails string
		shows string
		asked int32
	}{
		{"the first", nil, 0, "/one.png?signature=1", "", "red", 1},
		{"later on the day, signed anew", has(picture(t, 128, blue)), 23 * time.Hour, "/one.png?signature=2", "",
			"red", 0},
		{"a day later", nil, 25 * time.Hour, "/one.png", "", "blue", 1},
		{"it cannot be had, and is the same", http.NotFound, 50 * time.Hour, "/one.png", "answers 404", "blue", 1},
		{"nor is it asked again at once", nil, 51 * time.Hour, "/one.png", "", "blue", 0},
		{"another within the hour is not fetched, and the former not shown", has(picture(t, 128, red)),
			50*time.Hour + time.Minute, "/two.png", "", "", 0},
		{"then it is", nil, 52 * time.Hour, "/two.png", "", "red", 1},
		{"another cannot be had", http.NotFound, 54 * time.Hour, "/three.png", "answers 404", "", 1},
		{"the clock was put back", has(picture(t, 128, blue)), -time.Hour, "/three.png", "", "blue", 1},
		{"the brand has none any more", nil, 60 * time.Hour, "", "", "", 0},
		{"and none still", nil, 61 * time.Hour, "", "", "", 0},
	} {
		if row.serve != nil {
			b.serve.Store(row.serve)
		}
		b.asked.Store(0)
		failed := b.follows(row.path, row.after)
		if shows := b.shows(); shows != row.shows || b.asked.Load() != row.asked ||
			(row.fails == "") != (failed == "") || !strings.Contains(failed, row.fails) {
			t.Errorf("%s: shows %q, asked %d times, %q; want %q, %d times, %q",
				row.name, shows, b.asked.Load(), failed, row.shows, row.asked, row.fails)
		}
	}
	if err := b.kept.Store.Put(name, []byte(`{"address": "x", "jpeg": "PHN2Zz4="}`)); err != nil {
		t.Fatal(err)
	}
	if shows := b.shows(); shows != "" {
		t.Error("what somebody put there is shown, and is no JPEG")
	}
}

// names resolve to one address after another, the last one for ever.
type names struct {
	of    []string
	asked atomic.Int32
}

func (n *names) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := min(int(n.asked.Add(1)), len(n.of)) - 1
	return []netip.Addr{netip.MustParseAddr(n.of[i])}, nil
}

// TestAnIconThatIsAnAttackIsRefused: what leads into one's own network, what is no picture, too large, without end or
// made to fill the memory. Nothing of it is kept, and no server of one's own is asked.
func TestAnIconThatIsAnAttackIsRefused(t *testing.T) {
	inner := brandOf(t, has(picture(t, 128, red)))
	innerPort := inner.at[strings.LastIndexByte(inner.at, ':'):]
	sends := func(kind string, content []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(content)
		}
	}
	leads := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)
	for _, row := range []struct {
		name, path string
		resolves   []string
		serve      http.HandlerFunc
		want       string
	}{
		{"http to the internet", "http://icons.example/a.png", []string{"8.8.8.8"}, nil, "no https address"},
		{"a file", "file:///etc/passwd", nil, nil, "is no http or https address"},
		{"no address", "\x00", nil, nil, "address"},
		{"the metadata of a cloud", "https://169.254.169.254/latest", nil, nil, "a link-local address"},
		{"a name of one's own network", "https://icons.example" + innerPort, []string{"10.1.2.3"}, nil,
			"a private address"},
		{"loopback by a name", "https://icons.example" + innerPort, []string{"127.0.0.2"}, nil, "a loopback address"},
		{"a name that is another a moment later", "https://icons.example" + innerPort,
			[]string{"192.0.2.1", "127.0.0.1"}, nil, "a reserved address"},
		{"a redirect to the metadata", "/", nil, leads("http://169.254.169.254/latest"),
			"redirected to an address that is at"},
		{"a redirect to loopback", "/", nil, leads("http://127.0.0.2" + innerPort), "a loopback address"},
		{"a circle", "/", nil, leads("/"), "redirected more than 3 times"},
		{"SVG", "/", nil, sends("image/svg+xml", svg), `of the type "image/svg+xml"`},
		{"SVG that says it is PNG", "/", nil, sends("image/png", svg), "is of none of that"},
		{"a page", "/", nil, sends("text/html", []byte("<html>")), `of the type "text/html"`},
		{"a GIF", "/", nil, sends("image/gif", []byte("GIF89a")), `of the type "image/gif"`},
		{"more than a MiB", "/", nil, sends("image/png", append(picture(t, 128, red), make([]byte, 1<<20)...)),
			"larger than 1048576 bytes"},
		{"half a picture", "/", nil, sends("image/png", picture(t, 128, red)[:60]), "read picture"},
		{"a bomb", "/", nil, sends("image/png", bomb(t, 60_000)), "pixels"},
		{"a smaller bomb", "/", nil, sends("image/png", bomb(t, iconMost+1)), "pixels"},
	} {
		b := brandOf(t, http.NotFound)
		if row.serve != nil {
			b.serve.Store(row.serve)
		}
		b.kept.resolver = &names{of: append([]string{}, row.resolves...)}
		if row.resolves == nil {
			b.kept.resolver = nil
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if failed := b.follows(row.path, 0); !strings.Contains(failed, row.want) {
			t.Errorf("%s: %q; want %q", row.name, failed, row.want)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s takes %d MiB of memory", row.name, took>>20)
		}
		if b.shows() != "" {
			t.Errorf("%s: something of it is shown", row.name)
		}
		if b.follows(row.path, time.Minute); b.asked.Load() > 4 { // once, and three times on
			t.Errorf("%s is asked %d times in a minute", row.name, b.asked.Load())
		}
	}
	if n := inner.asked.Load(); n > 0 {
		t.Errorf("a server of one's own network was asked %d times", n)
	}
}

// iconMost is the side of the largest picture that is decoded.
const iconMost = 2048

// bomb is a small file that says of itself that it is a square of so many pixels.
func bomb(t *testing.T, side uint32) []byte {
	t.Helper()
	content := picture(t, 2, red)
	head := content[12:29]
	binary.BigEndian.PutUint32(head[4:], side)
	binary.BigEndian.PutUint32(head[8:], side)
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(head))
	return content
}

// TestAFetchTellsNothing: no cookie, no credential, no page from which it comes, and no proxy of the environment, which
// would be told of the address. What is slow is given up.
func TestAFetchTellsNothing(t *testing.T) {
	proxy := brandOf(t, http.NotFound)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, strings.Replace(proxy.at, "http://", "http://ann:secret@", 1))
	}
	var told []string
	b := brandOf(t, nil)
	b.serve.Store(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Cookie", "Authorization", "Referer", "Proxy-Authorization", "X-Forwarded-For"} {
			if r.Header.Get(name) != "" {
				told = append(told, name)
			}
		}
		if r.URL.Path == "/" {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(w, r, "/icon.png", http.StatusFound)
			return
		}
		has(picture(t, 128, blue))(w, r)
	}))
	if failed := b.follows("/", 0); failed != "" || b.shows() != "blue" {
		t.Fatalf("%q, %q", failed, b.shows())
	}
	if len(told) > 0 || proxy.asked.Load() > 0 {
		t.Errorf("the server is told %q, the proxy was asked %d times", told, proxy.asked.Load())
	}

	slow := brandOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		for r.Context().Err() == nil { // a byte now and then
			if _, err := fmt.Fprint(w, "\x89"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	began := time.Now()
	if failed := slow.follows("/", 0); !strings.Contains(failed, "takes longer than 5s") {
		t.Errorf("what is slow: %q after %s", failed, time.Since(began))
	}
}
