package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/sources/bounded"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/sources/tree"
)

// validate validates the projects of which something is staged, and those that the files are in. It
// returns the folders of those that are not valid.
func (r *repository) validate(ctx context.Context, env *session.Env, files []string) (invalid []string, err error) {
	tree, err := r.line(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	staged, err := r.filesOf(ctx, tree)
	if err != nil {
		return nil, err
	}
	changed, err := r.names(ctx, "diff", "--cached", "--name-only", "--no-renames", "-z")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		below, err := r.below(file)
		if err != nil {
			return nil, err
		}
		changed = append(changed, below)
	}
	for _, folder := range projectsOf(changed, staged) {
		valid, err := r.validateProject(ctx, env, folder, tree, staged)
		if err != nil {
			return nil, err
		}
		if !valid {
			invalid = append(invalid, folder)
		}
	}
	return invalid, nil
}

// filesOf are the files of a tree.
func (r *repository) filesOf(ctx context.Context, tree string) (files []string, err error) {
	entries, err := r.names(ctx, "ls-tree", "-r", "-z", tree)
	for _, entry := range entries {
		if about, name, ok := strings.Cut(entry, "\t"); ok && strings.Contains(about, " blob ") {
			files = append(files, name)
		}
	}
	return files, err
}

// below is the slash path of a file from the top.
func (r *repository) below(file string) (string, error) {
	name := path.Join(r.prefix, filepath.ToSlash(file))
	if filepath.IsAbs(file) {
		relative, err := filepath.Rel(r.top, file)
		if err != nil {
			return "", console.Configuration("%v", err)
		}
		name = filepath.ToSlash(relative)
	}
	if !filepath.IsLocal(name) {
		return "", console.Configuration("%s is not in this repository; want a file of it", console.NameOf(file))
	}
	return name, nil
}

// projectsOf are the folders of the projects that files are in, each in the nearest one above it.
func projectsOf(files, staged []string) (folders []string) {
	projects := map[string]bool{}
	for _, name := range staged {
		if path.Base(name) == config.ProjectFile {
			projects[path.Dir(name)] = true
		}
	}
	for _, name := range files {
		for name != "." && !projects[name] {
			name = path.Dir(name)
		}
		if projects[name] {
			folders = append(folders, name)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// validateProject reports whether a project is valid as it is staged, and prints what is not.
func (r *repository) validateProject(ctx context.Context, env *session.Env,
	folder, tree string, staged []string) (valid bool, err error) {
	scratch, remove, err := bounded.NewScratch()
	if err != nil {
		return false, err
	}
	defer remove()
	top := filepath.Join(scratch, "top")
	problems, err := r.writeOut(ctx, scratch, top, folder, tree, staged)
	if err != nil {
		return false, err
	}
	there := filepath.Join(top, filepath.FromSlash(folder))
	project, wrong := session.ReadProject(env, there)
	if err := r.addIgnored(ctx, top, folder, project.State); err != nil {
		return false, err
	}
	if project.Home == "" { // the record of this clone knows names that the files leave out
		project.Home = filepath.Join(r.top, filepath.FromSlash(folder), filepath.FromSlash(project.State))
	}
	l := session.LoadRead(ctx, env, project, append(problems, wrong...))
	if err := show(env, l, folder); err != nil || diag.HasErrors(l.Desired.Problems) {
		return false, err
	}
	_, err = fmt.Fprintf(env.Out, "%s: %s, %s\n", console.NameOf(folder),
		diag.Plural(l.Desired.Snapshot.Len(), "resource"), console.ProblemCount(l.Desired.Problems))
	return true, err
}

// writeOut writes the files of a project as they are staged below a folder, but for adsync's own: a state among them
// is a problem.
func (r *repository) writeOut(ctx context.Context, scratch, top, folder, tree string,
	staged []string) (problems []diag.Problem, err error) {
	var list strings.Builder
	for _, name := range staged {
		below, inside := beneath(folder, name)
		switch {
		case !inside:
		case below == path.Join(config.UsualState, "state.db"):
			problems = append(problems, commits.CommittedState(path.Join(folder, config.UsualState)))
		case !strings.HasPrefix(below, config.UsualState+"/"):
			list.WriteString(name + "\x00")
		}
	}
	// The repository's own index says which files a sparse work tree leaves out; one of the tree alone does not.
	of := &repository{top: r.top, index: filepath.Join(scratch, "index")}
	if _, err := of.git(ctx, nil, "read-tree", tree); err != nil {
		return nil, err
	}
	_, err = of.git(ctx, []byte(list.String()), "checkout-index", "-z", "--stdin",
		"--prefix="+filepath.ToSlash(top)+"/")
	return problems, err
}

// beneath is the path of a file from a folder.
func beneath(folder, name string) (string, bool) {
	if folder == "." {
		return name, true
	}
	return strings.CutPrefix(name, folder+"/")
}

// addIgnored adds the files of a project that git ignores, but for adsync's own state: sources may name
// them, such as a list of people.
func (r *repository) addIgnored(ctx context.Context, top, folder, state string) error {
	ignored, err := r.names(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--",
		":(literal)"+folder)
	if err != nil {
		return err
	}
	for _, name := range ignored {
		below, _ := beneath(folder, name)
		if _, own := beneath(filepath.ToSlash(state), below); own || strings.HasPrefix(below, config.UsualState+"/") {
			continue
		}
		from, to := filepath.Join(r.top, filepath.FromSlash(name)), filepath.Join(top, filepath.FromSlash(name))
		if about, err := os.Lstat(from); err != nil || !about.Mode().IsRegular() {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if os.Link(from, to) == nil {
			continue
		}
		if err := copyFile(from, to); err != nil {
			return console.Configuration("%v", err)
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// show prints the problems of a project with their places from the top of the repository.
func show(env *session.Env, l session.Loaded, folder string) error {
	problems := slices.Clone(l.Desired.Problems)
	for i, p := range problems {
		if at := p.Position; at.File() != "" {
			problems[i].Position = diag.OriginOf(path.Join(folder, at.File()), at.Sheet()).At(at.Line(), at.Column())
		}
	}
	lines := tree.SourceLine(l.Project)
	return diag.Render(env.Err, problems, func(file string, line int) (string, bool) {
		below, _ := beneath(folder, file)
		return lines(below, line)
	})
}
