// Package pipelines runs the jobs of the GitHub workflow with the action it uses, and of the GitLab component, as their
// services do. Its tests hold the promises that docs/operate/pipeline-security.md makes.
//
// It knows of both what their files have, and panics at anything else.
package pipelines

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

const (
	// theAction is what the workflow has in the place of an action: what it checked out before.
	theAction = "./.adsync-action"
	workflow  = ".github/workflows/adsync.yml"
	caller    = "examples/github-actions/adsync.yml"
)

// Runner is the machine of one job. Dir is a clone at the commit that the job is for.
type Runner struct {
	Root, Dir, Temp, Artifacts string // this repository, the clone, a folder for the job, and what jobs hand on
	Run                        func(dir, script string, env map[string]string) (printed string, err error)

	Summary string // page of the job of GitHub

	printed strings.Builder
	failed  error
}

// step is one of a job or of the action.
type step struct {
	ID     string            `yaml:"id"`
	Name   string            `yaml:"name"`
	If     string            `yaml:"if"`
	Uses   string            `yaml:"uses"`
	Shell  string            `yaml:"shell"`
	Run    string            `yaml:"run"`
	Folder string            `yaml:"working-directory"`
	With   map[string]string `yaml:"with"`
	Env    map[string]string `yaml:"env"`
}

// action is action.yml.
type action struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

func (r *Runner) read(name string, into any) {
	content, err := os.ReadFile(filepath.Join(r.Root, name))
	must(err)
	must(yaml.Unmarshal(content, into))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// called is the workflow that the example calls.
type called struct {
	On struct {
		Call struct {
			Inputs map[string]struct {
				Default string `yaml:"default"`
			} `yaml:"inputs"`
		} `yaml:"workflow_call"`
	} `yaml:"on"`
	Jobs map[string]struct {
		Steps []step `yaml:"steps"`
	} `yaml:"jobs"`
}

// calls is the example.
type calls struct {
	Jobs map[string]struct {
		With map[string]string `yaml:"with"`
	} `yaml:"jobs"`
}

// GitHub runs a job of the workflow, as the example calls it. The values are those of the expressions of both, by
// their paths.
func (r *Runner) GitHub(job string, outside map[string]string) (printed string, err error) {
	var w called
	r.read(workflow, &w)
	var c calls
	r.read(caller, &c)
	values := maps.Clone(outside)
	for name, input := range w.On.Call.Inputs {
		values["inputs."+name] = input.Default
	}
	for name, text := range c.Jobs["adsync"].With {
		values["inputs."+name] = filled(text, outside)
	}
	for _, s := range w.Jobs[job].Steps {
		if s.Uses == theAction && r.failed == nil {
			r.act(s.With, values)
		}
	}
	if summary, err := os.ReadFile(filepath.Join(r.Temp, "summary")); err == nil {
		r.Summary = string(summary)
	}
	return r.printed.String(), r.failed
}

// act runs the steps of the action with inputs.
func (r *Runner) act(with, outside map[string]string) {
	var a action
	r.read("action.yml", &a)
	values := map[string]string{
		"github.action_path": r.Root, "runner.temp": r.Temp, "github.token": outside["github.token"],
		"github.server_url": outside["github.server_url"], "github.repository": outside["github.repository"],
	}
	for name, input := range a.Inputs {
		values["inputs."+name] = filled(input.Default, values)
	}
	for name, text := range with {
		values["inputs."+name] = filled(text, outside)
	}
	for _, s := range a.Runs.Steps {
		r.step(s, values)
	}
}

// step runs one where its condition holds.
func (r *Runner) step(s step, values map[string]string) {
	if s.If != "" && evaluated(s.If, values) == "" || r.failed != nil && !strings.Contains(s.If, "always()") {
		return
	}
	name, _, _ := strings.Cut(s.Uses, "@")
	artifact, path := filepath.Join(r.Artifacts, filled(s.With["name"], values)), filled(s.With["path"], values)
	switch {
	case name == "actions/setup-go":
	case name == "actions/upload-artifact":
		must(os.RemoveAll(artifact))
		must(os.CopyFS(artifact, os.DirFS(path)))
	case name == "actions/download-artifact":
		must(os.RemoveAll(path))
		must(os.CopyFS(path, os.DirFS(artifact)))
	case s.Run == "":
		panic("the action uses " + s.Uses)
	default:
		env := map[string]string{
			"GITHUB_REPOSITORY": "shop/ads", "GITHUB_WORKSPACE": r.Dir, "RUNNER_TEMP": r.Temp,
			"GITHUB_ACTION_PATH": r.Root, "GITHUB_OUTPUT": filepath.Join(r.Temp, "output"),
			"GITHUB_STEP_SUMMARY": filepath.Join(r.Temp, "summary"),
		}
		for name, text := range s.Env {
			env[name] = filled(text, values)
		}
		r.run(s.Name, cmp.Or(filled(s.Folder, values), r.Dir), s.Run, env)
	}
}

func (r *Runner) run(name, dir, script string, env map[string]string) {
	out, err := r.Run(dir, script, env)
	r.printed.WriteString(out)
	if err != nil && r.failed == nil {
		r.failed = fmt.Errorf("step %s: %w\n%s", name, err, out)
	}
}

var (
	expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)
	formatted  = regexp.MustCompile(`^format\('(.*?)', (.*)\)$`)
)

