package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// Want is what an answer must be: one of the statuses, and every check.
type Want struct {
	Statuses []int // none: any status but the refused ones of letIn
	Checks   []check
}

// check is one thing that holds of an answer. It gives "" or what is wrong.
type check func(a Answer, v *values) string

// Answer is what came back.
type Answer struct {
	Status int
	Header map[string][]string
	Body   []byte
	JSON   any // nil when the body is no JSON; numbers are json.Number
}

func gives(checks ...check) Want    { return Want{[]int{200}, checks} }
func accepted(checks ...check) Want { return Want{[]int{202}, checks} }

// answers is a refusal with one of the statuses and the published error body.
func answers(statuses ...int) Want { return Want{statuses, []check{refusal}} }

// invalid is the refusal of a request that is wrong, named by its parameter
// ("" when none is at fault). The interface does not show the code; published
// are 400 for what is malformed and 422 for what makes no sense.
func invalid(param string) Want {
	w := answers(400, 422)
	if param != "" {
		w.Checks = append(w.Checks, paramIs(param))
	}
	return w
}

func unauthorized() Want        { return answers(401) }
func forbidden() Want           { return answers(403) }
func notFound() Want            { return answers(404) }
func conflict() Want            { return answers(409) }
func tooLarge() Want            { return answers(413) }
func tooMany() Want             { return answers(429) }
func (w Want) and(c check) Want { w.Checks = append(slices.Clip(w.Checks), c); return w }

// letIn is any answer but those of part 5: the credential is accepted.
func letIn() Want {
	return Want{Checks: []check{func(a Answer, _ *values) string {
		if a.Status == 401 || a.Status == 403 {
			return fmt.Sprintf("status %d, want the credential to be accepted", a.Status)
		}
		return ""
	}}}
}

// refusal is the published error body (service facts 13).
func refusal(a Answer, v *values) string {
	if !v.shown() {
		return ""
	}
	body, _ := a.JSON.(object)
	e, _ := body["error"].(object)
	message, _ := e["message"].(string)
	kind, _ := e["type"].(string)
	_, param := e["param"]
	_, code := e["code"]
	if message == "" || kind == "" || !param || !code {
		return `want {"error":{"message","type","param","code"}}`
	}
	return ""
}

func paramIs(name string) check { return is("error.param", name) }

// says wants a part of the refusal's message.
func says(part string) check {
	return func(a Answer, v *values) string {
		message, _ := at(a.JSON, "error.message").(string)
		if !v.shown() {
			message = html.UnescapeString(string(a.Body))
		}
		if !strings.Contains(message, part) {
			return fmt.Sprintf("message %q, want it to say %q", message, part)
		}
		return ""
	}
}

// codeIs wants a published error code.
func codeIs(code string) check { return is("error.code", code) }

// is wants a value at a path, such as data[0].status; names in it are filled.
func is(path string, value any) check {
	return func(a Answer, v *values) string {
		if strings.HasPrefix(path, "error.") && !v.shown() {
			return ""
		}
		got, want := flat(at(a.JSON, path)), flat(v.fillValue(value))
		if got != want {
			return fmt.Sprintf("%s is %s, want %s", path, got, want)
		}
		return ""
	}
}

// oneOf wants one of some values at a path.
func oneOf(path string, wanted ...any) check {
	return func(a Answer, v *values) string {
		got := flat(at(a.JSON, path))
		for _, each := range wanted {
			if got == flat(v.fillValue(each)) {
				return ""
			}
		}
		return fmt.Sprintf("%s is %s, want one of %v", path, got, wanted)
	}
}

// not wants another value at a path.
func not(path string, value any) check {
	return func(a Answer, v *values) string {
		if got := flat(at(a.JSON, path)); got == flat(v.fillValue(value)) {
			return fmt.Sprintf("%s is %s, want another value", path, got)
		}
		return ""
	}
}

// has wants fields, whatever their values.
func has(paths ...string) check {
	return func(a Answer, _ *values) string {
		for _, path := range paths {
			if at(a.JSON, path) == missing {
				return path + " is missing"
			}
		}
		return ""
	}
}

