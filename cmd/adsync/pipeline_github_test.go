package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// github runs one job of the workflow for a ref of the remote, with every step of the action it uses.
func (p *pipeline) github(job, ref string, values map[string]string) (string, error) {
	p.t.Helper()
	r := p.machine(ref)
	said, err := r.GitHub(job, values)
	p.summary, p.found = r.Summary, nil
	if outputs, failure := os.ReadFile(filepath.Join(r.Temp, "output")); failure == nil {
		_, name, _ := strings.Cut(strings.TrimSpace(string(outputs)), "sarif=")
		p.found, _ = os.ReadFile(name) // an apply has none
	}
	return said, err
}

// finds holds that the output sarif of the last job names one problem, at a line of a file.
func (p *pipeline) finds(file string, line int) {
	p.t.Helper()
	var sarif struct {
		Version string
		Runs    []struct {
			Results []struct {
				Level     string
				Locations []struct {
					Physical struct {
						File   struct{ URI string } `json:"artifactLocation"`
						Region struct{ StartLine int }
					} `json:"physicalLocation"`
				}
			}
		}
	}
	if err := json.Unmarshal(p.found, &sarif); err != nil || sarif.Version != "2.1.0" || len(sarif.Runs) != 1 ||
		len(sarif.Runs[0].Results) != 1 {
		p.t.Fatalf("the output sarif is %v\n%s\nwant one problem", err, p.found)
	}
	at := sarif.Runs[0].Results[0].Locations[0].Physical
	if at.File.URI != file || at.Region.StartLine != line || sarif.Runs[0].Results[0].Level != "error" {
		p.t.Errorf("the output sarif has %+v; want an error in %s, line %d", sarif.Runs[0].Results, file, line)
	}
}

func TestGitHubWorkflow(t *testing.T) {
	t.Parallel()
	p := newPipeline(t)
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
	self, err := os.Executable()
	must(t, err)
	p.stub("go", `install -D '`+self+`' "$3"`) // go build -o NAME
	values := map[string]string{
		"vars.ADSYNC_BASE_URL": p.env["ADSYNC_BASE_URL"], "secrets.ADSYNC_API_KEY": "sk-pipeline-key",
		"secrets.ADSYNC_PLAN_KEY": strings.Repeat("k", 64), "secrets.ADSYNC_STATE_KEY": withKeys["ADSYNC_STATE_KEY"],
		"secrets.ADSYNC_STATE_TOKEN": "", "github.token": "t",
		"github.server_url": filepath.Dir(p.origin), "github.repository": filepath.Base(p.origin),
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
	merged := func() {
		t.Helper()
		job("review", "origin/main")
		job("apply", "origin/main")
	}
	merged()
	p.settled()

	head := func(branch string) {
		values["github.event.pull_request.head.sha"] = strings.TrimSpace(p.run(p.origin, "git rev-parse "+branch))
	}
	p.edit("bad", "ads/spring.yaml", "daily: 50.00", "daily: cheap")
	head("bad")
	if out, err := p.github("validate", "origin/bad", values); err == nil {
		t.Errorf("a budget in words is valid:\n%s", out)
	}
	p.finds("ads/spring.yaml", 7)
	job("plan", "origin/main") // what cannot be read is held
	p.finds("ads/spring.yaml", 7)
	p.hub.comments = []comment{}

	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 60.00")
	job("validate", "origin/more")
	// It is main that is checked out: the head is data.
	plan := func() string {
		head("more")
		return job("plan", "origin/main")
	}
	out := plan()
	if first := p.oneComment(); !strings.Contains(first, "60.00") {
		t.Errorf("the comment does not say what changes:\n%s", first)
	}
	if !strings.Contains(out, "::") {
		t.Errorf("the plan annotates nothing:\n%s", out)
	}
	p.forges()
	p.edit("more", "ads/spring.yaml", "daily: 50.00", "daily: 70.00")
	plan()
	if second := p.oneComment(); !strings.Contains(second, "70.00") || strings.Contains(second, "60.00") {
		t.Errorf("the comment was not changed:\n%s", second)
	}
	p.merge("more")
	// The reviewers of apply see what it applies, and a plan that was changed on the way is not applied.
	job("review", "origin/main")
	if !strings.Contains(p.summary, "70.00") {
		t.Errorf("the summary does not say what changes:\n%s", p.summary)
	}
	p.tampers("adsync-plan-ads/plan.saved", "70000000")
	if out, err := p.github("apply", "origin/main", values); err == nil {
		t.Errorf("a plan that was changed after it was saved is applied:\n%s", out)
	}
	merged()
	if !strings.Contains(p.summary, "campaign/spring-launch") {
		t.Errorf("the summary does not say what was applied:\n%s", p.summary)
	}
	p.settled()

	// What is held makes the job fail, and is allowed by somebody who runs it by hand.
	p.edit("much", "ads/spring.yaml", "daily: 70.00", "daily: 700.00")
	p.merge("much")
	job("review", "origin/main")
	if out, err := p.github("apply", "origin/main", values); err == nil {
		t.Errorf("a tenfold budget does not fail the job:\n%s", out)
	}
	values["inputs.allow"] = "raises-spend=campaign/spring-launch=700\nexposure=650/day"
	merged()
	p.settled()
}
