package pipelines

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

const (
	theWorkflow = "OWNER/adsync/" + workflow + "@COMMIT" // in the place of a repository and a full commit
	usedAction  = "OWNER/adsync@COMMIT"

	workflowFile = "../../../" + workflow
	callerFile   = "../../../" + caller
	actionFile   = "../../../action.yml"
)

// flow is what the promises are about: the workflow with the jobs, or the one that calls it.
type flow struct {
	On          map[string]trigger `yaml:"on"`
	Permissions map[string]string  `yaml:"permissions"`
	Env         map[string]string  `yaml:"env"`
	Jobs        map[string]job     `yaml:"jobs"`
}

type trigger struct {
	Branches []string       `yaml:"branches"`
	Inputs   map[string]any `yaml:"inputs"`
}

type job struct {
	If          string            `yaml:"if"`
	Environment string            `yaml:"environment"`
	Permissions map[string]string `yaml:"permissions"`
	Env         map[string]string `yaml:"env"`
	Steps       []step            `yaml:"steps"`
	Uses        string            `yaml:"uses"`
	With        map[string]string `yaml:"with"`
	Secrets     string            `yaml:"secrets"`
}

func read(t *testing.T, name string, into any) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err == nil && into != nil {
		err = yaml.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// events are those a job runs for.
func (j job) events() (events []string) {
	for _, found := range regexp.MustCompile(`github\.event_name == '([a-z_]+)'`).FindAllStringSubmatch(j.If, -1) {
		events = append(events, found[1])
	}
	return events
}

// secret reports whether a job gets a secret of ours.
func (j job) secret() bool {
	return slices.ContainsFunc(j.Steps, func(s step) bool {
		return strings.Contains(fmt.Sprint(s.Env, s.With), "secrets.")
	})
}

// The workflow of a pull request's own branch is what its author writes: with no secret, and
// no more than may read, it does not matter what stands in it.
func TestTheBranchOfAPullRequestGetsNothing(t *testing.T) {
	var w flow
	read(t, workflowFile, &w)
	if w.Permissions == nil || len(w.Permissions) > 0 {
		t.Errorf("the workflow has permissions %v; want none, and each job its own", w.Permissions)
	}
	permissions := map[string]map[string]string{}
	for name, j := range w.Jobs {
		permissions[name] = j.Permissions
		events := j.events()
		if len(events) == 0 || strings.Contains(j.If, "!=") {
			t.Errorf("job %s runs if %q; want the events it runs for named", name, j.If)
		}
		own := slices.Contains(events, "pull_request")
		if own && (len(events) > 1 || j.Environment != "" ||
			j.secret() || strings.Contains(w.text(t, name), "github.token")) {
			t.Errorf("job %s runs what the branch says, and has a secret, a token or an environment", name)
		}
		if j.secret() && j.Environment == "" {
			t.Errorf("job %s has a secret, and no environment that keeps it for main", name)
		}
	}
	want := map[string]map[string]string{
		"validate": {"contents": "read"},
		"plan":     {"contents": "read", "pull-requests": "write"},
		"review":   {"contents": "read"},
		"apply":    {"contents": "write"},
	}
	if diff := gocmp.Diff(want, permissions); diff != "" {
		t.Errorf("permissions of the jobs (-want +got):\n%s", diff)
	}
}

// text is a job as it is written.
func (w flow) text(t *testing.T, name string) string {
	t.Helper()
	text, err := yaml.Marshal(w.Jobs[name])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What runs with a key is main's. The head of a pull request is data: it is never checked
// out, and no word of it is in a script.
func TestTheHeadOfAPullRequestIsData(t *testing.T) {
	var w, c flow
	read(t, workflowFile, &w)
	read(t, callerFile, &c)
	for _, event := range []string{"pull_request_target", "push"} {
		if diff := gocmp.Diff([]string{"main"}, c.On[event].Branches); diff != "" {
			t.Errorf("%s is for branches (-want +got):\n%s", event, diff)
		}
	}
	for name, j := range w.Jobs {
		if !j.secret() {
			continue
		}
		if slices.Contains(j.events(), "pull_request_target") {
			if !strings.Contains(j.If, "github.event.pull_request.head.repo.full_name == github.repository") {
				t.Errorf("job %s has a key, and runs for forks", name)
			}
			if !strings.Contains(w.text(t, name), "head: ${{ github.event.pull_request.head.sha }}") {
				t.Errorf("job %s does not plan the head as a commit", name)
			}
		} else if !strings.HasSuffix(j.If, "&& github.ref == 'refs/heads/main'") {
			t.Errorf("job %s has a key, and runs for other branches than main: %s", name, j.If)
		}
		for _, s := range j.Steps {
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["ref"]+s.With["repository"] != "" &&
				s.With["repository"]+"@"+s.With["ref"] != theCommit {
				t.Errorf("job %s checks out %v %v; want main", name, s.With["repository"], s.With["ref"])
			}
		}
	}
	plans := read(t, "../../../examples/github-actions/plan.sh", nil)
	if !strings.Contains(plans, `--git "$PWD" --ref "$HEAD"`) {
		t.Error("plan.sh does not plan the head as a commit")
	}
	var a action
	for _, script := range []string{plans, read(t, actionFile, &a), read(t, workflowFile, nil)} {
		if takes := takesFiles.FindString(script); takes != "" {
			t.Errorf("a script takes files out of a commit: %s", takes)
		}
	}
}

// theCommit is adsync as the calling workflow names it.
const theCommit = "${{ job.workflow_repository }}@${{ job.workflow_sha }}"

var takesFiles = regexp.MustCompile(`git (checkout|switch|merge|pull|reset|worktree|restore|archive|show) .*`)

// No token is in the arguments of a command, which every process sees, and none is kept.
func TestNoTokenIsInArgumentsOrKept(t *testing.T) {
	var w flow
	read(t, workflowFile, &w)
	pinned := regexp.MustCompile(`^actions/(checkout|setup-go|(up|down)load-artifact)@[0-9a-f]{40}$`)
	hides := func(where string, env map[string]string) {
		for name, value := range env {
			if strings.Contains(value, "secrets.") || strings.Contains(value, "github.token") {
				t.Errorf("%s: %s is there for every step; want it at the step that needs it", where, name)
			}
		}
	}
	if len(w.Env) > 0 {
		t.Errorf("the workflow has variables for every "+
			"job: %v; want them at the steps, where those of an environment count", w.Env)
	}
	for name, j := range w.Jobs {
		hides(name, j.Env)
		plans := 0
		for i, s := range j.Steps {
			if s.Uses == theAction && (i == 0 || j.Steps[i-1].With["path"] != strings.TrimPrefix(theAction, "./") ||
				j.Steps[i-1].With["repository"]+"@"+j.Steps[i-1].With["ref"] != theCommit) {
				t.Errorf("%s runs %s, which the step before does not check out at the commit of the workflow",
					name, s.Uses)
			}
			if s.Uses != "" && s.Uses != theAction && !pinned.MatchString(s.Uses) {
				t.Errorf("%s uses %s; want an action pinned to a commit", name, s.Uses)
			}
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
				t.Errorf("%s leaves the token in .git/config; want persist-credentials: false", name)
			}
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: a script holds an expression, which becomes part of it: %s", name, s.Run)
			}
			if s.With["command"] == "plan" {
				plans++
			}
		}
		if plans > 1 {
			t.Errorf("%s plans %d times; want the account read once", name, plans)
		}
	}
	var a action
	text := read(t, actionFile, &a)
	for _, s := range a.Runs.Steps {
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("the action uses %s; want an action pinned to a commit", s.Uses)
		}
		if strings.Contains(s.Run, "${{") || s.Run != "" && s.Shell != "bash" {
			t.Errorf("a script of the action holds an expression, or is not of bash: %s", s.Run)
		}
	}
	for name := range a.Inputs {
		if !strings.Contains(text, "inputs."+name) {
			t.Errorf("the action does nothing with its input %s", name)
		}
	}
}

