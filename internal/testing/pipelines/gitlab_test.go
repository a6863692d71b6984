package pipelines

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/testing/golden"

	"github.com/santhosh-tekuri/jsonschema/v6"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

const componentFile = "../../../templates/adsync.yml"

// component is the text of its jobs, with the inputs that a user must give.
func component(t *testing.T) string {
	t.Helper()
	of := &Runner{Root: "../../.."}
	body, inputs := of.component(map[string]string{"url": "given", "sha256": "given"})
	text := read(t, componentFile, nil)
	for _, name := range inputs {
		if !strings.Contains(text, "$[[ inputs."+name+" ]]") {
			t.Errorf("the component does nothing with its input %s", name)
		}
	}
	if _, unknown, found := strings.Cut(body, "$[["); found {
		t.Errorf("the component has an input that it does not name: %.30s", unknown)
	}
	return body
}

func gitlabJobs(t *testing.T) (jobs map[string]gitlabJob, text string) {
	t.Helper()
	text = component(t)
	if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
		t.Fatal(err)
	}
	return jobs, text
}

// The component has no files beside it, so that it carries the scripts that tests run.
func TestTheComponentCarriesTheScriptsInStep(t *testing.T) {
	text := read(t, componentFile, nil)
	for _, name := range []string{"ci/allowing.sh", "ci/install.sh", "gitlab-ci/comment.sh"} {
		start := "      cat > .adsync-ci/" + filepath.Base(name) + " <<'END_OF_SCRIPT'\n"
		const end = "      END_OF_SCRIPT\n"
		before, rest, found := strings.Cut(text, start)
		_, after, ended := strings.Cut(rest, end)
		if !found || !ended {
			t.Fatalf("the component does not carry %s", name)
		}
		var script strings.Builder
		for line := range strings.Lines(read(t, "../../../examples/"+name, nil)) {
			if line != "\n" {
				line = "      " + line
			}
			script.WriteString(line)
		}
		text = before + start + script.String() + end + after
	}
	golden.File(t, componentFile, []byte(text))
}

// gitlabSchema is the one of pipelines that GitLab publishes for editors (MIT), as gitlab-ci-local 4.61.1 carries it.
func gitlabSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	content, err := os.ReadFile("testdata/gitlab-ci.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("ci.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("ci.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestTheComponentFitsGitLabsSchema(t *testing.T) {
	schema := gitlabSchema(t)
	judged := func(text string) error {
		var document any
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		content, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if document, err = jsonschema.UnmarshalJSON(bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(document)
	}
	header, _, _ := strings.Cut(read(t, componentFile, nil), "\n---\n")
	body := component(t)
	for name, text := range map[string]string{"header": header, "jobs": body} {
		if err := judged(text); err != nil {
			t.Errorf("GitLab does not take the %s: %v", name, err)
		}
	}
	if judged(strings.Replace(body, "resource_group: adsync", "resource_group: [adsync]", 1)) == nil {
		t.Error("the schema takes a group of resources that is a list; want it to judge the jobs")
	}
}

// The keys are those of environments, which reviewers let a job into: a branch writes its
// own pipeline.
func TestKeysOfGitLabAreThoseOfEnvironments(t *testing.T) {
	jobs, _ := gitlabJobs(t)
	environments := map[string]string{"validate": "", "plan": "ads-plan", "review": "ads-review", "apply": "ads"}
	for name, want := range environments {
		if got := jobs["adsync-"+name].Environment; got != want {
			t.Errorf("job %s runs in environment %q; want %q", name, got, want)
		}
	}
	var sources []string
	for _, rule := range slices.Concat(jobs["adsync-review"].Rules, jobs["adsync-apply"].Rules) {
		if !strings.Contains(rule.If, "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH") {
			t.Errorf("apply runs if %s; want the default branch alone", rule.If)
		}
		sources = append(sources, regexp.MustCompile(`"[a-z_]+"`).FindAllString(rule.If, -1)...)
	}
	if !slices.Equal(sources, []string{`"push"`, `"web"`, `"push"`, `"web"`}) {
		t.Errorf("review and apply run for %v; want pushes, and a way to allow by hand", sources)
	}
	for _, name := range []string{"adsync-review", "adsync-apply"} {
		if jobs[name].Variables["ALLOW"] != "$ADSYNC_ALLOW" {
			t.Errorf("what is allowed does not reach %s: %v", name, jobs[name].Variables)
		}
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
		for _, line := range j.Script {
			if named.MatchString(line) {
				t.Errorf("job %s: a token is given to a command: %s", name, line)
			}
		}
	}
	if strings.Contains(text, "set-url") || strings.Contains(text, "@${CI_SERVER") {
		t.Error("an address holds a token, which git keeps")
	}
}
