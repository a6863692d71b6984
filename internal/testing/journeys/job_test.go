package journeys

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"adsync/internal/testing/pipelines"

	"github.com/rogpeppe/go-internal/testscript"
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
	if said, err := r.try(r.dir, "git clone -q "+r.f.url+"/shop/ads.git .", nil); err != nil {
		ts.Fatalf("%s", said)
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

// try runs a step in bash.
func (r *runner) try(dir, script string, env map[string]string) (string, error) {
	c := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	c.Dir = dir
	temp := filepath.Dir(r.dir)
	c.Env = []string{
		"PATH=" + r.ts.MkAbs("machine") + ":" + os.Getenv("PATH"), "HOME=" + temp, "LANG=C.UTF-8", "ADSYNC_KEY_LAG=0s",
		"CURL_CA_BUNDLE=" + r.f.ca, "GIT_SSL_CAINFO=" + r.f.ca, "ADSYNC_GIT_CA=" + r.f.ca, "HUB=" + r.f.url,
		"BIN=" + filepath.Join(bin, "adsync"),
	}
	for name, value := range env {
		c.Env = append(c.Env, name+"="+value)
	}
	out, err := c.CombinedOutput()
	return string(out), err
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

// github runs a job of the workflow. A pull request's plan is made by main's own workflow, which has the head as
// objects alone.
func (r *runner) github(job, branch, allow string) error {
	head := r.checkOut(branch)
	if job != "validate" {
		r.checkOut("main")
	}
	said, err := r.machine().GitHub(job, map[string]string{
		"vars.ADSYNC_BASE_URL": r.ts.Getenv("ADSYNC_BASE_URL"), "secrets.ADSYNC_API_KEY": r.ts.Getenv("ADSYNC_API_KEY"),
		"secrets.ADSYNC_PLAN_KEY": r.ts.Getenv("ADSYNC_STATE_KEY"), "github.token": forgeToken,
		"secrets.ADSYNC_STATE_KEY": r.ts.Getenv("ADSYNC_STATE_KEY"), "secrets.ADSYNC_STATE_TOKEN": "",
		"github.server_url": r.f.url, "github.repository": "shop/ads", "inputs.allow": allow,
		"github.event.pull_request.number": "7", "github.event.pull_request.head.sha": head,
	})
	r.said.WriteString(said)
	return err
}

// gitlab runs a job of the component.
func (r *runner) gitlab(job, branch, allow string) error {
	r.checkOut(branch)
	said, err := r.machine().GitLab("adsync-"+job, map[string]string{"url": r.f.url + "/adsync", "sha256": r.f.sum},
		map[string]string{
			"CI_API_V4_URL": r.f.url + "/api/v4", "CI_SERVER_PROTOCOL": "https",
			"CI_SERVER_FQDN": strings.TrimPrefix(r.f.url, "https://"), "CI_JOB_TOKEN": "reads",
			"CI_PROJECT_ID": "12", "CI_PROJECT_PATH": "shop/ads",
			"CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "ADSYNC_ALLOW": allow,
			"ADSYNC_BASE_URL": r.ts.Getenv("ADSYNC_BASE_URL"), "ADSYNC_API_KEY": r.ts.Getenv("ADSYNC_API_KEY"),
			"ADSYNC_PLAN_KEY": r.ts.Getenv("ADSYNC_STATE_KEY"), "ADSYNC_STATE_KEY": r.ts.Getenv("ADSYNC_STATE_KEY"),
			"ADSYNC_PUSH_TOKEN": forgeToken, "ADSYNC_COMMENT_TOKEN": forgeToken,
		})
	r.said.WriteString(said)
	return err
}

// machine runs the steps of a job.
func (r *runner) machine() *pipelines.Runner {
	return &pipelines.Runner{
		Root: r.ts.Getenv("ROOT"), Dir: r.dir, Temp: filepath.Dir(r.dir), Artifacts: r.ts.MkAbs("artifacts"),
		Run: r.try,
	}
}
