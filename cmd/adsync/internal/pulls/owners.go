package pulls

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"adsync/internal/codeowners"
	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/internal/planview"
	"adsync/sources/commits"
	"adsync/sources/config"
)

// Owned is whose yes the files of a pull request need. It is of the branch that it goes into, as it was planned: after
// the merge that has the owners which the pull request itself may name.
type Owned struct {
	Head   string  `json:"head,omitempty"`
	Unread string  `json:"unread,omitempty"` // why nobody owns any of them
	Files  []owned `json:"files,omitempty"`  // that are owned
}

// owned are files with the same owners.
type owned struct {
	File   string   `json:"file"` // the first of them, by slash path
	More   int      `json:"more,omitempty"`
	Owners []string `json:"owners,omitempty"` // logins and teams; none where they are owned, and by nobody of these
}

// owners returns who owns the files that the pull request changes.
func (q *proposal) owners() (*Owned, error) {
	if q.CodeOwners == "" {
		return nil, nil
	}
	store := q.env.Git.Store
	var files []string
	for _, file := range q.merged.Changed {
		files = append(files, path.Join(store.SubPath(), file))
	}
	return ownersAt(store.Dir(), q.base.Commit, q.CodeOwners, files)
}

// ownersAt returns who owns files by the CODEOWNERS of a commit, as a forge reads it.
func ownersAt(repository, commit, at string, files []string) (*Owned, error) {
	of := config.Commit{Repository: repository, Path: ".", Hash: commit}
	name, content, err := commits.ReadFirst(of, codeowners.Places(at), codeowners.MostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Owned{Unread: "the branch has no CODEOWNERS"}, nil
	case errors.Is(err, commits.ErrNoContent):
		return &Owned{Unread: fmt.Sprintf("%s of the branch: %v", name, err)}, nil
	case err != nil:
		return nil, err
	}
	rules, err := codeowners.Parse(at, content)
	if err != nil {
		return &Owned{Unread: fmt.Sprintf("%s of the branch, %v", name, err)}, nil
	}
	o := &Owned{}
	for _, file := range files {
		o.add(file, rules)
	}
	return o, nil
}

// add adds a file, where it is owned.
func (o *Owned) add(file string, rules *codeowners.Rules) {
	owners, is := rules.Owners(file)
	if !is {
		return
	}
	at := slices.IndexFunc(o.Files, func(f owned) bool { return slices.Equal(f.Owners, owners) })
	if at >= 0 {
		o.Files[at].More++
		return
	}
	o.Files = append(o.Files, owned{File: file, Owners: owners})
}

// owns is why the yes of somebody does not count by who owns the files of a pull request with a head; "" where it does.
func owns(ctx context.Context, d *Desk, by, head string, o *Owned) (why string, err error) {
	switch {
	case !d.Rules.CodeOwners:
		return "", nil
	case o == nil || o.Head != head:
		return "it is not known who owns the files of this commit", nil
	case o.Unread != "":
		return "nobody owns its files: " + planview.Code(shortened(o.Unread)), nil
	}
	for _, f := range o.Files {
		is, err := isOne(ctx, d.Forge, by, f.Owners)
		if err != nil {
			return "", err
		}
		if !is {
			return "they do not own all of it: it " + f.needs(), nil
		}
	}
	return "", nil
}

// isOne reports whether somebody is one of some owners.
func isOne(ctx context.Context, at forge.Repository, by string, owners []string) (bool, error) {
	for _, one := range owners {
		name := strings.TrimPrefix(one, "@")
		if !strings.Contains(name, "/") {
			if same(name, by) {
				return true, nil
			}
			continue
		}
		if in, err := at.InTeam(ctx, name, by); err != nil || in {
			return in, err
		}
	}
	return false, nil
}

// needs says whose yes files need.
func (f *owned) needs() string {
	file := planview.Code(shortened(f.File))
	if f.More > 0 {
		file += fmt.Sprintf(" and %d more", f.More)
	}
	if len(f.Owners) == 0 {
		return "needs a yes of who owns " + file + ", and CODEOWNERS names no login or team for it"
	}
	var names []string
	for i, one := range f.Owners {
		if i == mostListed {
			names = append(names, "…")
			break
		}
		names = append(names, planview.Code(shortened(one)))
	}
	return fmt.Sprintf("needs a yes of %s, who own %s", strings.Join(names, " or "), file)
}

// shortened is a name of which so much is told that a comment has room for others.
func shortened(name string) string {
	if r := []rune(diag.Printable(name)); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return diag.Printable(name)
}

// ownersText says whose yes a pull request needs.
func ownersText(o *Owned) string {
	if o == nil {
		return ""
	}
	if o.Unread != "" {
		return fmt.Sprintf("\n**Nobody's yes counts**: nobody owns its files. %s.\n",
			planview.Code(shortened(o.Unread)))
	}
	var text strings.Builder
	for i := range o.Files {
		if i == 0 {
			text.WriteString("\nBy CODEOWNERS of the branch, a yes counts of somebody who owns all of these files:\n\n")
		}
		if i == mostListed {
			fmt.Fprintf(&text, "- … and %d more\n", len(o.Files)-i)
			break
		}
		fmt.Fprintf(&text, "- It %s.\n", o.Files[i].needs())
	}
	return text.String()
}
