package daemoncmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/daemon"
	"adsync/state"
)

// What is dropped in the page under a name that is never read, or that more than one
// source has, says so: a plan of it would be of what never comes.
func TestADroppedFileHasANameThatIsRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	noError(t, os.MkdirAll(filepath.Join(dir, "north"), 0o755))
	noError(t, os.MkdirAll(filepath.Join(dir, "south"), 0o755))
	saveFile(t, filepath.Join(dir, "adsync.yaml"), "account: {id: adacct_1, currency: USD, timezone: UTC}\n")
	for _, name := range []string{"spring.yaml", "north/autumn.yaml", "south/autumn.yaml", "north/winter.yaml"} {
		key := strings.NewReplacer("/", "-", ".yaml", "").Replace(name)
		saveFile(t, filepath.Join(dir, name), "kind: campaign\nkey: "+
			key+"\nname: "+key+"\nbidding_type: clicks\nbudget: {daily: 5.00}\n")
	}
	dropped := []byte("kind: campaign\nkey: summer\nname: Summer\nbidding_type: clicks\nbudget: {daily: 5.00}\n")
	k := &previewer{}
	bases := map[string]bool{"spring.yaml": true, "north/winter.yaml": true, "summer.yaml": false}
	for _, row := range []struct{ name, place, says string }{
		{"spring.yaml", "spring.yaml", ""},
		{"Winter.yaml", "north/winter.yaml", ""},
		{"summer.yaml", "summer.yaml", ""},
		{"autumn.yaml", "", "2 sources have this name: north/autumn.yaml, south/autumn.yaml; want one"},
		{".summer.yaml", "", "a file of this name is no source"},
		{"~$summer.xlsx", "", "a file of this name is no source"},
		{"summer.result.xlsx", "", "a file of this name is no source"},
		{"adsync.yaml", "", "a file of this name is no source"},
		{"summer.txt", "", "want one of **/*.yaml"},
		{"summer sale_2-b.yaml", "summer sale_2-b.yaml", ""},
		{"été.yaml", "été.yaml", ""},
		{"a:b.yaml", "", "cannot be checked out everywhere"},
		{"<b>.yaml", "", "cannot be checked out everywhere"},
		{" summer.yaml", "", "cannot be checked out everywhere"},
		{"x\u202egnp.yaml", "", "cannot be checked out everywhere"},
		{"\xff.yaml", "", "cannot be checked out everywhere"},
	} {
		l, name, base, err := k.with(t.Context(), &session.Env{Console: console.Console{Getenv: os.Getenv}},
			dir, row.name, dropped)
		noError(t, err)
		said := ""
		for _, p := range l.Desired.Problems {
			said += spelled(p) + "\n"
		}
		if row.says == "" && (said != "" || name != row.place) ||
			!strings.Contains(said, row.says) || row.says != "" && strings.Count(said, "\n") != 1 {
			t.Errorf("%s is looked at as %s, and says %q; want %s, and %q", row.name, name, said, row.place, row.says)
		}
		if there, known := bases[name]; known && there != (base != "") {
			t.Errorf("%s takes the place of %q; want one of a file: %t", row.name, base, there)
		}
	}
}

// Nothing but what the account is read from is given away, wherever a name leads.
func TestOnlySourcesAreGivenAway(t *testing.T) {
	dir := t.TempDir()
	save := func(name, content string) {
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	save("ads/adsync.yaml", "sources: ['**/*.yaml']\n")
	save("ads/north/spring.yaml", "kind: campaign\n")
	save("ads/.env", "SECRET=x\n")
	save("ads/operator.txt", "x")
	save("ads/.hidden/x.yaml", "x")
	save("other/winter.yaml", "x")
	noError(t, os.Symlink(filepath.Join(dir, "other", "winter.yaml"), filepath.Join(dir, "ads", "winter.yaml")))
	env := &session.Env{Console: console.Console{Getenv: os.Getenv}}
	k := &previewer{open: atFolder(env, filepath.Join(dir, "ads"))}
	files, err := k.files(t.Context())
	if err != nil || !slices.Equal(files, []string{"north/spring.yaml"}) {
		t.Errorf("files are %q, %v; want the source", files, err)
	}
	content, err := k.file(t.Context(), "north/spring.yaml", "")
	if err != nil || string(content) != "kind: campaign\n" {
		t.Errorf("the source is %q, %v; want its bytes", content, err)
	}
	for _, name := range []string{"", ".", "adsync.yaml", ".env", "operator.txt", ".hidden/x.yaml", "winter.yaml",
		"../other/winter.yaml", "north/../north/spring.yaml", "/etc/passwd", "north", "north/spring.yaml\x00"} {
		if content, err := k.file(t.Context(), name, ""); !errors.Is(err, daemon.ErrNoFile) {
			t.Errorf("%q is given: %q, %v; want none of that name", name, content, err)
		}
	}
}

// Where a file cannot be planned for the moment, whoever dropped it is told why; a
// fault of adsync is none of theirs.
func TestWhyALookIsNotPlannedIsSaid(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		ctx  context.Context
		err  error
		says string
	}{
		{t.Context(), adsapi.ErrUnavailable, adsapi.ErrUnavailable.Error()},
		{t.Context(), adsapi.ErrUnauthorized, adsapi.ErrUnauthorized.Error()},
		{t.Context(), state.ErrUnusable, state.ErrUnusable.Error()},
		{over, context.Canceled, "did not answer in time"},
	} {
		if err := notNow(row.ctx, row.err); !errors.Is(err, daemon.ErrNotNow) ||
			!strings.Contains(err.Error(), row.says) {
			t.Errorf("after %v it says %v; want that it cannot be planned now, and %q", row.err, err, row.says)
		}
	}
	if err := notNow(t.Context(), errors.New("a mistake")); errors.Is(err, daemon.ErrNotNow) {
		t.Errorf("a mistake of adsync is %v", err)
	}
}
