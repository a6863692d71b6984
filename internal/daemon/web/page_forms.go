package web

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"adsync/internal/planview"
)

// person lets forms through that this page showed to this session.
func (s *Server) person(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
		if err := r.ParseForm(); err != nil {
			s.refuse(w, r, s.formProblem(err))
			return
		}
		if c := callerOf(r); c.session == nil || !c.session.sent(r.PostForm.Get("form")) {
			s.refuse(w, r, foreignForm)
			return
		}
		next(w, r)
	}
}

var foreignForm = problem{http.StatusForbidden, "form", "the form is " +
	"not one this page showed you, or you logged in anew since; go back, load the page again, and send it once more"}

func (s *Server) formProblem(err error) problem {
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return s.problemOf(err)
	}
	return problem{http.StatusBadRequest, "bad_request", "the form cannot be read"}
}

// orderBy is the order a form gives.
func (s *Server) orderBy(w http.ResponseWriter, r *http.Request) (order, bool) {
	a, ok := s.account(w, r)
	return order{a.Name, callerOf(r).name}, ok
}

// after leads on to the page of the account, which says what was done.
func (s *Server) after(w http.ResponseWriter, r *http.Request, o order, did string, p *problem) {
	if p != nil {
		s.refuse(w, r, *p)
		return
	}
	http.Redirect(w, r, accountPath(o.account)+"?done="+did, http.StatusSeeOther)
}

func (s *Server) formApprove(w http.ResponseWriter, r *http.Request) {
	if o, ok := s.orderBy(w, r); ok {
		s.after(w, r, o, "approved", s.approve(r.Context(),
			o, choice{r.PostForm.Get("plan"), r.PostForm["item"], r.PostForm["allow"]}, r.PostForm.Get("note")))
	}
}

func (s *Server) formAccept(w http.ResponseWriter, r *http.Request) {
	if o, ok := s.orderBy(w, r); ok {
		s.after(w, r, o, "accepted", s.accept(r.Context(), o, r.PostForm.Get("commit"), r.PostForm.Get("note")))
	}
}

func (s *Server) formWake(w http.ResponseWriter, r *http.Request) {
	if o, ok := s.orderBy(w, r); ok {
		s.after(w, r, o, "woken", s.wake(o))
	}
}

func (s *Server) formSuspend(w http.ResponseWriter, r *http.Request) {
	o, ok := s.orderBy(w, r)
	if !ok {
		return
	}
	lasts, p := durationOf(r.PostForm.Get("for"))
	if p == nil {
		p = s.suspend(r.Context(), o, r.PostForm.Get("reason"), lasts)
	}
	s.after(w, r, o, "suspended", p)
}

func (s *Server) formResume(w http.ResponseWriter, r *http.Request) {
	if o, ok := s.orderBy(w, r); ok {
		s.after(w, r, o, "resumed", s.resume(r.Context(), o))
	}
}

// lookView is what a look at a file found.
type lookView struct {
	Name, Path, File, Marked string
	Branch, Commit           string
	Problems                 []string
	Parts                    *planview.Parts
}

// formLook looks at a file that was dropped. It is read as it comes, and stands
// on no disk; the proof of the form comes before it.
func (s *Server) formLook(w http.ResponseWriter, r *http.Request) {
	a, ok := s.account(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, fileMost+bodyMost)
	name, file, p := s.dropped(r)
	if p != nil {
		s.refuse(w, r, *p)
		return
	}
	d, p := s.seen(r.Context(), a.Name, name, file)
	if p != nil {
		s.refuse(w, r, *p)
		return
	}
	v := lookView{
		Name: printable(a.Name, 200), Path: accountPath(a.Name),
		File: printable(d.Name, 200), Problems: printables(d.Problems),
	}
	if d.Marked != "" {
		v.Marked = v.Path + d.Marked
	}
	if d.Commit != "" {
		v.Branch, v.Commit = printable(d.Branch, 200), v.Path+d.Commit
	}
	if d.Plan != nil {
		parts, err := planview.HTMLParts(s.Schemas, d.Plan)
		if err != nil {
			s.refuse(w, r, s.problemOf(err))
			return
		}
		v.Parts = parts
	}
	s.show(w, r, http.StatusOK, "look", view{Title: "A look at " + v.File, Of: v})
}

