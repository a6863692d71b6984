package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/bounded"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// desired is the end of a collection: what fits is in the snapshot, and every
// row is used, ignored or failed.
func (c *collection) desired(files []tree.File, results []draft.Result) Desired {
	c.index = index{} // every resource has its place: room for the snapshot
	d := Desired{Snapshot: resource.NewSnapshot(len(c.entries)), Images: map[string]string{}}
	d.summed = c.tree.Summed(files)
	d.Hash, d.Files = d.summed.Total(nil), slices.Sorted(maps.Keys(d.summed.Hashes))
	for i := range c.entries {
		e := &c.entries[i]
		if e.row.left {
			continue
		}
		if e.bad && !e.draft.Failed {
			results[e.source].Rows.Used--
			results[e.source].Rows.Failed++
		}
		if !e.bad && !e.draft.Failed {
			d.Snapshot.Add(e.resource)
			d.keepImages(e)
		}
	}
	c.findContents(&d)
	for i, f := range files {
		if !f.Members {
			d.Sources = append(d.Sources, Source{File: f.Name, Rows: results[i].Rows, Hash: f.Hash})
			d.Unread = append(d.Unread, results[i].Unread...)
			c.writtenFor(&d, f.Name, results[i].Account)
			d.says(f, results[i])
		}
	}
	d.Members, d.lists = c.counts, c.lists()
	slices.SortFunc(d.Members, func(a, b attach.Members) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Address, b.Address))
	})
	c.reportStrays(files, results)
	c.reportCopies(files)
	c.refuseNothing(files, results)
	d.Problems = c.problems.Sorted()
	c.letWait(&d)
	return d
}

// writtenFor keeps the account a workbook was written for. Workbooks of several
// accounts are no sources of one project.
func (c *collection) writtenFor(d *Desired, file, account string) {
	switch {
	case account == "" || account == d.WrittenFor:
	case d.WrittenFor == "":
		d.WrittenFor = account
	case c.tree.Project.Account.ID == "": // else said where the workbook was read
		c.problems.Add(bounded.ProblemAt(diag.InFile(file), resource.Finding{
			Code: diag.WrongAccount, Message: fmt.Sprintf("workbook was "+
				"written for the account %s, and another for %s; want workbooks of one account", account, d.WrittenFor),
			Hint: "keep the workbooks of each account in a folder of its own, with an adsync.yaml",
		}))
	}
}

// fewRepeats may be slips; more of them look like a copied file.
const fewRepeats = 2

// reportCopies says of a file most of whose resources another file has too what
// it probably is: a copy or an export that was left among the sources (fault
// F19).
func (c *collection) reportCopies(files []tree.File) {
	resources := map[int]int{}
	for i := range c.entries {
		resources[c.entries[i].source]++
	}
	for source, n := range c.repeats {
		if n <= fewRepeats || 2*n < resources[source] {
			continue
		}
		c.problems.Add(diag.Problem{
			Code: diag.Duplicate, Position: diag.InFile(files[source].Name),
			Message: fmt.Sprintf("file repeats %d resources that other files have; want each in one file", n),
			Hint:    "if it is a copy or an export, move it out of the folder, or name the sources in adsync.yaml",
		})
	}
}

// reportStrays reports tables that say nowhere what they hold. One that a
// source refers to, such as the members of an audience, is none of them. Where
// the project does not name its sources, a table may lie beside them.
func (c *collection) reportStrays(files []tree.File, results []draft.Result) {
	for i, f := range files {
		stray := results[i].Stray
		if _, attached := c.tree.Attached[f.Name]; stray == nil || attached {
			continue
		}
		switch {
		case stray.Severity == diag.Warning && len(c.tree.Project.SourcesAt) > 0:
			stray.Severity = diag.Error
		case stray.Severity == diag.Warning:
			stray.Message = "file is not read: " + stray.Message
		}
		c.problems.Add(*stray)
	}
}

// keepImages remembers one path for each image, the first of the order.
func (d *Desired) keepImages(e *entry) {
	for i := range e.draft.Schema.Attributes {
		a := &e.draft.Schema.Attributes[i]
		if a.Type != resource.TypeImage {
			continue
		}
		v := e.resource.Value(a.Name)
		if _, kept := d.Images[v.Text()]; !kept && v.Written() != v.Text() {
			d.Images[v.Text()] = v.Written()
		}
	}
}

// refuseNothing makes a set without a resource a problem: it would read as a wish to
// have nothing. A workbook of adsync's own that nobody has filled in yet is no such wish.
func (c *collection) refuseNothing(files []tree.File, results []draft.Result) {
	problem := diag.Problem{
		Code: diag.NoSources, Position: diag.InFile(c.tree.Project.File),
		Message: "no source is there; want at least one .yaml, .yml, .xlsx or .csv file in the project's folder",
	}
	own := slices.IndexFunc(results, func(r draft.Result) bool { return r.Account != "" })
	switch unused := c.tree.Project.Unused; {
	case len(c.entries) > 0 || c.inDraft || diag.HasErrors(c.problems.Sorted()):
		return
	case own >= 0 && len(c.left) == 0 && unused != nil && unused():
		problem.Severity, problem.Position = diag.Warning, diag.InFile(files[own].Name)
		problem.Message = "workbook holds no row yet; want a campaign in a row of its sheet Campaigns"
	case len(files) > 0:
		problem.Message = "the sources hold no resource; want at least one"
	}
	c.problems.Add(problem)
}