// lacks wants no such field.
func lacks(path string) check {
	return func(a Answer, _ *values) string {
		if got := at(a.JSON, path); got != missing {
			return fmt.Sprintf("%s is %s, want no such field", path, flat(got))
		}
		return ""
	}
}

// text wants a text that is not empty.
func text(path string) check {
	return func(a Answer, _ *values) string {
		if s, ok := at(a.JSON, path).(string); !ok || s == "" {
			return fmt.Sprintf("%s is %s, want a text", path, flat(at(a.JSON, path)))
		}
		return ""
	}
}

// integer wants a whole number that is at least min.
func integer(path string, min int64) check {
	return func(a Answer, _ *values) string {
		n, ok := at(a.JSON, path).(json.Number)
		if i, err := n.Int64(); !ok || err != nil || i < min {
			return fmt.Sprintf("%s is %s, want a whole number of at least %d", path, flat(at(a.JSON, path)), min)
		}
		return ""
	}
}

// count wants so many entries of a list.
func count(path string, n int) check {
	return func(a Answer, _ *values) string {
		list, ok := at(a.JSON, path).([]any)
		if !ok || len(list) != n {
			return fmt.Sprintf("%s has %d entries, want %d", path, len(list), n)
		}
		return ""
	}
}

// some wants at least one entry of a list whose field has the value.
func some(path, name string, value any) check { return among(path, name, value, true) }

// none wants no entry of a list whose field has the value.
func none(path, name string, value any) check { return among(path, name, value, false) }

func among(path, name string, value any, wanted bool) check {
	return func(a Answer, v *values) string {
		list, ok := at(a.JSON, path).([]any)
		found := slices.ContainsFunc(list, func(each any) bool {
			return flat(at(each, name)) == flat(v.fillValue(value))
		})
		if !ok || found != wanted {
			return fmt.Sprintf("%s with %s = %s is there: %v, want %v",
				path, name, flat(v.fillValue(value)), found, wanted)
		}
		return ""
	}
}

// every wants all entries of a list, at least one, to have a value.
func every(path, name string, value any) check {
	return func(a Answer, v *values) string {
		list, _ := at(a.JSON, path).([]any)
		for i, each := range list {
			if got, want := flat(at(each, name)), flat(v.fillValue(value)); got != want {
				return fmt.Sprintf("%s[%d].%s is %s, want %s", path, i, name, got, want)
			}
		}
		if len(list) == 0 {
			return path + " is empty, want entries"
		}
		return ""
	}
}

// contains wants a part of a text.
func contains(path, part string) check {
	return func(a Answer, v *values) string {
		s, _ := at(a.JSON, path).(string)
		if !strings.Contains(s, v.fill(part)) {
			return fmt.Sprintf("%s is %q, want it to contain %q", path, s, v.fill(part))
		}
		return ""
	}
}

// silent wants a text nowhere in the answer.
func silent(secret string) check {
	return func(a Answer, v *values) string {
		if bytes.Contains(a.Body, []byte(v.fill(secret))) {
			return "the answer repeats " + v.fill(secret)
		}
		return ""
	}
}

// header wants a header.
func header(name, value string) check {
	return func(a Answer, _ *values) string {
		if got := a.Header[name]; len(got) != 1 || got[0] != value {
			return fmt.Sprintf("header %s is %q, want %q", name, got, value)
		}
		return ""
	}
}

// omits wants a part not in a text.
func omits(path, part string) check {
	return func(a Answer, v *values) string {
		s, ok := at(a.JSON, path).(string)
		if !ok || strings.Contains(s, v.fill(part)) {
			return fmt.Sprintf("%s is %q, want it without %q", path, s, v.fill(part))
		}
		return ""
	}
}

// more wants a whole number that is greater than the saved one.
func more(path, than string) check {
	return func(a Answer, v *values) string {
		least, err := strconv.ParseInt(v.saved[than], 10, 64)
		if err != nil {
			return fmt.Sprintf("%s is %q, want a whole number", than, v.saved[than])
		}
		return integer(path, least+1)(a, v)
	}
}