// committedView is where a file was committed.
type committedView struct {
	Name, Path, Branch, Commit, File string
	Same                             bool
}

// formCommit answers at once and leads nowhere: what it did is not to be done again.
func (s *Server) formCommit(w http.ResponseWriter, r *http.Request) {
	o, ok := s.orderBy(w, r)
	if !ok {
		return
	}
	c, p := s.commit(r.Context(), o, r.PathValue("look"), r.PostForm.Get("note"))
	if p != nil {
		s.refuse(w, r, *p)
		return
	}
	v := committedView{printable(o.account, 200), accountPath(o.account),
		printable(c.Branch, 200), printable(c.Commit, 40), printable(c.Path, 500), c.Same}
	s.show(w, r, http.StatusOK, "committed", view{Title: "Committed to " + v.Branch, Of: v})
}

func printables(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, printable(text, 2000))
	}
	return all
}

// dropped gives the name of the file in a form, and reads it.
func (s *Server) dropped(r *http.Request) (string, io.Reader, *problem) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", nil, &problem{http.StatusBadRequest, "bad_request", "the form cannot be read; want a file in it"}
	}
	proof, err := parts.NextPart()
	if err != nil {
		p := s.formProblem(err)
		return "", nil, &p
	}
	text, err := io.ReadAll(io.LimitReader(proof, 200))
	if c := callerOf(r); err != nil || proof.FormName() != "form" || c.session == nil || !c.session.sent(string(text)) {
		return "", nil, &foreignForm
	}
	var file *multipart.Part
	if file, err = parts.NextPart(); err != nil || file.FormName() != "file" {
		return "", nil, &problem{http.StatusBadRequest,
			"no_file", "no file was chosen; want a workbook, CSV or YAML file"}
	}
	return file.FileName(), file, nil
}

// loginView is the form that asks for the token.
type loginView struct {
	Back, Name string
	WantsName  bool
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) {
	s.login(w, r, http.StatusOK, "", loginView{Back: ownPath(r.URL.Query().Get("back"))})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request, status int, wrong string, v loginView) {
	if s.Token.isZero() {
		s.refuse(w, r, problem{http.StatusNotFound,
			"read_only", "nobody logs in here, as the daemon has no token; this page is for reading"})
		return
	}
	v.WantsName = s.UserHeader == ""
	s.show(w, r, status, "login", view{Title: "Log in", Error: wrong, Back: "/login", Of: v})
}

// formLogin gives a session for the token. Nothing proves yet who sends it: that
// it comes from this very page is what guarded holds.
func (s *Server) formLogin(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
	if err := r.ParseForm(); err != nil {
		s.refuse(w, r, s.formProblem(err))
		return
	}
	v := loginView{Back: ownPath(r.PostForm.Get("back")), Name: printable(r.PostForm.Get("name"), nameMost)}
	if s.UserHeader != "" {
		v.Name = callerOf(r).name
	}
	if v.Name == "" {
		s.login(w, r, http.StatusBadRequest, "No name was given. Approvals are recorded under it.", v)
		return
	}
	if p := s.check(r, strings.TrimSpace(r.PostForm.Get("token"))); p != nil {
		s.login(w, r, p.status, upper(p.message)+".", v)
		return
	}
	if c := callerOf(r); c.session != nil {
		s.sessions.end(c.cookie)
	}
	http.SetCookie(w, s.cookie(s.sessions.begin(v.Name, s.Now()), int(sessionLasts.Seconds())))
	s.Log.Info("somebody logged in", "name", v.Name, "from", s.from(r))
	http.Redirect(w, r, v.Back+"?"+url.Values{"done": {"login"}}.Encode(), http.StatusSeeOther)
}

func (s *Server) formLogout(w http.ResponseWriter, r *http.Request) {
	s.sessions.end(callerOf(r).cookie)
	http.SetCookie(w, s.cookie("", -1))
	http.Redirect(w, r, "/?done=logout", http.StatusSeeOther)
}
