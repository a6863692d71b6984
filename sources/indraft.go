package sources

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
)

// InDraft is a workbook that is a draft: nothing of it is published but its pauses.
type InDraft struct {
	File    string
	At      diag.Position // of the cell that says so; of the file where it has none
	Ready   time.Time     // when the version that counts was first read; zero: there is none
	Changes int           // rows that are new or other than in that version
	Gone    int           // rows of that version that the draft does not have
	Paused  []string      // addresses of rows that drafts paused since then
}

// Words says how the draft stands, with times of a zone.
func (i InDraft) Words(zone *time.Location) string {
	text := "draft, " + diag.Plural(i.Changes, "change") + " waiting"
	if i.Gone > 0 {
		text += ", " + diag.Plural(i.Gone, "row") + " taken out"
	}
	if i.Ready.IsZero() {
		return text + " (no ready version was read so far: nothing of it counts)"
	}
	return text + " (last ready " + i.Ready.In(zone).Format("2 Jan, 15:04") + ")"
}

// says keeps what a workbook says of itself.
func (d *Desired) says(f tree.File, r draft.Result) {
	if f.Problem != nil || !strings.EqualFold(path.Ext(f.Name), ".xlsx") {
		return
	}
	if d.said == nil {
		d.said = map[string]draft.Publishing{}
	}
	d.said[f.Name] = r.Publishing
}

// findDrafts tells the drafts from what is ready.
func (d *Desired) findDrafts(p config.Project) {
	for _, s := range d.Sources {
		said, workbook := d.said[s.File]
		switch {
		case !workbook:
		case slices.Contains(p.AsReady, s.File):
			d.Ready = append(d.Ready, s)
			d.asReady(said)
		case said.Word == draft.WordReady, said.At.IsZero() && !p.WhenReady():
			d.Ready = append(d.Ready, s)
		default:
			at := said.At
			if at.IsZero() {
				at = diag.InFile(s.File)
			}
			d.Drafts = append(d.Drafts, InDraft{File: s.File, At: at})
		}
	}
}

// asReady says of a draft that is read as if it was ready what it is.
func (d *Desired) asReady(said draft.Publishing) {
	if said.At.IsZero() || said.Word == draft.WordReady {
		return
	}
	var all diag.List
	all.AddAll(d.Problems)
	all.Add(diag.Problem{
		Severity: diag.Note, Code: diag.InDraft, Position: said.At,
		Message: fmt.Sprintf("cell is %q, so that nothing of the workbook is published but pauses; "+
			"what is shown here is what it would change if it was ready", said.Word),
		Hint: "write ready into this cell to publish it",
	})
	d.Problems = all.Sorted()
}

// withoutDrafts returns what counts of files that were read as if all of them were ready.
func (r *reading) withoutDrafts(ctx context.Context, p config.Project, whole Desired, files []tree.File) Desired {
	whole.findDrafts(p)
	if p.Kept == nil || len(whole.Drafts) == 0 {
		return whole
	}
	t, err := tree.Open(p) // hints and attachments are counted anew
	if err != nil {
		return refused(diag.Problem{
			Code: diag.Unreadable, Message: "folder " + p.Root + " cannot be opened; want a folder with sources",
			Hint: bounded.Reason(err),
		})
	}
	defer t.Close()
	var counting []tree.File
	for _, f := range files {
		if i := whole.draftOf(f.Name); i < 0 {
			counting = append(counting, r.reread(ctx, tree.File{Name: f.Name, Hash: f.Hash, Problem: f.Problem}))
		} else if kept, known := lastReady(p.Kept, &whole.Drafts[i]); known {
			counting = append(counting, kept)
		} else {
			r.inDraft = true
		}
	}
	d := r.read(ctx, t, counting)
	d.takeDrafts(r.schemas, &whole)
	env, err := p.Env()
	if err == nil { // else it is among the problems
		d.tellDrafts(&whole, env.Zone)
	}
	return d
}

func (d *Desired) draftOf(file string) int {
	return slices.IndexFunc(d.Drafts, func(i InDraft) bool { return i.File == file })
}

// lastReady is what is read in the place of a draft. A version that cannot be read is a problem, and never none.
func lastReady(kept config.Kept, of *InDraft) (f tree.File, known bool) {
	name := config.ReadyName(of.File)
	v, known, err := kept.Version(of.File)
	if err == nil && !known {
		return tree.File{}, false
	}
	of.Ready, of.Paused = v.At, v.Paused
	var content []byte
	if err == nil {
		content, err = kept.Content(v)
	}
	if err != nil {
		return tree.File{Name: name, Problem: draft.ProblemOf(name, resource.Finding{
			Code: diag.Unreadable, Message: "version cannot be read, and the workbook is a draft now; want to read it",
			Hint: err.Error(),
		})}, true
	}
	return tree.File{Name: name, Content: content, Hash: v.Sum}, true
}

// takeDrafts adds what is known of the drafts to what counts without them: their sums, pauses, and how far they are.
func (d *Desired) takeDrafts(schemas resource.Schemas, whole *Desired) {
	d.Drafts, d.Ready, d.said = whole.Drafts, whole.Ready, whole.said
	attached := d.summed.Hashes // to the ready versions, among others
	maps.DeleteFunc(attached, func(name, _ string) bool { return config.OfReady(name) != "" })
	d.summed = whole.summed
	maps.Copy(d.summed.Hashes, attached)
	d.Hash, d.Files = d.summed.Total(nil), slices.Sorted(maps.Keys(d.summed.Hashes))
	for i := range whole.Sources {
		at := slices.IndexFunc(d.Sources, func(s Source) bool { return s.File == whole.Sources[i].File })
		if at >= 0 {
			whole.Sources[i] = d.Sources[at]
		}
	}
	d.Sources = whole.Sources
	d.Unread, d.Problems = whole.Unread, slices.DeleteFunc(d.Problems, func(p diag.Problem) bool {
		return p.Severity != diag.Error && config.OfReady(p.Position.File()) != "" // said when it was ready
	})
	d.WrittenFor = cmp.Or(d.WrittenFor, whole.WrittenFor)
	for i := range d.Drafts {
		d.compareDraft(schemas, whole.Named(), &d.Drafts[i])
	}
}

