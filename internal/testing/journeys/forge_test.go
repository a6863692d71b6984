package journeys

import (
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// forge is a server like GitHub or GitLab: git's own backend over https, the comments of
// one pull request, and the binary to install. Everybody reads; who writes needs a token.
type forge struct {
	like, url, ca, sum string

	mu       sync.Mutex
	comments []comment
}

type comment struct {
	ID     int    `json:"id"`
	Body   string `json:"body"`
	User   bot    `json:"user"`   // as GitHub says it
	Author bot    `json:"author"` // as GitLab does
}

// bot is whose the token is, and who writes all comments.
type bot struct {
	ID    int    `json:"id"`
	Login string `json:"login"`
}

var pipelineBot = bot{1, "pipeline[bot]"}

const forgeToken = "forge-token"

// forges finds the forge of a script.
var forges sync.Map

func forgeOf(ts *testscript.TestScript) *forge {
	f, ok := forges.Load(ts)
	if !ok {
		ts.Fatalf("no forge runs")
	}
	return f.(*forge)
}

// forge github|gitlab: serves an empty repository shop/ads at $FORGE.
func startForge(ts *testscript.TestScript, _ bool, args []string) {
	exe, err := exec.Command("git", "--exec-path").Output()
	ts.Check(err)
	root := ts.MkAbs("forge")
	ts.Check(ts.Exec("git", "init", "-q", "--bare", "-b", "main", filepath.Join(root, "shop", "ads.git")))
	f := &forge{like: args[0], comments: []comment{}, ca: ts.MkAbs("forge/ca.pem")}
	backend := &cgi.Handler{
		Logger: log.New(io.Discard, "", 0), Stderr: io.Discard,
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"),
		Env: []string{
			"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ann", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/adsync", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(bin, "adsync"))
	})
	mux.HandleFunc("/graphql", f.serveWhose)
	mux.HandleFunc("/api/v4/user", f.serveWhose)
	mux.HandleFunc("/repos/", f.serveComments)
	mux.HandleFunc("/api/v4/", f.serveComments)
	mux.HandleFunc("/shop/", func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		if strings.Contains(r.URL.String(), "git-receive-pack") && password != forgeToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	})
	server := httptest.NewTLSServer(mux)
	ts.Defer(func() { server.CloseClientConnections(); server.Close() })
	f.url = server.URL
	ts.Check(os.WriteFile(f.ca,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	content, err := os.ReadFile(filepath.Join(bin, "adsync"))
	ts.Check(err)
	f.sum = fmt.Sprintf("%x", sha256.Sum256(content))
	forges.Store(ts, f)
	ts.Setenv("GIT_SSL_CAINFO", f.ca)
	ts.Setenv("ADSYNC_GIT_CA", f.ca)
	ts.Setenv("ADSYNC_STATE_REPOSITORY", f.url+"/shop/ads.git")
	ts.Setenv("ADSYNC_STATE_TOKEN", forgeToken)
	ts.Setenv("FORGE", strings.Replace(f.url, "https://", "https://ann:"+forgeToken+"@", 1)+"/shop/ads.git")
}

// serveWhose says whose the token is, as GitHub says it and as GitLab does.
func (f *forge) serveWhose(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]any{ // who went away reads nothing
		"id": pipelineBot.ID, "data": map[string]any{"viewer": pipelineBot},
	})
}

// serveComments makes, changes and lists the comments, as both kinds of server do.
func (f *forge) serveComments(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("PRIVATE-TOKEN") != forgeToken && r.Header.Get("Authorization") != "token "+forgeToken {
		http.Error(w, "token", http.StatusUnauthorized)
		return
	}
	body := r.FormValue("body")
	switch r.Method {
	case http.MethodPost:
		f.comments = append(f.comments, comment{100 + len(f.comments), body, pipelineBot, pipelineBot})
	case http.MethodPut, http.MethodPatch:
		for i := range f.comments {
			if strings.HasSuffix(r.URL.Path, fmt.Sprintf("/%d", f.comments[i].ID)) {
				f.comments[i].Body = body
			}
		}
	}
	_ = json.NewEncoder(w).Encode(f.comments) // who went away reads nothing
}

// comment PATTERN: the pull request has one comment, which reads so.
func commentReads(ts *testscript.TestScript, neg bool, args []string) {
	f := forgeOf(ts)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.comments) != 1 || regexp.MustCompile(args[0]).MatchString(f.comments[0].Body) == neg {
		ts.Fatalf("the comments are %+v; want one that reads %q", f.comments, args[0])
	}
}
