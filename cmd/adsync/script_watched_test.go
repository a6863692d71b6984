package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// secrets are what one script may show nowhere: text to what it is. They are learned from what passes
// between the script's processes and the emulator, and from the script itself.
type secrets struct {
	mu    sync.Mutex
	known map[string]string
}

// learn notes a secret. One of a few letters would be found by chance.
func (s *secrets) learn(what, text string) {
	if len(text) < 8 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[text] = what
}

// secretFields are the fields that hold secrets, in answers and in forms.
var secretFields = []string{"api_key", "access_token", "refresh_token", "client_secret", "code", "code_verifier"}

// listening returns a handler that learns each credential that is presented, asked for or given.
func (s *secrets) listening(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
			s.learn("a credential", bearer)
		}
		if !strings.HasSuffix(r.URL.Path, "/api_keys") && !strings.HasPrefix(r.URL.Path, "/_oauth/") {
			next.ServeHTTP(w, r)
			return
		}
		if body, err := io.ReadAll(r.Body); err == nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
			form, _ := url.ParseQuery(string(body)) // what is no form has no fields
			for _, name := range secretFields {
				s.learn(name+" of a form", form.Get(name))
			}
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		var given map[string]any
		if json.Unmarshal(answer.Body.Bytes(), &given) == nil {
			for _, name := range secretFields {
				text, _ := given[name].(string)
				s.learn(name+" of an answer", text)
			}
		}
		if to, err := url.Parse(answer.Header().Get("Location")); err == nil {
			s.learn("code of a redirect", to.Query().Get("code"))
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = answer.Body.WriteTo(w)
	})
}

var (
	personalMail  = regexp.MustCompile(`[A-Za-z0-9._+-]+@(?:[a-z0-9-]+\.)*[a-z-]+\.example\b(?:\.com)?`)
	personalPhone = regexp.MustCompile(`\+[0-9][0-9 ]{8,14}[0-9]`)
)

// learnPeople learns the people of a script: every e-mail address but those of authors of commits, which
// are at example.com, and every telephone number; as written, as sent, and as a plain hash.
func (s *secrets) learnPeople(script string) {
	for _, mail := range personalMail.FindAllString(strings.ToLower(script), -1) {
		s.learnPerson(mail)
	}
	for _, phone := range personalPhone.FindAllString(script, -1) {
		s.learnPerson(strings.NewReplacer("+", "", " ", "").Replace(phone))
		s.learnPerson("+" + strings.NewReplacer("+", "", " ", "").Replace(phone))
	}
}

func (s *secrets) learnPerson(text string) {
	sum := sha256.Sum256([]byte(text))
	s.learn("a person", text)
	s.learn("the hash of "+text, hex.EncodeToString(sum[:]))
	s.learn("the hash of "+text, string(sum[:]))
}

// in returns what of the secrets a content shows, "" where it is none.
func (s *secrets) in(content []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lower := bytes.ToLower(content)
	for _, text := range slices.Sorted(maps.Keys(s.known)) {
		if bytes.Contains(content, []byte(text)) || bytes.Contains(lower, []byte(text)) {
			return fmt.Sprintf("%s, %q", s.known[text], text)
		}
	}
	return ""
}

// place is a row of testdata/canaries.txt: where a script has secrets that belong there.
type place struct{ script, name, reason string }

// printedPlace is the place of all that the processes of a script print.
const printedPlace = "output"

// places reads testdata/canaries.txt.
func places() ([]place, error) {
	text, err := os.ReadFile("testdata/canaries.txt")
	if err != nil {
		return nil, err
	}
	var rows []place
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("canaries.txt has the line %q; want a script, a place and a reason", line)
		}
		rows = append(rows, place{fields[0], fields[1], strings.Join(fields[2:], " ")})
	}
	return rows, nil
}

// watchedT is the test of a script, at whose end all that its processes printed and left behind is
// searched for secrets.
type watchedT struct {
	*testing.T
	name    string
	dir     string // $WORK
	places  []place
	secrets *secrets
	done    bool // the search was made
}

// Run runs a script.
func (w *watchedT) Run(name string, f func(testscript.T)) {
	w.T.Run(name, func(t *testing.T) {
		script := &watchedT{T: t, name: name, places: w.places, secrets: &secrets{known: map[string]string{}}}
		t.Cleanup(func() {
			if !t.Failed() && !script.done {
				t.Error("nothing of the script was searched for secrets")
			}
		})
		f(script)
	})
}