// compareDraft takes the pauses of a draft, and counts what else it changes. A row that is as it was stands where the
// draft has it, so that what is said of it is said there.
func (d *Desired) compareDraft(schemas resource.Schemas, drafted *resource.Snapshot, of *InDraft) {
	d.pause(schemas, drafted, of)
	named, ready := d.Named(), config.ReadyName(of.File)
	for r := range drafted.All() {
		if r.Position.File() != of.File {
			continue
		}
		counts := named.Get(r.Address)
		switch {
		case counts == nil:
			of.Changes++
			d.pauseAlone(schemas.Of(r.Address.Kind), r)
		case counts.Position.File() != ready:
		case sameResource(schemas, counts, r):
			if d.Snapshot.Get(r.Address) == counts {
				there := *r
				there.ID, there.IDAt = counts.ID, counts.IDAt
				d.Snapshot.Put(&there)
			}
		default:
			of.Changes++
		}
	}
	for counts := range named.All() {
		if counts.Position.File() == ready && drafted.Get(counts.Address) == nil {
			of.Gone++
		}
	}
}

// pause pauses the rows of a ready version that the draft pauses, or that one before it has paused since: to take back
// a pause is to start, which waits until the workbook is ready.
func (d *Desired) pause(schemas resource.Schemas, drafted *resource.Snapshot, of *InDraft) {
	ready := config.ReadyName(of.File)
	for _, counts := range slices.Clone(d.Snapshot.Ordered()) {
		status := schemas.Of(counts.Address.Kind).Delivery()
		if counts.Position.File() != ready || status == "" {
			continue
		}
		before := slices.Contains(of.Paused, counts.Address.String())
		paused := resource.Text(wordPaused).At(counts.Value(status).Position)
		if r := drafted.Get(counts.Address); r != nil && r.Position.File() == of.File && isPaused(r, status) {
			paused = r.Value(status)
		} else if !before {
			continue
		}
		if counts.Value(status).IsSet() && counts.Value(status).Text() != wordActive {
			continue // paused or archived as it is
		}
		held := *counts
		held.Attributes = slices.Clone(counts.Attributes)
		held.Set(status, paused)
		d.Snapshot.Put(&held)
		if !before {
			of.Paused = append(of.Paused, counts.Address.String())
		}
	}
}

// pauseAlone keeps the pause of a row that no ready version has.
func (d *Desired) pauseAlone(schema *resource.Schema, r *resource.Resource) {
	if status := schema.Delivery(); status != "" && isPaused(r, status) {
		alone := &resource.Resource{Address: r.Address, ID: r.ID, IDAt: r.IDAt, Position: r.Position}
		alone.Set(status, r.Value(status))
		d.Pauses = append(d.Pauses, alone)
	}
}

// The words of a status that drafts are asked about.
const (
	wordActive = "active"
	wordPaused = "paused"
)

func isPaused(r *resource.Resource, status string) bool {
	v := r.Value(status)
	return v.IsSet() && v.Text() == wordPaused
}

func sameResource(schemas resource.Schemas, one, other *resource.Resource) bool {
	if one.ID != other.ID && one.ID != "" && other.ID != "" { // adsync may have written it in meanwhile
		return false
	}
	for i := range schemas.Of(one.Address.Kind).Attributes {
		name := schemas.Of(one.Address.Kind).Attributes[i].Name
		if !one.Value(name).Equal(other.Value(name)) {
			return false
		}
	}
	return true
}

// tellDrafts adds to the problems how each draft stands, and as warnings what would be wrong with the files if the
// drafts were ready.
func (d *Desired) tellDrafts(whole *Desired, zone *time.Location) {
	var all diag.List
	all.AddAll(d.Problems)
	for _, p := range whole.Problems {
		if slices.Contains(d.Problems, p) {
			continue
		}
		if p.Severity == diag.Error {
			p.Severity, p.Message = diag.Warning, "in the draft: "+p.Message
		}
		all.Add(p)
	}
	for _, i := range d.Drafts {
		all.Add(i.problem(d.said[i.File], zone))
	}
	d.Problems = all.Sorted()
}

func (i InDraft) problem(said draft.Publishing, zone *time.Location) diag.Problem {
	p := diag.Problem{
		Severity: diag.Note, Code: diag.InDraft, Position: i.At, Message: "workbook is a " + i.Words(zone),
		Hint: "write ready into this cell to publish it",
	}
	switch {
	case said.At.IsZero():
		p.Message = "workbook does not say that it is ready, and publish is when-ready: it is a " + i.Words(zone)
		p.Hint = fmt.Sprintf("write %q into column A of its sheet %q, and ready beside it",
			config.PublishLabel, config.StartTab)
	case said.Word != draft.WordDraft:
		p.Severity = diag.Warning
		p.Message = fmt.Sprintf("cell is %q; want draft or ready; until then the workbook is a %s",
			said.Word, i.Words(zone))
		p.Hint = diag.DidYouMean(said.Word, []string{draft.WordDraft, draft.WordReady})
	}
	return p
}
