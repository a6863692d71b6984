package web

import (
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	"adsync/internal/daemon"
	"adsync/internal/daemon/web/merges"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
)

// forms takes the orders of people.
type forms struct {
	*replies
	give *giver
}

func (h *forms) routes() []route {
	const account = "/accounts/{account}"
	return []route{
		{"POST", account + "/approve", approvers, h.person(h.formApprove)},
		{"POST", account + "/accept", operators, h.person(h.formAccept)},
		{"POST", account + "/wake", editors, h.person(h.formWake)},
		{"POST", account + "/suspend", editors, h.person(h.formSuspend)},
		{"POST", account + "/resume", approvers, h.person(h.formResume)},
		{"GET", account + "/pause", viewers, h.showPause},
		{"POST", account + "/pause", editors, h.person(h.formPause)},
		{"POST", account + "/pauses/{pause}/go-on", approvers, h.person(h.formGoOn)},
		{"GET", account + "/runs/{run}/undo", editors, h.showDraft},
		{"POST", account + "/runs/{run}/undo", editors, h.person(h.formEdit)},
		{"GET", account + "/theirs", editors, h.showDraft},
		{"POST", account + "/theirs", editors, h.person(h.formEdit)},
		{"POST", account + "/looks/{look}/commit", editors, h.person(h.formCommit)},
		{"POST", account + "/looks/{look}/merge", editors, h.person(h.formMerge)},
		{"POST", account + "/look", editors, h.formLook},
		{"GET", account + "/looks/{look}/marked", editors, h.give.getMarked},
		{"GET", account + "/files", viewers, h.showFiles},
		{"GET", account + "/file", viewers, h.give.getFile},
	}
}

// person lets forms through that this page showed to this session.
func (re *replies) person(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
		if err := r.ParseForm(); err != nil {
			re.refuse(w, r, re.formProblem(err))
			return
		}
		if c := callerOf(r); c.session == nil || !c.session.sent(r.PostForm.Get("form")) {
			re.refuse(w, r, *foreignForm())
			return
		}
		next(w, r)
	}
}

func foreignForm() *problem {
	return &problem{http.StatusForbidden, "form", catalogue.Say("problem.foreign-form")}
}

// orderBy is the order a form gives.
func (h *forms) orderBy(w http.ResponseWriter, r *http.Request) (order, bool) {
	a, ok := h.account(w, r)
	return h.orderFor(r, a.Name, callerOf(r).name), ok
}

// after leads on to the page of the account, which says what was done.
func (h *forms) after(w http.ResponseWriter, r *http.Request, o order, did string, p *problem) {
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	http.Redirect(w, r, accountPath(o.account)+"?done="+did, http.StatusSeeOther)
}

func (h *forms) formApprove(w http.ResponseWriter, r *http.Request) {
	if o, ok := h.orderBy(w, r); ok {
		did, p := h.give.approve(r.Context(),
			o, choice{r.PostForm.Get("plan"), r.PostForm["kind"], r.PostForm["item"], r.PostForm["allow"]},
			r.PostForm.Get("note"))
		h.after(w, r, o, did, p)
	}
}

func (h *forms) formAccept(w http.ResponseWriter, r *http.Request) {
	if o, ok := h.orderBy(w, r); ok {
		h.after(w, r, o, "accepted", h.give.accept(r.Context(), o, r.PostForm.Get("commit"), r.PostForm.Get("note")))
	}
}

func (h *forms) formWake(w http.ResponseWriter, r *http.Request) {
	if o, ok := h.orderBy(w, r); ok {
		h.after(w, r, o, "woken", h.give.wake(r.Context(), o, r.PostForm.Get("reason")))
	}
}

func (h *forms) formSuspend(w http.ResponseWriter, r *http.Request) {
	o, ok := h.orderBy(w, r)
	if !ok {
		return
	}
	lasts, p := durationOf(r.PostForm.Get("for"))
	if p == nil {
		p = h.give.suspend(r.Context(), o, r.PostForm.Get("reason"), lasts)
	}
	h.after(w, r, o, "suspended", p)
}

func (h *forms) formResume(w http.ResponseWriter, r *http.Request) {
	if o, ok := h.orderBy(w, r); ok {
		h.after(w, r, o, "resumed", h.give.resume(r.Context(), o, r.PostForm.Get("reason")))
	}
}

// lookView is what a look at a file found.
type lookView struct {
	Name, Path, File, Marked string
	Counts                   string // file as which it counts, where it is called otherwise
	Branch, Commit, Into     string
	Saves, New               bool // it may be put into the folder; beside the files that are there
	Plans                    bool // the daemon never applies here
	Merge                    *merges.View
	Problems                 []string
	Parts                    *planview.Parts
}

// formLook looks at a file that was dropped. It is read as it comes, and stands
// on no disk; the proof of the form comes before it.
func (h *forms) formLook(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, fileMost+bodyMost)
	name, file, p := h.dropped(r)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	d, p := h.give.seen(r, a.Name, name, file)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	h.showLook(w, r, &a, d)
}

func (h *forms) formMerge(w http.ResponseWriter, r *http.Request) {
	a, ok := h.account(w, r)
	if !ok {
		return
	}
	d, p := h.give.settle(r, a.Name)
	if p != nil {
		h.refuse(w, r, *p)
		return
	}
	h.showLook(w, r, &a, d)
}

