package sources

import (
	"fmt"
	"io/fs"
	"os"

	"adsync/internal/diag"
	"adsync/internal/members"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// lists returns the members file behind each digest; the first of several that
// hold the same people.
func (c *attachments) lists() map[string]attach.MembersKey {
	lists := map[string]attach.MembersKey{}
	for key, m := range c.members {
		if first, there := lists[m.Digest]; !m.Failed && (!there || key.Path < first.Path) {
			lists[m.Digest] = key
		}
	}
	return lists
}

// ReadMembers reads the people of a members file again, to send them: the path
// and the identifier as Desired.Members gives them, and the digest that is the
// canonical value of the attribute. It never gives other people: a file that
// has changed since it was loaded is an error. Every error is free of what the
// file says.
func ReadMembers(p config.Project, slashPath string, as members.Identifier, digest string) (*members.List, error) {
	if !fs.ValidPath(slashPath) {
		return nil, fmt.Errorf("members file is %q; want a path below the project's folder", slashPath)
	}
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return nil, fmt.Errorf("open project folder: %w", err)
	}
	defer root.Close()
	if link := bounded.LinkIn(root, slashPath); link != "" {
		return nil, fmt.Errorf("members file is %q, and %q is a symbolic link; want the file itself", slashPath, link)
	}
	list, _, err := attach.ReadMembersFile(root, slashPath, as, p.FileLimits())
	if err != nil {
		return nil, fmt.Errorf("read members file %q: %w", slashPath, err)
	}
	if list.Digest() != digest {
		return nil, fmt.Errorf("members file %s has changed since it was read; plan again", diag.Printable(slashPath))
	}
	return list, nil
}

// setMembersAside takes the tables that are members files out of the sources,
// because what a source says is shown. One that reads as a source all the same
// is a problem: nobody can tell whether its rows were meant.
func (c *attachments) setMembersAside(files []tree.File, results []draft.Result) {
	named := c.membersNamed(results)
	for i := range files {
		f, r := &files[i], &results[i]
		at, isNamed := named[f.Name]
		if !isNamed || !bounded.IsTable(f.Name) {
			continue
		}
		if len(r.Drafts)+len(r.Items)+len(r.Lists)+len(r.Inherits) > 0 {
			c.problems.Add(diag.Problem{
				Code: diag.Conflicting, Position: at, Message: fmt.Sprintf("file %q is named "+
					"as a members file and reads as a source as well; want two files", f.Name),
				Hint: "put members files into a folder named private",
			})
		}
		f.Members, *r = true, draft.Result{}
	}
}

// membersNamed returns where each members file is named, by its slash path.
func (c *attachments) membersNamed(results []draft.Result) map[string]diag.Position {
	named := map[string]diag.Position{}
	note := func(schema *resource.Schema, attributes resource.Attributes) {
		for _, n := range attributes {
			a, known := schema.Attribute(n.Name)
			if !known || a.Type != resource.TypeMembers || !n.Value.IsSet() {
				continue
			}
			if slashPath, finding := c.tree.AttachedPath(n.Value.Text(), n.Value.Position.File()); finding == nil {
				named[slashPath] = n.Value.Position
			}
		}
	}
	for i := range results {
		for j := range results[i].Drafts {
			note(results[i].Drafts[j].Schema, results[i].Drafts[j].Attributes)
		}
		for _, in := range results[i].Inherits {
			note(in.Schema, in.Attributes)
		}
	}
	return named
}
