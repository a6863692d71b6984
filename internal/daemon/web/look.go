package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/merges"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// Bounds of a look at a file.
const (
	fileMost    = 32 << 20 // bytes of a file
	looksAtOnce = 2
	looksKept   = 8 // marked copies that wait to be fetched
	lookLasts   = 15 * time.Minute
	lookTime    = answerTime - 20*time.Second // so that it can be said that it took too long
)

// looks keeps the marked copies of the last looks, in memory alone.
type looks struct {
	mu  sync.Mutex
	all []look // the oldest first
}

type look struct {
	id, account, name string
	marked            []byte
	file              string // as it was dropped
	content           []byte // of it, or of what it is merged to, where it may be committed; nil otherwise
	base              string // sum of the file whose place it took
	who, began        string // what it began as, where nothing was merged
	dropped           []byte // where it is merged: as somebody dropped it
	clashes           []string
	ends              time.Time
}

func (l *looks) keep(one look, now time.Time, lasts time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.all) > 0 && (len(l.all) >= looksKept || !now.Before(l.all[0].ends)) {
		l.all = l.all[1:]
	}
	lasts = cmp.Or(lasts, lookLasts)
	one.id, one.ends = drawn(), now.Add(lasts)
	l.all = append(l.all, one)
	time.AfterFunc(lasts, func() { l.drop(one.id) })
	return one.id
}

// drop has a file stay in memory no longer than is said.
func (l *looks) drop(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o look) bool { return o.id == id })
}

func (l *looks) of(account, id string, now time.Time) (look, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.all {
		if one.id == id && one.account == account && now.Before(one.ends) {
			return one, true
		}
	}
	return look{}, false
}

// lookDocument is what a look found.
type lookDocument struct {
	FormatVersion int                `json:"format_version"`
	Name          string             `json:"name"`
	Problems      []string           `json:"problems"`
	Plan          *planview.Document `json:"plan,omitempty"`
	Marked        string             `json:"marked,omitempty"` // path of the marked copy, for a quarter of an hour
	Branch        string             `json:"branch,omitempty"` // that it may be committed to, or begin of it
	Into          string             `json:"into,omitempty"`   // branch that a pull request of it goes into
	Saves         bool               `json:"saves,omitempty"`  // it may be put into the folder
	New           bool               `json:"-"`                // in which no file of its name is
	Commit        string             `json:"commit,omitempty"` // path of the order to do so, for as long
	Source        string             `json:"-"`                // file whose place it takes
	Counts        string             `json:"-"`                // name of that, where it is called otherwise
	Merge         *daemon.Merge      `json:"-"`                // where somebody else changed that since they had it
	Settle        string             `json:"-"`                // path of what settles what both sides changed
	Known         string             `json:"-"`                // what was said of what stays
}

// holder is a digest of who has what they downloaded: the person, where names are proven, or the session.
func (g *giver) holder(c *caller) string {
	text := ""
	switch {
	case g.Rules != nil && c.known && !c.machine:
		text = "person " + c.name
	case c.session != nil:
		text = "session " + c.session.form
	default:
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// enter lets few in side by side: each may take much memory.
func (g *giver) enter() (leave func(), p *problem) {
	select {
	case g.looking <- struct{}{}:
		return func() { <-g.looking }, nil
	default:
		return nil, &problem{http.StatusServiceUnavailable,
			"busy", catalogue.Say("problem.looking")}
	}
}

// seen looks at a file.
func (g *giver) seen(r *http.Request, account, name string, body io.Reader) (*lookDocument, *problem) {
	name = fileName(name)
	if name == "" {
		return nil, &problem{http.StatusBadRequest, "no_name", catalogue.Say("problem.no-file-name")}
	}
	leave, full := g.enter()
	if full != nil {
		return nil, full
	}
	defer leave()
	content, err := io.ReadAll(body)
	if err != nil {
		p := g.problemOf(err)
		return nil, &p
	}
	if len(content) == 0 {
		return nil, &problem{http.StatusBadRequest, "no_file", catalogue.Say("problem.empty-file")}
	}
	return g.lookAt(r, account, daemon.Dropped{Name: name, Content: content})
}

// settle looks once more at a file that is merged, with what counts of what both sides changed.
func (g *giver) settle(r *http.Request, account string) (*lookDocument, *problem) {
	leave, full := g.enter()
	if full != nil {
		return nil, full
	}
	defer leave()
	one, ok := g.looks.of(account, r.PathValue("look"), g.Now())
	if !ok || one.dropped == nil {
		return nil, &problem{http.StatusNotFound,
			"no_look", catalogue.Say("problem.no-look")}
	}
	choices := map[string]string{}
	for _, clash := range one.clashes {
		choices[clash] = cmp.Or(r.PostForm.Get("all"), r.PostForm.Get(merges.Prefix+clash))
	}
	return g.lookAt(r, account,
		daemon.Dropped{Name: one.file, Content: one.dropped, Choices: choices, Known: r.PostForm.Get("known")})
}

func (g *giver) lookAt(r *http.Request, account string, f daemon.Dropped) (*lookDocument, *problem) {
	ctx, end := context.WithTimeout(r.Context(), lookTime)
	defer end()
	f.Who = g.holder(callerOf(r))
	found, err := g.desk.Look(ctx, account, f)
	if err != nil {
		return nil, new(g.problemOf(err))
	}
	d := &lookDocument{FormatVersion: formatVersion, Name: f.Name, Problems: notNil(found.Problems), Plan: found.Plan,
		Branch: found.Branch, Into: found.Into, Source: found.Source, Saves: found.Saves, New: found.Base == "",
		Merge: found.Merge, Known: f.Known}
	if name := path.Base(found.Source); found.Source != "" && !strings.EqualFold(name, f.Name) {
		d.Counts = name
	}
	one := look{account: account, file: f.Name, marked: found.Marked, name: fileName(found.Name)}
	if one.name == "" {
		one.name = "marked-" + f.Name
	}
	if d.Branch != "" || d.Saves {
		one.content, one.base = f.Content, found.Base
	}
	if found.Began != "" {
		one.who, one.began = f.Who, found.Began
	}
	if m := d.Merge; m != nil && m.Refused == "" {
		one.dropped = f.Content
		for _, clash := range m.Clashes {
			one.clashes = append(one.clashes, clash.Digest)
		}
		if one.content != nil {
			one.content = m.Content
		}
	}
	if one.content == nil && one.dropped == nil && len(one.marked) == 0 {
		return d, nil
	}
	id := g.looks.keep(one, g.Now(), g.Looks)
	if len(one.marked) > 0 {
		d.Marked = "/looks/" + id + "/marked"
	}
	if one.content != nil {
		d.Commit = "/looks/" + id + "/commit"
	}
	if len(one.clashes) > 0 || d.Merge != nil && len(d.Merge.Left) > 0 {
		d.Settle = "/looks/" + id + "/merge"
	}
	return d, nil
}

// fileName is the last part of what a browser calls a file, "" where it is none.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == ".." || name == "/" || len(name) > 200 {
		return ""
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, name)
}

