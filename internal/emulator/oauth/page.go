package oauth

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"adsync/internal/emulator/world"
)

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Allow {{.Client.Name}}?</title></head><body>
<h1>Allow {{.Client.Name}}?</h1>
<p>{{.Client.Name}} ({{.Client.ID}}) asks to:</p>
<ul>{{range .Scopes}}<li><code>{{.Name}}</code>: {{.Meaning}}</li>{{end}}</ul>
<form method="post" action="/_oauth/authorize">
{{range $name, $values := .Form}}{{range $values}}<input type="hidden" name="{{$name}}" value="{{.}}">
{{end}}{{end}}<p><label>You are <select name="user">
{{range .Users}}<option value="{{.ID}}">{{.Name}} ({{.ID}}): {{range $i, $id := .AccountIDs}}{{if $i}}, {{end}}{{$id}}{{end}}</option>
{{end}}</select></label></p>
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p>
</form></body></html>
`))
})

var problems = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>This cannot go on</title></head><body>
<h1>This cannot go on</h1><p>{{.}}</p></body></html>
`))
})

// page asks the user. The form carries the request on, so that the server keeps
// nothing until the answer.
func (s *Server) page(w http.ResponseWriter, form url.Values, q request) {
	var users []world.User
	err := s.directory.View(func() error {
		users = s.directory.Users.All()
		return nil
	})
	if err != nil {
		problem(w, err.Error())
		return
	}
	asked := slices.DeleteFunc(slices.Clone(scopes), func(each struct{ Name, Meaning string }) bool {
		return !slices.Contains(q.scopes, each.Name)
	})
	html(w, http.StatusOK)
	pages().Execute(w, map[string]any{"Client": q.client, "Scopes": asked, "Form": form, "Users": users})
}

// problem tells the user what is wrong.
func problem(w http.ResponseWriter, message string) {
	html(w, http.StatusBadRequest)
	problems().Execute(w, message)
}

func html(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
}
