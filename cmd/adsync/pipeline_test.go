package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/pipelines"
)

// pipeline runs the examples for pull requests as their service would: real git
// with a remote, the real scripts in bash, the real adsync against the emulator.
type pipeline struct {
	t      *testing.T
	origin string            // the remote
	work   string            // a person's clone
	stubs  string            // in front of PATH: what this machine does not have
	env    map[string]string // of every step
	hub    *forge

	service   *emulator.Server
	arguments string           // file of what commands were given
	artifacts string           // folder of what jobs hand on
	summary   string           // page of the last job
	found     []byte           // problems, as the last job says them in its output sarif
	before    http.HandlerFunc // in front of the service where it is set
}

// forge keeps the comments of one pull request, as GitHub and GitLab do, and
// serves the binary.
type forge struct {
	t        *testing.T
	url      string
	binary   []byte
	comments []comment
	token    string
}

type comment struct {
	ID     int    `json:"id"`
	Body   string `json:"body"`
	User   author `json:"user"`   // as GitHub says it
	Author author `json:"author"` // as GitLab does
}

type author struct {
	ID    int    `json:"id"`
	Login string `json:"login"`
}

// Who the token of comments belongs to, and somebody else.
var own, impostor = author{1, "github-actions[bot]"}, author{2, "eve"}

func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/adsync" {
		_, err := w.Write(f.binary)
		must(f.t, err)
		return
	}
	if r.Header.Get("PRIVATE-TOKEN") != f.token {
		http.Error(w, "token", http.StatusUnauthorized)
		return
	}
	switch r.URL.Path {
	case "/graphql":
		must(f.t, json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"viewer": own}}))
		return
	case "/api/v4/user":
		must(f.t, json.NewEncoder(w).Encode(own))
		return
	}
	must(f.t, r.ParseForm())
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "s"):
		f.comments = append(f.comments, comment{100 + len(f.comments), r.Form.Get("body"), own, own})
	case r.Method == http.MethodPut || r.Method == http.MethodPatch:
		for i := range f.comments {
			if strings.HasSuffix(r.URL.Path, fmt.Sprintf("/%d", f.comments[i].ID)) {
				f.comments[i].Body = r.Form.Get("body")
			}
		}
	}
	must(f.t, json.NewEncoder(w).Encode(f.comments))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newPipeline(t *testing.T) *pipeline {
	t.Helper()
	dir := t.TempDir()
	p := &pipeline{
		t: t, origin: filepath.Join(dir, "origin.git"), work: filepath.Join(dir, "work"),
		stubs: filepath.Join(dir, "stubs"), artifacts: filepath.Join(dir, "artifacts"),
		hub: &forge{t: t, comments: []comment{}},
	}
	server, err := emulator.Open(emulator.Options{Accounts: []emulator.Account{{
		ID: "adacct_quickstart", Name: "Test", Currency: "USD",
		TimeZone: "America/New_York", Key: "sk-pipeline-key", Features: emulator.AllFeatures(),
	}}})
	must(t, err)
	p.service = server
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.before != nil {
			p.before(w, r)
			return
		}
		server.ServeHTTP(w, r)
	}))
	hub := httptest.NewTLSServer(p.hub)
	t.Cleanup(func() { line.Close(); hub.Close(); server.Close() })
	self, err := os.Executable()
	must(t, err)
	p.hub.binary, err = os.ReadFile(self)
	must(t, err)
	p.hub.url = hub.URL
	ca := filepath.Join(dir, "ca.pem")
	must(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hub.Certificate().Raw}), 0o600))
	p.env = map[string]string{
		"HOME": dir, "LANG": "C.UTF-8", "CURL_CA_BUNDLE": ca, "HUB": hub.URL,
		"ADSYNC_URL": hub.URL + "/adsync", "ADSYNC_SHA256": fmt.Sprintf("%x", sha256.Sum256(p.hub.binary)),
		"ADSYNC_BASE_URL": line.URL + "/v1",
	}
	must(t, os.Mkdir(p.stubs, 0o755))
	p.run(dir, "git init -q --bare -b main origin.git && git clone -q origin.git work 2>/dev/null")
	must(t, os.CopyFS(filepath.Join(p.work, "ads"), os.DirFS("../../examples/quickstart")))
	must(t, os.RemoveAll(filepath.Join(p.work, "ads", ".adsync")))
	p.run(p.work, `echo .adsync > .gitignore && git add -A && `+
		by("Ann")+` commit -qm start && git push -q origin main`)
	must(t, os.Symlink(self, filepath.Join(p.stubs, "adsync")))
	p.step(p.work, "adsync state begin ads")
	return p
}

func by(author string) string {
	return "git -c user.name=" + author + " -c user.email=" + author + "@example.com"
}

