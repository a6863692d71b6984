package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"mime/multipart"
	"strings"
	"sync"
)

// A Watch notes which inputs of which endpoints were sent, and by which script. It is
// safe for use by several goroutines.
type Watch struct {
	inputs map[string][]string // as Inputs returns them

	mu   sync.Mutex
	ran  map[string]bool           // scripts
	sent map[Input]map[string]bool // the scripts that sent it
}

// An Input is what a request of an endpoint may carry; Name is "" for the request itself.
type Input struct{ Endpoint, Name string }

// NewWatch returns a Watch of these inputs.
func NewWatch(inputs map[string][]string) *Watch {
	return &Watch{inputs: inputs, ran: map[string]bool{}, sent: map[Input]map[string]bool{}}
}

// Started notes that a script has an emulator.
func (w *Watch) Started(script string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ran[script] = true
}

// A Request is what a script made adsync send.
type Request struct {
	Method, Path  string // the path from /v1 on
	Query, Header map[string][]string
	Body          []byte
}

// Note notes what a request of a script carries. What another program of a script sends
// shows nothing of adsync.
func (w *Watch) Note(script string, r Request) {
	if by := r.Header["User-Agent"]; len(by) == 0 || !strings.HasPrefix(by[0], "adsync") {
		return
	}
	if endpoint := w.endpoint(r); endpoint != "" {
		w.note(script, endpoint, r.carried())
	}
}

func (w *Watch) note(script, endpoint string, names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range append(names, "") {
		in := Input{endpoint, name}
		if w.sent[in] == nil {
			w.sent[in] = map[string]bool{}
		}
		w.sent[in][script] = true
	}
}

// endpoint returns the endpoint of a request, or "".
func (w *Watch) endpoint(r Request) string {
	path, ok := strings.CutPrefix(r.Path, "/v1")
	if !ok {
		return ""
	}
	if exact := r.Method + " " + path; w.inputs[exact] != nil {
		return exact
	}
	for name := range w.inputs {
		method, pattern, _ := strings.Cut(name, " ")
		if method == r.Method && fits(pattern, path) {
			return name
		}
	}
	return ""
}

// fits reports whether a path is one of a pattern such as /ads/{ad_id}/pause.
func fits(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != have[i] && (!strings.HasPrefix(want[i], "{") || have[i] == "") {
			return false
		}
	}
	return true
}

// carried returns the names of what a request carries, as Inputs writes them, and the
// status it asks for: "body status=paused".
func (r Request) carried() []string {
	var names []string
	for name := range r.Query {
		names = append(names, listName(name))
	}
	contentType := ""
	for name, values := range r.Header {
		switch strings.ToLower(name) {
		case "openai-ad-account":
			name = "OpenAI-Ad-Account" // as documents spell it
		case "content-type":
			contentType = values[0]
		}
		names = append(names, "header "+name)
	}
	for _, field := range bodyFields(contentType, r.Body) {
		names = append(names, "body "+field)
	}
	return names
}

// listName writes a name with an index, such as include[0], as the document does.
func listName(name string) string {
	if open := strings.IndexByte(name, '['); open >= 0 && strings.HasSuffix(name, "]") {
		return name[:open] + "[]"
	}
	return name
}

func bodyFields(contentType string, body []byte) []string {
	kind, params, err := mime.ParseMediaType(contentType)
	if err == nil && kind == "multipart/form-data" {
		return formFields(multipart.NewReader(bytes.NewReader(body), params["boundary"]))
	}
	var value any
	if json.Unmarshal(body, &value) != nil {
		return nil
	}
	names := jsonFields(value)
	if object, _ := value.(map[string]any); object["status"] != nil {
		names = append(names, fmt.Sprintf("status=%v", object["status"]))
	}
	return names
}

func formFields(form *multipart.Reader) []string {
	var names []string
	for {
		part, err := form.NextPart()
		if err != nil {
			return names
		}
		names = append(names, part.FormName())
	}
}

// jsonFields returns the dotted names of the fields of a value, each once.
func jsonFields(value any) []string {
	var names []string
	switch value := value.(type) {
	case []any:
		for _, each := range value {
			names = append(names, jsonFields(each)...)
		}
	case map[string]any:
		for name, each := range value {
			names = append(names, name)
			for _, below := range jsonFields(each) {
				names = append(names, name+"."+below)
			}
		}
	}
	return unique(names)
}
