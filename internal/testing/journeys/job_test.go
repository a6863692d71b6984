package journeys

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// runner is a machine that runs one job of an example in a clone of its own.
type runner struct {
	ts   *testscript.TestScript
	f    *forge
	dir  string
	said strings.Builder
}

// job NAME BRANCH [ALLOW...]: what the server does of itself, or once somebody pressed the
// button: this job of the example, for a pull request of the branch, or for main.
func runJob(ts *testscript.TestScript, neg bool, args []string) {
	dir, err := os.MkdirTemp(ts.MkAbs("."), "runner-")
	ts.Check(err)
	r := &runner{ts: ts, f: forgeOf(ts), dir: filepath.Join(dir, "ads")}
	ts.Check(os.Mkdir(r.dir, 0o700))
	if r.run("git clone -q "+r.f.url+"/shop/ads.git .") != nil {
		ts.Fatalf("%s", &r.said)
	}
	allow := strings.Join(args[2:], "\n")
	if r.f.like == "github" {
		err = r.github(args[0], args[1], allow)
	} else {
		err = r.gitlab(args[0], args[1], allow)
	}
	_, failed := fmt.Fprint(ts.Stdout(), &r.said)
	ts.Check(failed)
	if (err != nil) != neg {
		ts.Fatalf("job %s: %v\n%s", args[0], err, &r.said)
	}
}

// run runs a step in bash.
func (r *runner) run(script string, env ...string) error {
	c := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	c.Dir = r.dir
	temp := filepath.Dir(r.dir)
	c.Env = append([]string{
		"PATH=" + r.ts.MkAbs("machine") + ":" + os.Getenv("PATH"), "HOME=" + temp, "RUNNER_TEMP=" + temp,
		"LANG=C.UTF-8", "CURL_CA_BUNDLE=" + r.f.ca, "GIT_SSL_CAINFO=" + r.f.ca, "HUB=" + r.f.url, "ADSYNC_KEY_LAG=0s",
	}, env...)
	out, err := c.CombinedOutput()
	r.said.Write(out)
	return err
}

func (r *runner) checkOut(ref string) (commit string) {
	for _, args := range [][]string{{"checkout", "-q", "--detach", "origin/" + ref}, {"rev-parse", "HEAD"}} {
		out, err := exec.Command("git", append([]string{"-C", r.dir}, args...)...).CombinedOutput()
		if err != nil {
			r.ts.Fatalf("%s", out)
		}
		commit = strings.TrimSpace(string(out))
	}
	return commit
}

func (r *runner) example(name string, into any) {
	content, err := os.ReadFile(filepath.Join(r.ts.Getenv("ROOT"), "examples", name))
	r.ts.Check(err)
	r.ts.Check(yaml.Unmarshal(content, into))
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// github runs the steps of a job of the workflow. A pull request's plan is made by main's
// own workflow, which has the head as objects alone.
func (r *runner) github(job, branch, allow string) (failed error) {
	head := r.checkOut(branch)
	if job != "validate" {
		r.checkOut("main")
	}
	values := map[string]string{
		"vars.ADSYNC_URL": r.f.url + "/adsync", "vars.ADSYNC_SHA256": r.f.sum,
		"vars.ADSYNC_BASE_URL": r.ts.Getenv("ADSYNC_BASE_URL"), "secrets.ADSYNC_API_KEY": r.ts.Getenv("ADSYNC_API_KEY"),
		"github.token": forgeToken, "secrets.ADSYNC_STATE_TOKEN || github.token": forgeToken, "inputs.allow": allow,
		"github.event.pull_request.number": "7", "github.event.pull_request.head.sha": head,
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				If, Run string
				Env     map[string]string
			}
		}
	}
	r.example("github-actions/adsync.yml", &workflow)
	for _, step := range workflow.Jobs[job].Steps {
		if step.Run == "" || failed != nil && !strings.HasPrefix(step.If, "always()") {
			continue
		}
		env := []string{"GITHUB_REPOSITORY=shop/ads"}
		for name, text := range step.Env {
			env = append(env, name+"="+expression.ReplaceAllStringFunc(text, func(whole string) string {
				value, known := values[expression.FindStringSubmatch(whole)[1]]
				if !known {
					r.ts.Fatalf("%s wants %s, which the event does not have", job, whole)
				}
				return value
			}))
		}
		if err := r.run(step.Run, env...); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// gitlab runs a job of the pipeline: the branch's own for a merge request, else main's.
func (r *runner) gitlab(job, branch, allow string) error {
	r.checkOut(branch)
	type script struct {
		Variables map[string]string
		Extends   string
		Before    []string `yaml:"before_script"`
		Script    []string
		After     []string `yaml:"after_script"`
	}
	var file map[string]yaml.Node
	r.example("gitlab-ci/adsync.gitlab-ci.yml", &file)
	var own, base script
	node := file[job]
	r.ts.Check(node.Decode(&own))
	node = file[own.Extends]
	r.ts.Check(node.Decode(&base))
	values := map[string]string{
		"CI_API_V4_URL": r.f.url + "/api/v4", "CI_SERVER_URL": r.f.url,
		"CI_PROJECT_ID": "12", "CI_PROJECT_PATH": "shop/ads",
		"CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
		"ADSYNC_URL": r.f.url + "/adsync", "ADSYNC_SHA256": r.f.sum, "ADSYNC_ALLOW": allow,
		"ADSYNC_BASE_URL": r.ts.Getenv("ADSYNC_BASE_URL"), "ADSYNC_API_KEY": r.ts.Getenv("ADSYNC_API_KEY"),
		"ADSYNC_PUSH_TOKEN": forgeToken, "ADSYNC_COMMENT_TOKEN": forgeToken,
	}
	var env []string
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	for name, value := range own.Variables {
		env = append(env, name+"="+os.Expand(value, func(name string) string { return values[name] }))
	}
	err := r.run(strings.Join(append(base.Before, own.Script...), "\n"), env...)
	if after := r.run(strings.Join(own.After, "\n"), env...); after != nil && err == nil {
		err = after
	}
	return err
}
