package pipelines

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// gitlabJob is what the promises are about.
type gitlabJob struct {
	Environment string            `yaml:"environment"`
	Variables   map[string]string `yaml:"variables"`
	Script      []string          `yaml:"script"`
	After       []string          `yaml:"after_script"`
	Rules       []struct {
		If string `yaml:"if"`
	} `yaml:"rules"`
}

func gitlabJobs(t *testing.T) (jobs map[string]gitlabJob, text string) {
	t.Helper()
	var file map[string]yaml.Node
	text = read(t, "../../../examples/gitlab-ci/adsync.gitlab-ci.yml", &file)
	jobs = map[string]gitlabJob{}
	for _, name := range []string{"validate", "plan", "apply"} {
		var j gitlabJob
		node := file[name]
		if err := node.Decode(&j); err != nil {
			t.Fatal(err)
		}
		jobs[name] = j
	}
	return jobs, text
}

// The keys are those of environments, which reviewers let a job into: a branch writes its
// own pipeline.
func TestKeysOfGitLabAreThoseOfEnvironments(t *testing.T) {
	jobs, text := gitlabJobs(t)
	for name, want := range map[string]string{"validate": "", "plan": "ads-plan", "apply": "ads"} {
		if got := jobs[name].Environment; got != want {
			t.Errorf("job %s runs in environment %q; want %q", name, got, want)
		}
	}
	var sources []string
	for _, rule := range jobs["apply"].Rules {
		if !strings.Contains(rule.If, "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH") {
			t.Errorf("apply runs if %s; want the default branch alone", rule.If)
		}
		sources = append(sources, regexp.MustCompile(`"[a-z_]+"`).FindAllString(rule.If, -1)...)
	}
	if !slices.Equal(sources, []string{`"push"`, `"web"`}) || jobs["apply"].Variables["ALLOW"] != "$ADSYNC_ALLOW" {
		t.Errorf("apply runs for %v with %v; want pushes, and a way to allow by hand", sources, jobs["apply"].Variables)
	}
	if plans := strings.Count(text, "adsync plan "); plans != 1 {
		t.Errorf("%d plans are made; want the account read once", plans)
	}
}

// No token is in the arguments of a command, nor in what git keeps.
func TestNoScriptPutsATokenIntoArguments(t *testing.T) {
	named := regexp.MustCompile(`\$\{?[A-Z_]*(TOKEN|KEY)\b`)
	may := regexp.MustCompile(`^(#|(export|if|printf|id=|PRIVATE).*)`)
	scripts, err := filepath.Glob("../../../examples/*/*.sh")
	if err != nil || len(scripts) < 5 {
		t.Fatalf("scripts are %v, %v; want those of the pipelines", scripts, err)
	}
	for _, name := range scripts {
		for line := range strings.Lines(read(t, name, nil)) {
			if line = strings.TrimSpace(line); named.MatchString(line) && !may.MatchString(line) {
				t.Errorf("%s: a token is given to a command: %s", filepath.Base(name), line)
			}
		}
	}
	jobs, text := gitlabJobs(t)
	for name, j := range jobs {
		for _, line := range append(j.Script, j.After...) {
			if named.MatchString(line) {
				t.Errorf("job %s: a token is given to a command: %s", name, line)
			}
		}
	}
	if strings.Contains(text, "set-url") || strings.Contains(text, "@${CI_SERVER") {
		t.Error("an address holds a token, which git keeps")
	}
}
