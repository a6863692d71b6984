package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/emulator"

	"sigs.k8s.io/yaml/goyaml.v3"
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
	ID   int    `json:"id"`
	Body string `json:"body"`
}

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
	must(f.t, r.ParseForm())
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "s"):
		f.comments = append(f.comments, comment{100 + len(f.comments), r.Form.Get("body")})
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

func newPipeline(t *testing.T, example string) *pipeline {
	t.Helper()
	dir := t.TempDir()
	p := &pipeline{
		t: t, origin: filepath.Join(dir, "origin.git"), work: filepath.Join(dir, "work"),
		stubs: filepath.Join(dir, "stubs"), hub: &forge{t: t, comments: []comment{}},
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
	must(t, os.CopyFS(filepath.Join(p.work, "ci"), os.DirFS("../../examples/ci")))
	script, err := os.ReadFile(filepath.Join("../../examples", example, "comment.sh"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(p.work, "ci/comment.sh"), script, 0o755))
	p.run(p.work, `printf '.adsync\n/bin\n' > .gitignore && git add -A && `+
		by("Ann")+` commit -qm start && git push -q origin main`)
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

// oneComment holds that the pull request has one comment, the plan, and gives it.
func (p *pipeline) oneComment() string {
	p.t.Helper()
	if len(p.hub.comments) != 1 || !strings.HasPrefix(p.hub.comments[0].Body, "<!-- adsync:plan:") {
		p.t.Fatalf("the pull request has %d comments: %+v; want one, the plan", len(p.hub.comments), p.hub.comments)
	}
	return p.hub.comments[0].Body
}

// settled holds that nothing is left to apply, as a runner of tomorrow sees it.
func (p *pipeline) settled(token map[string]string) {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "again")
	p.run(filepath.Dir(dir), "git clone -q "+p.origin+" again")
	if out, err := p.try(dir, "ci/install.sh && ci/state.sh get && bin/adsync plan --detailed-exitcode ads",
		token); err != nil {
		p.t.Errorf("after apply a plan has changes: %v\n%s", err, out)
	}
}

// workflow is what the test reads of one.
type workflow struct {
	Jobs map[string]struct {
		If    string `yaml:"if"`
		Steps []struct {
			ID   string            `yaml:"id"`
			Name string            `yaml:"name"`
			If   string            `yaml:"if"`
			Uses string            `yaml:"uses"`
			Run  string            `yaml:"run"`
			Env  map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

var (
	expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)
	pinned     = regexp.MustCompile(`^actions/(checkout|upload-artifact)@[0-9a-f]{40}$`)
	outcome    = regexp.MustCompile(`^always\(\) && steps\.([a-z]+)\.outcome == '([a-z]+)'$`)
)

// github runs one job of the workflow for a ref of the remote.
func (p *pipeline) github(job, ref string, values map[string]string) (string, error) {
	p.t.Helper()
	content, err := os.ReadFile("../../examples/github-actions/adsync.yml")
	must(p.t, err)
	var w workflow
	must(p.t, yaml.Unmarshal(content, &w))
	evaluated := func(env map[string]string) map[string]string {
		all := map[string]string{"GITHUB_REPOSITORY": "shop/ads", "RUNNER_TEMP": p.env["HOME"]}
		for name, text := range env {
			all[name] = expression.ReplaceAllStringFunc(text, func(whole string) string {
				inner := expression.FindStringSubmatch(whole)[1]
				value, known := values[inner]
				if !known {
					p.t.Fatalf("%s wants %s, which the event does not have", job, inner)
				}
				return value
			})
		}
		return all
	}
	dir := filepath.Join(p.t.TempDir(), "runner")
	var printed strings.Builder
	var failed error
	outcomes := map[string]string{}
	for _, step := range w.Jobs[job].Steps {
		asks := outcome.FindStringSubmatch(step.If)
		if asks != nil && outcomes[asks[1]] != asks[2] || failed != nil && !strings.HasPrefix(step.If, "always()") {
			continue
		}
		outcomes[step.ID] = "success"
		switch {
		case step.Uses != "" && !pinned.MatchString(step.Uses):
			p.t.Errorf("%s uses %s; want an action pinned to a commit", job, step.Uses)
		case strings.HasPrefix(step.Uses, "actions/checkout@"):
			p.run(filepath.Dir(dir), "git clone -q "+p.origin+" runner && cd runner && git checkout -q --detach "+ref)
		case step.Run != "":
			env := evaluated(step.Env)
			out, err := p.try(dir, step.Run, env)
			printed.WriteString(out)
			if err != nil {
				outcomes[step.ID] = "failure"
			}
			if err != nil && failed == nil {
				failed = fmt.Errorf("step %s: %w\n%s", step.Name, err, out)
			}
		}
	}
	return printed.String(), failed
}

func TestGitHubWorkflow(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, "github-actions")
	p.stub("gh", `
[ "$1" = api ] && shift
method=GET jq=. data=()
while [ $# -gt 0 ]; do
  case "$1" in
  --paginate | --silent) ;;
  --method) method=$2; shift ;;
  --jq) jq=$2; shift ;;
  --field) data=(--data-urlencode "${2/=@/@}"); shift ;;
  *) path=$1 ;;
  esac
  shift
done
curl --fail --silent --show-error --request "$method" "${data[@]}" "$HUB/$path" | jq -r "$jq"
`)
	values := map[string]string{
		"vars.ADSYNC_URL": p.env["ADSYNC_URL"], "vars.ADSYNC_SHA256": p.env["ADSYNC_SHA256"],
		"vars.ADSYNC_BASE_URL":   p.env["ADSYNC_BASE_URL"],
		"secrets.ADSYNC_API_KEY": "sk-pipeline-key",
		"github.token":           "t", "secrets.ADSYNC_STATE_TOKEN || github.token": "t",
		"github.event.pull_request.number": "7", "inputs.allow": "",
	}
	job := func(name, ref string) string {
		t.Helper()
		out, err := p.github(name, ref, values)
		if err != nil {
			t.Fatalf("job %s: %v", name, err)
		}
		return out
	}
	job("apply", "origin/main")
	p.settled(map[string]string{"ADSYNC_API_KEY": "sk-pipeline-key"})

	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 60.00")
	job("validate", "origin/more")
	// It is main that is checked out: the head is data.
	plan := func() string {
		values["github.event.pull_request.head.sha"] = strings.TrimSpace(p.run(p.origin, "git rev-parse more"))
		return job("plan", "origin/main")
	}
	out := plan()
	if first := p.oneComment(); !strings.Contains(first, "60.00") {
		t.Errorf("the comment does not say what changes:\n%s", first)
	}
	if !strings.Contains(out, "::") {
		t.Errorf("the plan annotates nothing:\n%s", out)
	}
	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 70.00")
	plan()
	if second := p.oneComment(); !strings.Contains(second, "70.00") || strings.Contains(second, "60.00") {
		t.Errorf("the comment was not changed:\n%s", second)
	}
	p.merge("more")
	job("apply", "origin/main")
	p.settled(map[string]string{"ADSYNC_API_KEY": "sk-pipeline-key"})

	// What is held makes the job fail, and is allowed by somebody who runs it by hand.
	p.edit("much", "ads/spring.yaml", "daily: 70.00", "daily: 700.00")
	p.merge("much")
	if out, err := p.github("apply", "origin/main", values); err == nil {
		t.Errorf("a tenfold budget does not fail the job:\n%s", out)
	}
	values["inputs.allow"] = "raises-spend=campaign/spring-launch=700\nexposure=650/day"
	job("apply", "origin/main")
	p.settled(map[string]string{"ADSYNC_API_KEY": "sk-pipeline-key"})
}

// gitlabJob is what the test reads of a job of GitLab.
type gitlabJob struct {
	Variables map[string]string `yaml:"variables"`

	Extends string   `yaml:"extends"`
	Before  []string `yaml:"before_script"`
	Script  []string `yaml:"script"`
	After   []string `yaml:"after_script"`
	Rules   []struct {
		If string `yaml:"if"`
	} `yaml:"rules"`
}

// gitlab runs one job for a ref of the remote.
func (p *pipeline) gitlab(name, ref string, env map[string]string) (string, error) {
	p.t.Helper()
	content, err := os.ReadFile("../../examples/gitlab-ci/adsync.gitlab-ci.yml")
	must(p.t, err)
	var file map[string]yaml.Node
	must(p.t, yaml.Unmarshal(content, &file))
	var job, base gitlabJob
	node := file[name]
	must(p.t, node.Decode(&job))
	node = file[job.Extends]
	must(p.t, node.Decode(&base))
	dir := filepath.Join(p.t.TempDir(), "runner")
	p.run(filepath.Dir(dir), "git clone -q "+p.origin+" runner && cd runner && git checkout -q --detach "+ref)
	env = maps.Clone(env)
	for name, value := range job.Variables {
		env[name] = os.Expand(value, func(name string) string { return env[name] })
	}
	out, err := p.try(dir, strings.Join(append(base.Before, job.Script...), "\n"), env)
	p.noToken(dir)
	if len(job.After) > 0 { // in a shell of its own, whatever became of the script
		after, failed := p.try(dir, strings.Join(job.After, "\n"), env)
		out += after
		if failed != nil {
			p.t.Errorf("after_script of %s: %v\n%s", name, failed, after)
		}
	}
	return out, err
}

func TestGitLabPipeline(t *testing.T) {
	t.Parallel()
	p := newPipeline(t, "gitlab-ci")
	p.hub.token = "comment-token"
	p.stub("apt-get", "") // what it installs is here
	p.listArguments("git", "curl", "jq")
	common := map[string]string{
		"CI_API_V4_URL": p.env["HUB"] + "/api/v4",
		"CI_PROJECT_ID": "12", "CI_PROJECT_PATH": "shop/ads", "CI_SERVER_URL": "https://gitlab.example",
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
		"GIT_CONFIG_COUNT", "1", "GIT_CONFIG_KEY_0",
		"url."+p.origin+".insteadOf", "GIT_CONFIG_VALUE_0", "https://gitlab.example/shop/ads.git")
	request := with("ADSYNC_API_KEY", "sk-pipeline-key", "ADSYNC_COMMENT_TOKEN", "comment-token")
	job := func(name, ref string, env map[string]string) {
		t.Helper()
		if out, err := p.gitlab(name, ref, env); err != nil {
			t.Fatalf("job %s: %v\n%s", name, err, out)
		}
	}
	job("apply", "origin/main", protected)
	p.settled(protected)
	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 60.00")
	job("validate", "origin/more", with())
	job("plan", "origin/more", request)
	job("plan", "origin/more", request)
	if first := p.oneComment(); !strings.Contains(first, "60.00") {
		t.Errorf("the note does not say what changes:\n%s", first)
	}
	p.merge("more")
	job("apply", "origin/main", protected)
	p.settled(protected)

	// What is held makes the job fail, and is allowed by somebody who runs it by hand.
	p.edit("much", "ads/spring.yaml", "daily: 60.00", "daily: 600.00")
	p.merge("much")
	if out, err := p.gitlab("apply", "origin/main", protected); err == nil {
		t.Errorf("a tenfold budget does not fail the job:\n%s", out)
	}
	protected["ADSYNC_ALLOW"] = "--allow raises-spend=campaign/spring-launch=600\nexposure=560/day\n"
	job("apply", "origin/main", protected)
	p.settled(protected)
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
	for _, token := range []string{"push-token", "comment-token", "sk-pipeline-key"} {
		if strings.Contains(string(listed), token) {
			p.t.Errorf("%s stands in the arguments of a command, or beneath .git", token)
		}
	}
}
