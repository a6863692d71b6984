package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// values are what texts of a row may name.
type values struct {
	saved map[string]string
	now   func() time.Time // in the account's time zone
	n     int
	// points are the open points of the service, where they are known; nil is as published.
	points map[string]string
}

// shown reports whether refusals have the published error body.
func (v *values) shown() bool {
	return v.points["error_body"] == "" || v.points["error_body"] == "nested"
}

var (
	named    = regexp.MustCompile(`"#\{([a-z_0-9]+)([+-]\d+)?\}"|\{([a-z_0-9]+)([+-]\d+)?\}`)
	unfilled = regexp.MustCompile(`\{[a-z_0-9]+\}`)
)

// fill writes the values into text; names that nobody saved stay.
func (v *values) fill(text string) string {
	return named.ReplaceAllStringFunc(text, func(all string) string {
		m := named.FindStringSubmatch(all)
		name, by := m[1]+m[3], 0
		if step := m[2] + m[4]; step != "" {
			by, _ = strconv.Atoi(step)
		}
		if value, ok := v.value(name, by); ok {
			return value
		}
		return all
	})
}

func (v *values) value(name string, by int) (string, bool) {
	switch name {
	case "day":
		return v.now().AddDate(0, 0, by).Format(time.DateOnly), true
	case "now":
		return fmt.Sprint(v.now().Unix() + int64(by)), true
	case "now_ms":
		return fmt.Sprint(v.now().UnixMilli() + int64(by)), true
	case "n":
		return strconv.Itoa(v.n + by), true
	}
	value, ok := v.saved[name]
	if n, err := strconv.Atoi(value); err == nil && by != 0 {
		value = strconv.Itoa(n + by)
	}
	return value, ok
}

// fillValue is fill for a value of any type.
func (v *values) fillValue(value any) any {
	text, err := write(value)
	if err != nil {
		return value
	}
	d := json.NewDecoder(strings.NewReader(v.fill(text)))
	d.UseNumber()
	var filled any
	if d.Decode(&filled) != nil {
		return value
	}
	return filled
}

// write is value as JSON, with < and > as they are.
func write(value any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// body is a step's body on the line, and its content type.
func (v *values) body(of any) ([]byte, string, error) {
	switch b := of.(type) {
	case nil:
		return nil, "", nil
	case string:
		return []byte(v.fill(b)), "application/json", nil
	case []byte:
		return b, "application/json", nil
	case form:
		return v.form(b)
	}
	text, err := write(of)
	return []byte(v.fill(text)), "application/json", err
}

func (v *values) form(fields form) ([]byte, string, error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		name := fields[i].(string)
		data, isFile := fields[i+1].([]byte)
		if !isFile {
			if err := w.WriteField(name, v.fill(fields[i+1].(string))); err != nil {
				return nil, "", err
			}
			continue
		}
		part, err := w.CreateFormFile(name, "file")
		if err != nil {
			return nil, "", err
		}
		if _, err := part.Write(data); err != nil {
			return nil, "", err
		}
	}
	err := w.Close()
	return b.Bytes(), w.FormDataContentType(), err
}

type absence struct{}

// missing is what at gives for a path that is not there.
var missing any = absence{}

// at reads a path such as data[0].name; [last] is the last entry. "" is the whole.
func at(value any, path string) any {
	for part := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		index, isIndex := strings.CutPrefix(part, "[")
		switch {
		case part == "":
		case isIndex:
			value = entry(value, strings.TrimSuffix(index, "]"))
		default:
			fields, _ := value.(object)
			inner, ok := fields[part]
			if !ok {
				return missing
			}
			value = inner
		}
	}
	return value
}

func entry(value any, index string) any {
	list, _ := value.([]any)
	i, err := strconv.Atoi(index)
	if index == "last" {
		i, err = len(list)-1, nil
	}
	if err != nil || i < 0 || i >= len(list) {
		return missing
	}
	return list[i]
}

// flat writes a value so that equal values are equal texts.
func flat(value any) string {
	if value == missing {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
