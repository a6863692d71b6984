package daemoncmd

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/marked"
	"adsync/sources/tree"
	"adsync/state/kv"
)

// writeInto writes what became of rows into the user's own files, and returns the names
// of the former ones. The sum of the files is then what the run has taken.
func (c *copies) writeInto(l *session.Loaded, run afterRun) (formers []string) {
	if !c.writeBack {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.owed = nil
	rows, now := c.toTell(run.rows), map[string]string{}
	again := func(d sources.Desired) []marked.RowOutcome { return runs.Unedited(*l, d, rows) }
	for _, source := range l.Desired.Sources {
		if !marked.TakesResults(source.File) || source.Hash == "" {
			continue
		}
		results := marked.Results{Rows: rows, At: c.env.Clock.OrSystem().Now(), Again: again}
		results.Wrote = func(former, written string) {
			if former == source.Hash { // else somebody saved it meanwhile, and another run is near
				now[source.File] = written
			}
		}
		kept, err := marked.WriteBack(context.Background(), l.Project, l.Schemas, source, results)
		if err != nil {
			c.unwritten(l, source.File, err)
		}
		if kept != "" {
			formers = append(formers, filepath.Join(l.Project.Root, filepath.FromSlash(kept)))
		}
	}
	c.take(l, now)
	return formers
}

// unwritten says why results are not in a file. What is only open is tried again once it
// is closed.
func (c *copies) unwritten(l *session.Loaded, file string, err error) {
	if name := filepath.Join(l.Project.Root, filepath.FromSlash(file)); tree.LockFile(name) != "" {
		c.owed = append(c.owed, name)
	}
	c.once("%s: results were not written back: %s; they are in the copy",
		diag.Printable(file), diag.Printable(err.Error()))
}

// take has the daemon know the files as adsync has written them.
func (c *copies) take(l *session.Loaded, now map[string]string) {
	if len(now) == 0 {
		return
	}
	l.Desired.Became(now)
	for i := range l.Desired.Sources {
		if written := now[l.Desired.Sources[i].File]; written != "" {
			l.Desired.Sources[i].Hash = written
		}
	}
	if c.took != nil {
		c.took(l.Desired.Hash)
	}
}

// toTell are the rows whose own cells are written: those that have something to tell, and
// those that had, which nobody knows of a daemon that is begun anew.
func (c *copies) toTell(all []marked.RowOutcome) []marked.RowOutcome {
	told := map[resource.Address]bool{}
	var rows []marked.RowOutcome
	for _, row := range all {
		if row.Result == session.ResultNoChange && c.told != nil && !c.told[row.Address] {
			continue
		}
		rows = append(rows, row)
		if row.Result != session.ResultNoChange {
			told[row.Address] = true
		}
	}
	c.told = told
	return rows
}

// due reports whether a file is closed by now that results are to be written into.
func (c *copies) due() bool {
	return slices.ContainsFunc(c.owed, func(name string) bool { return tree.LockFile(name) == "" })
}

// moveFile gives a file another place, also on another file system.
func moveFile(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, content, 0o640); err != nil {
		return err
	}
	return os.Remove(from)
}

// wentName is where it is kept what the last apply did, for the copies of a daemon that is
// begun anew.
const wentName = "went.json"

// owedName is where it is kept what applies did that the files of people may not say yet.
const owedName = "owed-results.json"

// wentRow is what the last apply did with one row.
type wentRow struct {
	Result  string `json:"result"`
	Message string `json:"message,omitempty"`
}

// remember keeps what an apply did with the rows.
func (c *copies) remember(l *session.Loaded, rows []marked.RowOutcome) error {
	went := map[string]wentRow{}
	for _, row := range rows {
		if row.Result == "created" || row.Result == "updated" {
			went[row.Address.String()] = wentRow{row.Result, row.Message}
		}
	}
	if err := c.note(l, wentName, went); err != nil || !c.owes {
		return err
	}
	owed, whole := map[string]wentRow{}, l.Desired.Whole()
	for address, did := range c.recall(l, owedName) {
		if a, is := resource.ParseAddress(address); is && whole.Get(a) != nil {
			owed[address] = did
		}
	}
	maps.Copy(owed, went)
	return c.note(l, owedName, owed)
}

func (c *copies) note(l *session.Loaded, name string, rows map[string]wentRow) error {
	content, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return session.BesideOf(c.env, l.Project).Put(name, content)
}

// recall reads what was kept of applies under a name. Without it the rows say that nothing changes.
func (c *copies) recall(l *session.Loaded, name string) (went map[string]wentRow) {
	content, err := session.BesideOf(c.env, l.Project).Get(name, kv.Most)
	if err != nil || json.Unmarshal(content, &went) != nil {
		return nil
	}
	return went
}

// settle forgets what the files say by now.
func (c *copies) settle(l *session.Loaded) error {
	return session.BesideOf(c.env, l.Project).Delete(owedName)
}
