package web

import (
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/planview"
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
	content           []byte // of it, where it may be committed; nil otherwise
	base              string // sum of the file whose place it took
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
	Commit        string             `json:"commit,omitempty"` // path of the order to do so, for as long
}

// seen looks at a file. Few are looked at side by side: each may take much memory.
func (g *giver) seen(ctx context.Context, account, name string, body io.Reader) (*lookDocument, *problem) {
	name = fileName(name)
	if name == "" {
		return nil, &problem{http.StatusBadRequest, "no_name", "the file has no name; want one, such as spring.xlsx"}
	}
	select {
	case g.looking <- struct{}{}:
		defer func() { <-g.looking }()
	default:
		return nil, &problem{http.StatusServiceUnavailable,
			"busy", "other files are being looked at; try again in a moment"}
	}
	content, err := io.ReadAll(body)
	if err != nil {
		p := g.problemOf(err)
		return nil, &p
	}
	if len(content) == 0 {
		return nil, &problem{http.StatusBadRequest, "no_file", "the file is empty; want a workbook, CSV or YAML file"}
	}
	ctx, end := context.WithTimeout(ctx, lookTime)
	defer end()
	found, err := g.desk.Look(ctx, account, name, content)
	if err != nil {
		p := g.problemOf(err)
		return nil, &p
	}
	d := &lookDocument{FormatVersion: formatVersion, Name: name, Problems: notNil(found.Problems), Plan: found.Plan}
	one := look{account: account, file: name, marked: found.Marked, name: fileName(found.Name)}
	if one.name == "" {
		one.name = "marked-" + name
	}
	if d.Branch, d.Into = found.Branch, found.Into; d.Branch != "" {
		one.content, one.base = content, found.Base
	}
	if one.content == nil && len(one.marked) == 0 {
		return d, nil
	}
	id := g.looks.keep(one, g.Now(), g.Looks)
	if len(one.marked) > 0 {
		d.Marked = "/looks/" + id + "/marked"
	}
	if one.content != nil {
		d.Commit = "/looks/" + id + "/commit"
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
	d, p := h.give.seen(r.Context(), a.Name, r.URL.Query().Get("name"), http.MaxBytesReader(w, r.Body, fileMost))
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

func (g *giver) getMarked(w http.ResponseWriter, r *http.Request) {
	a, ok := g.account(w, r)
	if !ok {
		return
	}
	one, ok := g.looks.of(a.Name, r.PathValue("look"), g.Now())
	if !ok || len(one.marked) == 0 {
		g.refuse(w, r, problem{http.StatusNotFound, "no_look", "the marked copy is gone; look at the file again"})
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": one.name}))
	_, _ = w.Write(one.marked) // who asked may be gone
}

// commit has a file that was looked at committed to the branch for uploads. It is the
// very bytes that were looked at.
func (g *giver) commit(ctx context.Context, o order, id, note string) (daemon.Committed, *problem) {
	one, ok := g.looks.of(o.account, id, g.Now())
	if !ok || one.content == nil {
		return daemon.Committed{}, &problem{http.StatusNotFound,
			"no_look", "the look is over, or the file may not be committed; look at it again"}
	}
	c, err := g.desk.Commit(ctx, o.account, daemon.Handed{
		File: one.file, Content: one.content, Base: one.base,
		By: o.by, Note: printable(note, reasonMost), Time: g.Now().UTC(),
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
	c, p := h.give.commit(r.Context(), o, r.PathValue("look"), body.Note)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	writeJSON(w, http.StatusCreated, committedDocument{formatVersion, c})
}