// newer is what GitHub has and actionlint does not know yet.
const newer = `property "workflow_(repository|sha)" is not defined in object type`

// actionlint knows what GitHub takes: of the workflow with the inputs of the action, which lies where the workflow
// checks it out, and of the one that calls it with its inputs and permissions.
func TestActionlintFindsNothing(t *testing.T) {
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		".git/HEAD":                     "", // by which it knows the top
		workflow:                        read(t, workflowFile, nil),
		theAction + "/action.yml":       read(t, actionFile, nil),
		".github/workflows/calling.yml": strings.ReplaceAll(read(t, callerFile, nil), theWorkflow, "./"+workflow),
	}
	for _, row := range []struct{ name, file, from, to, want string }{
		{name: "as they are"},
		{"an input of the action", workflow, "plan-key:", "plan-kye:", "plan-kye"},
		{"an input of the workflow", ".github/workflows/calling.yml", "{allow:", "{alow:", "alow"},
		{"an expression", workflow, "inputs.folder", "inputs.floder", "floder"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range files {
				if name == row.file {
					text = strings.Replace(text, row.from, row.to, 1)
				}
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := exec.Command("go", "tool", "-modfile="+filepath.Join(top, "internal/tools/go.mod"), "actionlint",
				"-shellcheck=", "-pyflakes=", "-ignore", newer, filepath.Join(dir, workflow),
				filepath.Join(dir, ".github/workflows/calling.yml"))
			c.Dir = top
			var beside strings.Builder // what go says of modules that it has to fetch, among others
			c.Stderr = &beside
			said, err := c.Output()
			if ended := new(exec.ExitError); err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1) {
				t.Fatalf("%v\n%s\n%s", err, said, &beside)
			}
			if len(said) > 0 && row.want == "" || !strings.Contains(string(said), row.want) {
				t.Errorf("actionlint says %q; want it to name %q", said, row.want)
			}
		})
	}
}

