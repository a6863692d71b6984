package web

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"adsync/internal/planview"
)

// Bounds of a look at a file.
const (
	fileMost    = 32 << 20 // bytes of a file
	looksAtOnce = 2
	looksKept   = 8 // marked copies that wait to be fetched
	lookLasts   = 15 * time.Minute
)

// looks keeps the marked copies of the last looks, in memory alone.
type looks struct {
	mu  sync.Mutex
	all []look // the oldest first
}

type look struct {
	id, account, name string
	marked            []byte
	ends              time.Time
}

func (l *looks) keep(account, name string, marked []byte, now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.all) > 0 && (len(l.all) >= looksKept || !now.Before(l.all[0].ends)) {
		l.all = l.all[1:]
	}
	one := look{drawn(), account, name, marked, now.Add(lookLasts)}
	l.all = append(l.all, one)
	return one.id
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
}

// seen looks at a file. Few are looked at side by side: each may take much memory.
func (s *Server) seen(ctx context.Context, account, name string, body io.Reader) (*lookDocument, *problem) {
	name = fileName(name)
	if name == "" {
		return nil, &problem{http.StatusBadRequest, "no_name", "the file has no name; want one, such as spring.xlsx"}
	}
	select {
	case s.looking <- struct{}{}:
		defer func() { <-s.looking }()
	default:
		return nil, &problem{http.StatusServiceUnavailable, "busy", "other files are being looked at; try again in a moment"}
	}
	content, err := io.ReadAll(body)
	if err != nil {
		p := s.problemOf(err)
		return nil, &p
	}
	if len(content) == 0 {
		return nil, &problem{http.StatusBadRequest, "no_file", "the file is empty; want a workbook, CSV or YAML file"}
	}
	found, err := s.desk.Look(ctx, account, name, content)
	if err != nil {
		p := s.problemOf(err)
		return nil, &p
	}
	d := &lookDocument{FormatVersion: formatVersion, Name: name, Problems: notNil(found.Problems), Plan: found.Plan}
	if len(found.Marked) > 0 {
		if found.Name == "" {
			found.Name = "marked-" + name
		}
		d.Marked = s.looks.keep(account, fileName(found.Name), found.Marked, s.Now())
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

func (s *Server) postLook(w http.ResponseWriter, r *http.Request) {
	a, ok := s.account(w, r)
	if !ok {
		return
	}
	d, p := s.seen(r.Context(), a.Name, r.URL.Query().Get("name"), http.MaxBytesReader(w, r.Body, fileMost))
	if p != nil {
		s.refuse(w, r, *p)
		return
	}
	if d.Marked != "" {
		d.Marked = "/api/v1" + accountPath(a.Name) + "/looks/" + d.Marked + "/marked"
	}
	writeJSON(w, http.StatusOK, d)
}

func (s *Server) getMarked(w http.ResponseWriter, r *http.Request) {
	a, ok := s.account(w, r)
	if !ok {
		return
	}
	one, ok := s.looks.of(a.Name, r.PathValue("look"), s.Now())
	if !ok {
		s.refuse(w, r, problem{http.StatusNotFound, "no_look", "the marked copy is gone; look at the file again"})
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": one.name}))
	_, _ = w.Write(one.marked) // who asked may be gone
}
