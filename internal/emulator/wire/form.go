package wire

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"regexp"
	"slices"
	"sync"
)

// The parameters of a part, quoted as RFC 7578 writes them.
var (
	quotedName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^form-data\s*;(?:.*;)?\s*name="((?:[^"\\]|\\.)*)"`)
	})
	quotedFileName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i);\s*filename="((?:[^"\\]|\\.)*)"`)
	})
)

// ReadForm reads a multipart body whose fields have the given names; `file` is the
// file. With quoted it knows what a strict parser knows: a name without quotes is no
// name, and a file without a quoted file name is no file.
func ReadForm(contentType string, body []byte, quoted bool, names ...string) (map[string][]byte, error) {
	kind, params, _ := mime.ParseMediaType(contentType)
	if kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, Invalidf("", "invalid_form", "Want a multipart body with a boundary.")
	}
	fields := map[string][]byte{}
	for form := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, nil
		}
		var value []byte
		if err == nil {
			value, err = io.ReadAll(part)
		}
		if err != nil {
			return nil, Invalidf("", "invalid_form", "The multipart body is damaged: %v.", err)
		}
		name, err := nameOf(part, quoted)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			return nil, Invalidf(name, "unknown_parameter", "Unknown parameter: '%s'.", name)
		}
		fields[name] = value
	}
}

func nameOf(part *multipart.Part, quoted bool) (string, error) {
	name := part.FormName()
	if !quoted {
		return name, nil
	}
	disposition := part.Header.Get("Content-Disposition")
	switch {
	case !quotedName().MatchString(disposition):
		return "", Invalidf("", "invalid_form", "The multipart body has a part without a name.")
	case name == "file" && !quotedFileName().MatchString(disposition):
		return "", Invalidf("file", "invalid_form", "'file' has no file name; it is a field and not a file.")
	}
	return name, nil
}
