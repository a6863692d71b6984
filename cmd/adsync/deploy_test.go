package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources/config"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

const deploy = "../../examples/deploy/"

func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(deploy + name)
	noError(t, err)
	return string(text)
}

// manifest returns the first object of a kind.
func manifest(t *testing.T, kind string) (object map[string]any) {
	t.Helper()
	for _, document := range strings.Split(deployed(t, "kubernetes/adsync.yaml"), "\n---\n") {
		object = nil
		noError(t, yaml.Unmarshal([]byte(document+"\n"), &object))
		if object["kind"] == kind {
			return object
		}
	}
	t.Fatalf("no %s", kind)
	return nil
}

// at walks into nested mappings and lists.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
		if v == nil {
			t.Fatalf("nothing at %v of %v", step, path)
		}
	}
	return v
}

// The command lines of the examples are ones this adsync takes.
func TestDeployedCommandLines(t *testing.T) {
	lines := map[string][]string{}
	_, line, _ := strings.Cut(deployed(t, "systemd/adsync.service"), "ExecStart=/usr/local/bin/adsync ")
	line, _, _ = strings.Cut(line, "\n")
	lines["systemd"] = strings.Fields(line)
	for _, arg := range at(t, manifest(t, "Deployment"), "spec", "template", "spec", "containers", 0, "args").([]any) {
		lines["kubernetes"] = append(lines["kubernetes"], arg.(string))
	}
	for where, args := range lines {
		env := &session.Env{Console: console.Console{Getenv: os.Getenv}}
		c, rest, err := root(env).Find(args)
		if err != nil || c.Name() != "daemon" {
			t.Errorf("%s: %q is the command %v, %v; want daemon", where, args, c, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil || !c.Flags().Changed("config") {
			t.Errorf("%s: %q: %v; want flags of the daemon, and its configuration", where, rest, err)
		}
	}
}

// Variables of the environment that the examples name are read.
func TestDeployedEnvironment(t *testing.T) {
	read := []string{session.EnvBaseURL, session.EnvKey, session.EnvKeyFile,
		session.EnvKeyCommand, daemoncmd.EnvDaemonToken, daemoncmd.EnvDaemonTokenFile, daemoncmd.EnvDaemonTokenCommand,
		"ADSYNC_DATABASE_FILE", "ADSYNC_ADDRESS"}
	for _, name := range []string{"systemd/adsync.service", "systemd/database/database.conf",
		"kubernetes/adsync.yaml", "kubernetes/replicas.yaml"} {
		for _, variable := range regexp.MustCompile(`\bADSYNC_[A-Z_]+`).FindAllString(deployed(t, name), -1) {
			if !slices.Contains(read, variable) {
				t.Errorf("%s names %s, which nothing reads", name, variable)
			}
		}
	}
}

// The configuration of the examples is valid, and names files that are mounted.
func TestDeployedConfiguration(t *testing.T) {
	dir := t.TempDir()
	configMap := at(t, manifest(t, "ConfigMap"), "data").(map[string]any)
	for name, text := range configMap {
		saveFile(t, filepath.Join(dir, name), text.(string))
	}
	d, problems := config.ReadDaemon(filepath.Join(dir, "daemon.yaml"))
	if diag.HasErrors(problems) || len(d.Accounts) != 1 ||
		d.Accounts[0].Operator != filepath.Join(dir, "operator.yaml") {
		t.Errorf("daemon.yaml: %v, %+v", problems, d.Accounts)
	}
	o, problems := config.ReadOperator(filepath.Join(dir, "operator.yaml"), "")
	if diag.HasErrors(problems) || o.Key.From != "file" {
		t.Errorf("operator.yaml: %v, key %+v", problems, o.Key)
	}
	secrets := at(t, manifest(t, "Secret"), "stringData").(map[string]any)
	for _, file := range []string{d.Token.Value, d.Accounts[0].Git.Token.Value, o.Key.Value} {
		if _, there := secrets[filepath.Base(file)]; !there || filepath.Dir(file) != "/run/secrets/adsync" {
			t.Errorf("%s is in no secret", file)
		}
	}
	_, replicas, _ := strings.Cut(deployed(t, "kubernetes/replicas.yaml"), "  daemon.yaml: |\n")
	replicas, _, _ = strings.Cut(replicas, "  operator.yaml: |\n")
	saveFile(t, filepath.Join(dir, "replicas.yaml"), strings.ReplaceAll("\n"+replicas, "\n    ", "\n"))
	d, problems = config.ReadDaemon(filepath.Join(dir, "replicas.yaml"))
	if diag.HasErrors(problems) || len(d.Accounts) != 1 || d.Database.Value != "/run/secrets/adsync/database" {
		t.Errorf("replicas.yaml: %v, %+v", problems, d)
	}
	systemd := filepath.Join(dir, "systemd.yaml")
	saveFile(t, systemd, deployed(t, "systemd/daemon.yaml"))
	if _, problems := config.ReadDaemon(systemd); diag.HasErrors(problems) {
		t.Errorf("systemd/daemon.yaml: %v", problems)
	}
}

// The configuration of machines that share accounts is valid, and names credentials that the unit loads.
func TestDeployedMachinesOfOneDatabase(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"daemon.yaml", "shop.yaml"} {
		saveFile(t, filepath.Join(dir, name), deployed(t, "systemd/database/"+name))
	}
	d, problems := config.ReadDaemon(filepath.Join(dir, "daemon.yaml"))
	if diag.HasErrors(problems) || len(d.Accounts) != 2 || d.Accounts[0].Operator != filepath.Join(dir, "shop.yaml") {
		t.Fatalf("daemon.yaml: %v, %+v", problems, d.Accounts)
	}
	o, problems := config.ReadOperator(filepath.Join(dir, "shop.yaml"), "")
	if diag.HasErrors(problems) || o.Key.From != "file" {
		t.Errorf("shop.yaml: %v, key %+v", problems, o.Key)
	}
	unit := deployed(t, "systemd/database/database.conf")
	for _, file := range []string{d.Accounts[0].Git.Token.Value, d.Accounts[1].Git.Token.Value, o.Key.Value} {
		name, _, _ := strings.Cut(filepath.Base(file), "_") // a folder of credentials is loaded as one
		loads := strings.Contains(unit, "LoadCredential="+name+":")
		if filepath.Dir(file) != "/run/credentials/adsync.service" || !loads {
			t.Errorf("%s is no credential of the unit", file)
		}
	}
}

// The unit is one systemd takes, and lets the service do little; with what machines of one database add as well.
func TestDeployedUnit(t *testing.T) {
	dir := t.TempDir()
	unit := filepath.Join(dir, "adsync.service")
	saveFile(t, unit, strings.ReplaceAll(deployed(t, "systemd/adsync.service"), "/usr/local/bin/adsync", "/bin/true"))
	systemdTakes(t, unit)
	noError(t, os.Mkdir(unit+".d", 0o755))
	saveFile(t, filepath.Join(unit+".d", "database.conf"), deployed(t, "systemd/database/database.conf"))
	systemdTakes(t, unit)
}

func systemdTakes(t *testing.T, unit string) {
	t.Helper()
	for _, args := range [][]string{{"verify", unit}, {"security", "--offline=true", "--threshold=20", unit}} {
		out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
		if err != nil || args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}