func (h *forms) showLook(w http.ResponseWriter, r *http.Request, a *daemon.Status, d *lookDocument) {
	v := lookView{
		Name: shown.Text(a.Name, 200), Path: accountPath(a.Name),
		File: shown.Text(d.Name, 200), Counts: shown.Text(d.Counts, 200), Problems: printables(d.Problems),
	}
	if d.Marked != "" {
		v.Marked = v.Path + d.Marked
	}
	if d.Commit != "" {
		v.Branch, v.Commit = shown.Text(d.Branch, 200), v.Path+d.Commit
		v.Saves, v.New, v.Plans = d.Saves, d.New, a.PlanOnly
	}
	if v.Into = shown.Text(d.Into, 200); d.Merge != nil {
		today, settle := "", ""
		if !d.New {
			today = filePath(a.Name, d.Source)
		}
		if d.Settle != "" {
			settle = v.Path + d.Settle
		}
		v.Merge = merges.Show(d.Merge, today, settle, d.Known, shown.Zone(a.Account))
	}
	if d.Plan != nil {
		parts, err := planview.HTMLParts(h.Schemas, h.branded(r.Context(), a.Name, d.Plan))
		if err != nil {
			h.refuse(w, r, h.problemOf(err))
			return
		}
		v.Parts = parts
	}
	h.show(w, r, http.StatusOK, "look", view{Title: catalogue.Say("look.title", "file", v.File), Of: v})
}

// filePath is the path of one of an account's files.
func filePath(account, file string) string {
	return accountPath(account) + "/file?" + url.Values{"name": {file}}.Encode()
}

// filesView is what an account is read from.
type filesView struct {
	Name, Path, Revision string
	Files                []fileLink
}

// fileLink is one of them, and how it stands where it is a draft.
type fileLink struct{ Name, Path, Draft string }

func (h *forms) showFiles(w http.ResponseWriter, r *http.Request) {
	a, files, ok := h.give.files(w, r)
	if !ok {
		return
	}
	v := filesView{Name: shown.Text(a.Name, 200), Path: accountPath(a.Name), Revision: revisionOf(a.Revision)}
	for _, file := range files {
		link := fileLink{Name: shown.Text(file, 500), Path: filePath(a.Name, file)}
		if i := slices.IndexFunc(a.Drafts, func(d planview.Draft) bool { return d.File == file }); i >= 0 {
			link.Draft = shown.Text(a.Drafts[i].Words, 500)
		}
		v.Files = append(v.Files, link)
	}
	h.show(w, r, http.StatusOK, "files", view{Title: catalogue.Say("files.title-of", "name", v.Name), Of: v})
}

// committedView is where a file was committed.
type committedView struct {
	Name, Path, Branch, Commit, File string
	Kept                             string // the file whose place it took in the folder
	Plans                            bool   // the daemon never applies here
	Same                             bool
	Pull                             *daemon.PullRequest
	Trouble, Again, Note             string // why there is no pull request, and what asks for it again
}

// formCommit answers at once and leads nowhere: what it did is not to be done again, but where half of it is missing.
func (h *forms) formCommit(w http.ResponseWriter, r *http.Request) {
	o, ok := h.orderBy(w, r)
	if !ok {
		return
	}
	note := r.PostForm.Get("note")
	c, p := h.give.commit(r, o, r.PathValue("look"), note)
	if p != nil && p.code != "not_opened" {
		h.refuse(w, r, *p)
		return
	}
	v, status := committedView{Name: shown.Text(o.account, 200), Path: accountPath(o.account),
		Branch: shown.Text(c.Branch, 200), Commit: shown.Text(c.Commit, 40), File: shown.Text(c.Path, 500),
		Kept: shown.Text(c.Kept, 500), Same: c.Same, Pull: c.Pull}, http.StatusOK
	title := catalogue.Say("sent.branch-title", "branch", v.Branch)
	switch {
	case p == nil && v.Branch == "":
		title = catalogue.Say("sent.title")
		if a, err := h.desk.Account(r.Context(), o.account); err == nil {
			v.Plans = a.PlanOnly
		}
	case p != nil:
		v.Trouble, v.Again, v.Note = words.Upper(p.message), r.URL.EscapedPath(), shown.Reason(note)
		title, status = catalogue.Say("sent.not-yet"), p.status
	case v.Pull != nil:
		v.Pull.Address = runview.Page(v.Pull.Address)
		title = catalogue.Say("sent.pull-title", "number", v.Pull.Number)
	}
	h.show(w, r, status, "committed", view{Title: title, Of: v})
}

func printables(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, shown.Text(text, 2000))
	}
	return all
}

// dropped returns the name and the content of the file in a form.
func (h *forms) dropped(r *http.Request) (string, io.Reader, *problem) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", nil, &problem{http.StatusBadRequest, "bad_request", catalogue.Say("problem.form-file")}
	}
	proof, err := parts.NextPart()
	if err != nil {
		p := h.formProblem(err)
		return "", nil, &p
	}
	text, err := io.ReadAll(io.LimitReader(proof, 200))
	if c := callerOf(r); err != nil || proof.FormName() != "form" || c.session == nil || !c.session.sent(string(text)) {
		return "", nil, foreignForm()
	}
	var file *multipart.Part
	if file, err = parts.NextPart(); err != nil || file.FormName() != "file" {
		return "", nil, &problem{http.StatusBadRequest,
			"no_file", catalogue.Say("problem.no-file")}
	}
	return file.FileName(), file, nil
}