// Verbose has the package keep what was printed to the end.
func (w *watchedT) Verbose() bool { return true }

// Log gets what the script printed, after its end and before its folder goes away.
func (w *watchedT) Log(args ...any) {
	if w.Failed() || testing.Verbose() {
		w.T.Log(args...)
	}
	if !w.Failed() {
		w.search(fmt.Sprint(args...))
	}
}

// watchedKey finds the secrets of a script.
type watchedKey struct{}

// search fails the test where a secret shows that has no place there.
func (w *watchedT) search(log string) {
	w.done = true
	script, err := os.ReadFile("testdata/script/" + w.name + ".txtar")
	if err != nil {
		w.Error(err)
		return
	}
	w.secrets.learnPeople(string(script))
	shown := map[string]string{printedPlace: w.secrets.in([]byte(shownIn(log, string(script))))}
	err = filepath.WalkDir(w.dir, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil || strings.Contains("\n"+string(script), "\n"+string(content)) {
			return err // what the script itself holds, here or under another name
		}
		short, err := filepath.Rel(w.dir, name)
		shown[filepath.ToSlash(short)] = w.secrets.in(append(content, unzipped(content)...))
		return err
	})
	if err != nil {
		w.Error(err)
	}
	used := map[int]bool{}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if shown[name] == "" {
			continue
		}
		at := slices.IndexFunc(w.places, func(p place) bool {
			fits, err := path.Match(p.name, name)
			return err == nil && fits && p.script == w.name
		})
		used[at] = true
		if at < 0 {
			w.Errorf("%s shows %s; what must be there has a row in testdata/canaries.txt", name, shown[name])
		}
	}
	for i, p := range w.places {
		if p.script == w.name && !used[i] {
			w.Errorf("testdata/canaries.txt: %s shows nothing in %s; want no such row", p.script, p.name)
		}
	}
}

// shownIn returns what the processes of a script printed: the log without the script's own lines.
func shownIn(log, script string) string {
	own := map[string]bool{}
	for line := range strings.Lines(script) {
		own["> "+line], own[line] = true, strings.HasPrefix(line, "#")
	}
	var text strings.Builder
	for line := range strings.Lines(log) {
		if !own[line] {
			text.WriteString(line)
		}
	}
	return text.String()
}

// unzipped returns the members of a workbook or other archive, one after the other; nothing of what is none.
func unzipped(content []byte) (all []byte) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil
	}
	for _, member := range archive.File {
		if r, err := member.Open(); err == nil {
			text, _ := io.ReadAll(r) // a damaged member shows what can be read of it
			all = append(append(all, text...), '\n')
		}
	}
	return all
}

// A search that finds nothing would pass every script.
func TestSecretsAreFound(t *testing.T) {
	s := &secrets{known: map[string]string{}}
	s.learnPeople("email\nAnn@Shop.Example\nphone +49 151 12345678\nauthor ann@example.com\n")
	service := httptest.NewServer(s.listening(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_oauth/authorize" {
			http.Redirect(w, r, "http://127.0.0.1/?code=code-0123456789", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, `{"api_key":"sk-made-0123456789","refresh_token":"ort_0123456789"}`)
	})))
	defer service.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, p := range []string{"/v1/api_keys", "/_oauth/authorize", "/v1/campaigns"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, service.URL+p,
			strings.NewReader("refresh_token=ort_before-0123&code=short"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer presented"+strings.ReplaceAll(p, "/", "-"))
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
	}
	sum := sha256.Sum256([]byte("ann@shop.example"))
	for text, want := range map[string]bool{
		"to ANN@shop.example": true, "4915112345678": true, hex.EncodeToString(sum[:]): true, string(sum[:]): true,
		"code-0123456789": true, "sk-made-0123456789": true, "ort_0123456789": true, "ort_before-0123": true,
		"presented-v1-campaigns": true, "by ann@example.com": false, "short": false,
	} {
		if got := s.in([]byte("a line with " + text + " in it")); (got != "") != want {
			t.Errorf("%q: found %q; want it found: %t", text, got, want)
		}
	}
	const script = "# Ann.\nexec adsync plan\n"
	if got := shownIn("# Ann. (0.100s)\n# Ann.\n> exec adsync plan\n[stdout]\n> exec adsync\n", script); got !=
		"# Ann. (0.100s)\n[stdout]\n> exec adsync\n" {
		t.Errorf("shownIn returns %q", got)
	}
}