// What is held can be allowed by those who review an environment.
func TestAnAllowanceHasReviewers(t *testing.T) {
	var w, c flow
	read(t, workflowFile, &w)
	read(t, callerFile, &c)
	if c.On["workflow_dispatch"].Inputs["allow"] == nil || c.Jobs["adsync"].With["allow"] != "${{ inputs.allow }}" ||
		w.Jobs["apply"].Environment != "${{ inputs.environment }}${{ inputs.allow && '-allow' || '' }}" {
		t.Errorf("apply runs in %q; want an environment of its own for an allowance", w.Jobs["apply"].Environment)
	}
	if !strings.Contains(w.text(t, "apply"), "allow: ${{ inputs.allow }}") {
		t.Error("what is allowed does not reach apply")
	}
}

// A job that calls a workflow has at least what each of its jobs asks for, or GitHub starts none of them; and it has
// nothing of its own that runs.
func TestTheExampleCallsTheWorkflow(t *testing.T) {
	var w, c flow
	read(t, workflowFile, &w)
	read(t, callerFile, &c)
	caller := c.Jobs["adsync"]
	if len(c.Jobs) != 1 || caller.Uses != theWorkflow || caller.Secrets != "inherit" || len(c.Permissions) > 0 {
		t.Errorf("the example has the jobs %+v; want one, which calls %s", c.Jobs, theWorkflow)
	}
	needs := map[string]string{}
	for _, j := range w.Jobs {
		for right, level := range j.Permissions {
			needs[right] = max(needs[right], level) // read, write
		}
	}
	if diff := gocmp.Diff(needs, caller.Permissions); diff != "" {
		t.Errorf("permissions of the call (-want +got):\n%s", diff)
	}
}

// What the page tells people to write is YAML, names inputs that there are, and pins what others make.
func TestThePageNamesInputsThatThereAre(t *testing.T) {
	var a action
	read(t, actionFile, &a)
	_, component := (&Runner{Root: "../../.."}).component(nil)
	page := read(t, "../../../docs/use/pull-requests.md", nil)
	uses := 0
	for _, found := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
		var document any
		if err := yaml.Unmarshal([]byte(found[1]), &document); err != nil {
			t.Errorf("%v in\n%s", err, found[1])
			continue
		}
		var steps []step
		if yaml.Unmarshal([]byte(found[1]), &steps) == nil {
			for _, s := range steps {
				uses++
				for name := range s.With {
					if _, known := a.Inputs[name]; s.Uses == usedAction && !known {
						t.Errorf("the page names the input %s of the action, which has none", name)
					}
				}
				if s.Uses != usedAction && !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(s.Uses) {
					t.Errorf("the page uses %s; want it pinned to a commit", s.Uses)
				}
			}
		}
		var includes struct {
			Include []struct {
				Inputs map[string]string `yaml:"inputs"`
			} `yaml:"include"`
		}
		if yaml.Unmarshal([]byte(found[1]), &includes) == nil {
			for _, include := range includes.Include {
				uses++
				for name := range include.Inputs {
					if !slices.Contains(component, name) {
						t.Errorf("the page names the input %s of the component, which has none", name)
					}
				}
			}
		}
	}
	if uses != 3 {
		t.Errorf("the page has %d uses; want the action, the upload of SARIF and the component", uses)
	}
}