func (h *api) postLook(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	d, p := h.give.seen(r, a.Name, r.URL.Query().Get("name"), http.MaxBytesReader(w, r.Body, fileMost))
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	for _, path := range []*string{&d.Marked, &d.Commit} {
		if *path != "" {
			*path = "/api/v1" + accountPath(a.Name) + *path
		}
	}
	writeJSON(w, http.StatusOK, d)
}

// sourcesDocument is what an account is read from.
type sourcesDocument struct {
	FormatVersion int      `json:"format_version"`
	Files         []string `json:"files"`
}

func (h *api) getFiles(w http.ResponseWriter, r *http.Request) {
	if _, files, ok := h.give.files(w, r); ok {
		writeJSON(w, http.StatusOK, sourcesDocument{formatVersion, notNil(files)})
	}
}

// files are those of the account that a path names; where there are none, it says why.
func (g *giver) files(w http.ResponseWriter, r *http.Request) (a daemon.Status, files []string, ok bool) {
	if a, ok = g.account(w, r); !ok {
		return a, nil, false
	}
	leave, p := g.enter()
	if p == nil {
		defer leave()
		var err error
		if files, err = g.desk.Files(r.Context(), a.Name); err == nil {
			return a, files, true
		}
		p = new(g.problemOf(err))
	}
	g.refuse(w, r, *p)
	return a, nil, false
}

// getFile gives one of the account's own files, as it was read last.
func (g *giver) getFile(w http.ResponseWriter, r *http.Request) {
	a, ok := g.account(w, r)
	if !ok {
		return
	}
	leave, p := g.enter()
	if p != nil {
		g.refuse(w, r, *p)
		return
	}
	defer leave()
	name := r.URL.Query().Get("name")
	content, err := g.desk.File(r.Context(), a.Name, name, g.holder(callerOf(r)))
	if err != nil {
		g.refuse(w, r, g.problemOf(err))
		return
	}
	download(w, path.Base(name), content)
}

// download gives bytes that no browser shows.
func download(w http.ResponseWriter, name string, content []byte) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	_, _ = w.Write(content) // who asked may be gone
}

func (g *giver) getMarked(w http.ResponseWriter, r *http.Request) {
	a, ok := g.account(w, r)
	if !ok {
		return
	}
	one, ok := g.looks.of(a.Name, r.PathValue("look"), g.Now())
	if !ok || len(one.marked) == 0 {
		g.refuse(w, r, problem{http.StatusNotFound, "no_look", catalogue.Say("problem.no-marked")})
		return
	}
	download(w, one.name, one.marked)
}

// commit has a file that was looked at committed to the branch for uploads. It is the
// very bytes that were looked at.
func (g *giver) commit(r *http.Request, o order, id, note string) (daemon.Committed, *problem) {
	one, ok := g.looks.of(o.account, id, g.Now())
	if !ok || one.content == nil {
		return daemon.Committed{}, &problem{http.StatusNotFound,
			"no_look", catalogue.Say("problem.no-commit")}
	}
	// Who goes away meanwhile has sent it all the same, with its pull request.
	ctx, end := context.WithTimeout(context.WithoutCancel(r.Context()), lookTime)
	defer end()
	c, err := g.desk.Commit(ctx, o.account, daemon.Handed{
		File: one.file, Content: one.content, Base: one.base, Holder: one.who, Began: one.began,
		Who: o.who, By: o.by, From: o.from, Note: shown.Reason(note), Time: g.Now().UTC(),
	})
	if err != nil {
		p := g.problemOf(err)
		return c, &p
	}
	return c, nil
}

// committedDocument is where a file was committed.
type committedDocument struct {
	FormatVersion int `json:"format_version"`
	daemon.Committed
}

func (h *api) postCommit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		By   string `json:"by"`
		Note string `json:"note"`
	}
	o, ok := h.orderOf(w, r, &body, &body.By)
	if !ok {
		return
	}
	c, p := h.give.commit(r, o, r.PathValue("look"), body.Note)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	writeJSON(w, http.StatusCreated, committedDocument{formatVersion, c})
}