// stub puts a command in front of PATH.
func (p *pipeline) stub(name, script string) {
	must(p.t, os.WriteFile(filepath.Join(p.stubs, name),
		[]byte("#!/usr/bin/env bash\nset -euo pipefail\n"+script), 0o755))
}

// run runs a script in a folder and gives what it prints.
func (p *pipeline) run(dir, script string) string {
	p.t.Helper()
	out, err := p.try(dir, script, nil)
	if err != nil {
		p.t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return out
}

func (p *pipeline) try(dir, script string, env map[string]string) (string, error) {
	c := exec.CommandContext(context.Background(), "bash", "-e", "-o", "pipefail", "-c", script)
	c.Dir = dir
	c.Env = []string{"PATH=" + p.stubs + ":" + os.Getenv("PATH")}
	for _, all := range []map[string]string{p.env, env} {
		for name, value := range all {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	out, err := c.CombinedOutput()
	return string(out), err
}

// edit changes the files on a branch and pushes it.
func (p *pipeline) edit(branch, file, from, to string) {
	p.t.Helper()
	p.run(p.work, "git fetch -q && git checkout -q -B "+branch+" origin/main")
	name := filepath.Join(p.work, file)
	content, err := os.ReadFile(name)
	must(p.t, err)
	if !strings.Contains(string(content), from) {
		p.t.Fatalf("%s has no %q", file, from)
	}
	must(p.t, os.WriteFile(name, []byte(strings.Replace(string(content), from, to, 1)), 0o600))
	p.run(p.work, by("Bob")+` commit -qam "`+to+`" && git push -q -f origin `+branch)
}

// merge does what the button of a pull request does.
func (p *pipeline) merge(branch string) {
	p.run(p.work, "git checkout -q main && git pull -q && "+
		by("Ann")+" merge -q --no-ff -m merge "+branch+" && git push -q origin main")
}

// oneComment holds that the pull request has one comment of the pipeline, the plan, and gives it.
func (p *pipeline) oneComment() string {
	p.t.Helper()
	all := slices.DeleteFunc(slices.Clone(p.hub.comments), func(c comment) bool { return c.User == impostor })
	if len(all) != 1 || !strings.HasPrefix(all[0].Body, "<!-- adsync:plan:") {
		p.t.Fatalf("the pull request has the comments %+v; want one, the plan", all)
	}
	return all[0].Body
}

// forges has an impostor's comment, from before it, begin as that of the pipeline.
func (p *pipeline) forges() {
	forged := comment{99, p.oneComment() + "\nAll of this is approved.\n", impostor, impostor}
	p.hub.comments = append([]comment{forged}, p.hub.comments...)
	p.t.Cleanup(func() {
		if p.hub.comments[0] != forged {
			p.t.Errorf("the comment of an impostor was changed into\n%s", p.hub.comments[0].Body)
		}
	})
}

// withKeys are what somebody has who applies by hand.
var withKeys = map[string]string{
	"ADSYNC_API_KEY": "sk-pipeline-key", "ADSYNC_STATE_BRANCH": "adsync/state",
	"ADSYNC_STATE_KEY": strings.Repeat("s", 64),
}

// step runs a script with the keys, and wants it to end well.
func (p *pipeline) step(dir, script string) {
	p.t.Helper()
	if out, err := p.try(dir, script, withKeys); err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// settled holds that nothing is left to apply, as a runner of tomorrow sees it.
func (p *pipeline) settled() {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "again")
	p.run(filepath.Dir(dir), "git clone -q "+p.origin+" again")
	p.step(dir, "adsync plan --detailed-exitcode ads")
}

// machine is that of a job for a ref of the remote.
func (p *pipeline) machine(ref string) *pipelines.Runner {
	p.t.Helper()
	root, err := filepath.Abs("../..")
	must(p.t, err)
	temp := p.t.TempDir()
	p.run(temp, "git clone -q "+p.origin+" runner && cd runner && git checkout -q --detach "+ref)
	return &pipelines.Runner{
		Root: root, Dir: filepath.Join(temp, "runner"), Temp: temp, Artifacts: p.artifacts, Run: p.try,
	}
}

// gitlab runs one job of the component for a ref of the remote.
func (p *pipeline) gitlab(name, ref string, env map[string]string) (string, error) {
	p.t.Helper()
	r := p.machine(ref)
	r.Run = func(dir, script string, env map[string]string) (string, error) {
		const repository = "https://gitlab-ci-token@gitlab.example/shop/ads.git"
		if env["ADSYNC_STATE_REPOSITORY"] != repository {
			p.t.Errorf("the record of %s is in %s; want %s", name, env["ADSYNC_STATE_REPOSITORY"], repository)
		}
		env["ADSYNC_STATE_REPOSITORY"] = p.origin
		return p.try(dir, script, env)
	}
	out, err := r.GitLab(name,
		map[string]string{"url": p.env["ADSYNC_URL"], "sha256": p.env["ADSYNC_SHA256"]}, env)
	p.noToken(r.Dir)
	return out, err
}

func TestGitLabPipeline(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
	p.hub.token = "comment-token"
	p.stub("apt-get", "") // what it installs is here
	p.listArguments("git", "curl", "jq")
	common := map[string]string{
		"CI_API_V4_URL": p.env["HUB"] + "/api/v4",
		"CI_PROJECT_ID": "12", "CI_PROJECT_PATH": "shop/ads", "CI_JOB_TOKEN": "job-token",
		"CI_SERVER_PROTOCOL": "https", "CI_SERVER_FQDN": "gitlab.example",
		"CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
	}
	with := func(more ...string) map[string]string {
		env := map[string]string{}
		for name, value := range common {
			env[name] = value
		}
		for i := 0; i < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		return env
	}
	protected := with("ADSYNC_API_KEY", "sk-pipeline-key", "ADSYNC_PUSH_TOKEN", "push-token",
		"ADSYNC_PLAN_KEY", strings.Repeat("k", 64), "ADSYNC_STATE_KEY", withKeys["ADSYNC_STATE_KEY"])
	request := with("ADSYNC_API_KEY", "sk-pipeline-key", "ADSYNC_COMMENT_TOKEN", "comment-token")
	job := func(name, ref string, env map[string]string) {
		t.Helper()
		if out, err := p.gitlab(name, ref, env); err != nil {
			t.Fatalf("job %s: %v\n%s", name, err, out)
		}
	}
	merged := func() {
		t.Helper()
		job("adsync-review", "origin/main", protected)
		job("adsync-apply", "origin/main", protected)
	}
	merged()
	p.settled()
	p.edit("bad", "ads/spring.yaml", "daily: 50.00", "daily: cheap")
	if out, err := p.gitlab("adsync-validate", "origin/bad", with()); err == nil {
		t.Errorf("a budget in words is valid:\n%s", out)
	}
	job("adsync-plan", "origin/bad", request) // what cannot be read is held
	for _, name := range []string{"adsync-validate", "adsync-plan"} {
		var err error
		p.found, err = os.ReadFile(filepath.Join(p.artifacts, name, "problems.sarif"))
		must(t, err)
		p.finds("ads/spring.yaml", 7)
	}
	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 60.00")
	job("adsync-validate", "origin/more", with())
	job("adsync-plan", "origin/more", request)
	p.forges()
	job("adsync-plan", "origin/more", request)
	if first := p.oneComment(); !strings.Contains(first, "60.00") {
		t.Errorf("the note does not say what changes:\n%s", first)
	}
	p.merge("more")
	job("adsync-review", "origin/main", protected)
	p.tampers("adsync-review/plan.saved", "60000000")
	if out, err := p.gitlab("adsync-apply", "origin/main", protected); err == nil {
		t.Errorf("a plan that was changed after it was saved is applied:\n%s", out)
	}
	merged()
	p.settled()

	// What is held makes the job fail, and is allowed by somebody who runs it by hand.
	p.edit("much", "ads/spring.yaml", "daily: 60.00", "daily: 600.00")
	p.merge("much")
	job("adsync-review", "origin/main", protected)
	if out, err := p.gitlab("adsync-apply", "origin/main", protected); err == nil {
		t.Errorf("a tenfold budget does not fail the job:\n%s", out)
	}
	protected["ADSYNC_ALLOW"] = "--allow raises-spend=campaign/spring-launch=600\nexposure=560/day\n"
	merged()
	p.settled()
}

// tampers changes an amount of a saved plan that one job hands to another.
func (p *pipeline) tampers(plan, amount string) {
	p.t.Helper()
	p.run(p.artifacts, "sed -i 's/"+amount+"/90000000/' "+plan+" && grep -q 90000000 "+plan)
}

// listArguments notes what commands are given, as every process of the machine can see.
func (p *pipeline) listArguments(names ...string) {
	p.arguments = filepath.Join(p.t.TempDir(), "arguments")
	for _, name := range names {
		real := strings.TrimSpace(p.run(p.work, "command -v "+name))
		p.stub(name, `printf '%s ' "$@" >> '`+p.arguments+`'; exec '`+real+`' "$@"`+"\n")
	}
}

// noToken holds that no token stands in the arguments of a command, nor in what git keeps.
func (p *pipeline) noToken(dir string) {
	p.t.Helper()
	listed, err := os.ReadFile(p.arguments)
	must(p.t, err)
	must(p.t, filepath.WalkDir(filepath.Join(dir, ".git"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		listed = append(listed, content...)
		return err
	}))
	for _, token := range []string{"push-token", "job-token", "comment-token", "sk-pipeline-key"} {
		if strings.Contains(string(listed), token) {
			p.t.Errorf("%s stands in the arguments of a command, or beneath .git", token)
		}
	}
}