// filled is a text with its expressions evaluated.
func filled(text string, values map[string]string) string {
	return expression.ReplaceAllStringFunc(text, func(whole string) string {
		return evaluated(expression.FindStringSubmatch(whole)[1], values)
	})
}

// evaluated is what an expression of the files comes to, which have no brackets in them: a string, where "" stands
// for false.
func evaluated(text string, values map[string]string) string {
	for _, operator := range []string{" || ", " && "} {
		if left, right, found := strings.Cut(text, operator); found {
			value := evaluated(left, values)
			if (operator == " && ") == (value != "") {
				return evaluated(right, values)
			}
			return value
		}
	}
	for _, operator := range []string{" == ", " != "} {
		if left, right, found := strings.Cut(text, operator); found {
			equal := evaluated(left, values) == evaluated(right, values)
			return map[bool]string{true: "true"}[equal == (operator == " == ")]
		}
	}
	if text == "always()" {
		return "true"
	}
	if of := formatted.FindStringSubmatch(text); of != nil {
		return strings.ReplaceAll(of[1], "{0}", evaluated(of[2], values))
	}
	if quoted, found := strings.CutPrefix(text, "'"); found {
		return strings.TrimSuffix(quoted, "'")
	}
	value, known := values[text]
	if !known {
		panic(text + " is wanted, which is not there")
	}
	return value
}

// gitlabJob is a job of the component.
type gitlabJob struct {
	Extends     string            `yaml:"extends"`
	Environment string            `yaml:"environment"`
	Variables   map[string]string `yaml:"variables"`
	Before      []string          `yaml:"before_script"`
	Script      []string          `yaml:"script"`
	Needs       []string          `yaml:"needs"`
	Rules       []struct {
		If string `yaml:"if"`
	} `yaml:"rules"`
	Artifacts struct {
		Paths []string `yaml:"paths"`
	} `yaml:"artifacts"`
}

// component is the text of the component's jobs with inputs filled in, and the inputs it has.
func (r *Runner) component(inputs map[string]string) (body string, all []string) {
	content, err := os.ReadFile(filepath.Join(r.Root, "templates/adsync.yml"))
	must(err)
	header, body, _ := strings.Cut(string(content), "\n---\n")
	var of struct {
		Spec struct {
			Inputs map[string]struct {
				Default string `yaml:"default"`
			} `yaml:"inputs"`
		} `yaml:"spec"`
	}
	must(yaml.Unmarshal([]byte(header), &of))
	for name, input := range of.Spec.Inputs {
		body = strings.ReplaceAll(body, "$[[ inputs."+name+" ]]", cmp.Or(inputs[name], input.Default))
		all = append(all, name)
	}
	return body, all
}

// GitLab runs a job of the component with variables, those of the job among them.
func (r *Runner) GitLab(name string, inputs, variables map[string]string) (printed string, err error) {
	var jobs map[string]gitlabJob
	text, _ := r.component(inputs)
	must(yaml.Unmarshal([]byte(text), &jobs))
	job, base := jobs[name], jobs[jobs[name].Extends]
	env := maps.Clone(variables)
	env["CI_PROJECT_DIR"] = r.Dir
	for _, more := range []map[string]string{base.Variables, job.Variables} {
		for name, value := range more {
			env[name] = os.Expand(value, func(name string) string { return env[name] })
		}
	}
	for _, from := range job.Needs {
		must(os.CopyFS(r.Dir, os.DirFS(filepath.Join(r.Artifacts, from))))
	}
	r.run(name, r.Dir, strings.Join(append(base.Before, job.Script...), "\n"), env)
	kept := filepath.Join(r.Artifacts, name)
	must(os.RemoveAll(kept))
	must(os.MkdirAll(kept, 0o700))
	for _, file := range job.Artifacts.Paths {
		content, err := os.ReadFile(filepath.Join(r.Dir, file))
		if !errors.Is(err, fs.ErrNotExist) {
			must(err)
			must(os.WriteFile(filepath.Join(kept, file), content, 0o600))
		}
	}
	return r.printed.String(), r.failed
}
