package adsapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Record is one resource as the service returned it. JSON is whole: fields
// this program does not know are kept.
type Record struct {
	ID   string
	JSON json.RawMessage
}

// decodeRecord reads a resource. wanted, when set, is the id it must have;
// an answer about another resource is no success.
func decodeRecord(body []byte, wanted string, needID bool) (Record, error) {
	var head struct {
		ID text `json:"id"`
	}
	if err := unmarshalObject(body, &head); err != nil {
		return Record{}, err
	}
	if needID && head.ID.value == "" {
		return Record{}, errors.New("it has no id; want a resource with an id")
	}
	if wanted != "" && head.ID.value != wanted {
		return Record{}, fmt.Errorf("its id is %q; want %q", head.ID.value, wanted)
	}
	return Record{ID: head.ID.value, JSON: json.RawMessage(body)}, nil
}

// decodeAs reads a resource whose id stands in a field of another name.
func decodeAs(body []byte, field, wanted string, needID bool) (Record, error) {
	if field == "id" {
		return decodeRecord(body, wanted, needID)
	}
	var fields map[string]json.RawMessage
	if err := unmarshalObject(body, &fields); err != nil {
		return Record{}, err
	}
	var id text
	if raw, ok := fields[field]; ok {
		if err := json.Unmarshal(raw, &id); err != nil {
			return Record{}, err
		}
	}
	if needID && id.value == "" {
		return Record{}, fmt.Errorf("it has no %s; want a resource with one", field)
	}
	return Record{ID: id.value, JSON: json.RawMessage(body)}, nil
}

// page is one page of a list.
type page struct {
	records []Record
	hasMore bool
	lastID  string
	policy  string // of a list of audiences: by what it was made
}

// decodePage reads a list envelope (interface, part 1). asked is the limit
// of the request: a page that is full and does not say whether it is the
// last one must not pass for the whole.
func decodePage(body []byte, asked int, needID bool) (page, error) {
	var envelope struct {
		Data    *[]json.RawMessage `json:"data"`
		HasMore flag               `json:"has_more"`
		LastID  text               `json:"last_id"`
		Policy  text               `json:"policy_revision"`
	}
	if err := unmarshalObject(body, &envelope); err != nil {
		return page{}, err
	}
	if envelope.Data == nil {
		return page{}, errors.New("it has no data; want a list")
	}
	if !envelope.HasMore.set && len(*envelope.Data) >= asked {
		return page{}, errors.New("it is a full page without has_more; want true or false")
	}
	p := page{hasMore: envelope.HasMore.value, lastID: envelope.LastID.value, policy: envelope.Policy.value}
	if p.hasMore && p.lastID == "" {
		return page{}, errors.New("has_more is true and last_id is absent; want the cursor of the next page")
	}
	p.records = make([]Record, len(*envelope.Data))
	for i, row := range *envelope.Data {
		record := Record{JSON: row}
		if record.ID = leadingID(row); record.ID == "" {
			var err error
			if record, err = decodeRecord(row, "", needID); err != nil {
				return page{}, fmt.Errorf("row %d of the page: %w", i+1, err)
			}
		}
		p.records[i] = record
	}
	return p, nil
}

// leadingID returns the id of a row, which is known to be JSON, where it is the first
// member, is plain and no other member anywhere has that name; else "". Accounts have
// as many rows as resources, and to read each for its id alone is a third of a page.
func leadingID(row []byte) string {
	rest, leads := bytes.CutPrefix(row, []byte(`{"id":"`))
	end := bytes.IndexByte(rest, '"')
	again := func(name string) bool { return bytes.Contains(rest[end:], []byte(name)) }
	odd := func(b byte) bool { return b < ' ' || b > '~' || b == '\\' }
	if !leads || end < 0 || slices.ContainsFunc(rest[:end], odd) ||
		slices.ContainsFunc([]string{`"id"`, `"ID"`, `"Id"`, `"iD"`}, again) {
		return ""
	}
	return string(rest[:end])
}

// refusal is what an answer that is not a success says.
type refusal struct{ message, code, field string }

// decodeRefusal reads the body of an error. Its shape is an open point
// (interface, part 7): {"error":{message,code,param}}, {"error":"text"},
// {"message":…}, plain text and HTML are all met.
func decodeRefusal(contentType string, body []byte) refusal {
	var envelope struct {
		Error   json.RawMessage `json:"error"`
		Message text            `json:"message"`
		Code    text            `json:"code"`
		Param   text            `json:"param"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return refusal{message: excerpt(contentType, body)}
	}
	said := refusal{message: envelope.Message.value, code: envelope.Code.value, field: envelope.Param.value}
	var inner struct {
		Message, Code, Param, Type text
	}
	var plain string
	switch {
	case json.Unmarshal(envelope.Error, &inner) == nil && inner.Message.value+inner.Code.value+inner.Type.value != "":
		said = refusal{message: inner.Message.value, code: inner.Code.value, field: inner.Param.value}
		if said.code == "" {
			said.code = inner.Type.value
		}
	case json.Unmarshal(envelope.Error, &plain) == nil && plain != "":
		said.message = plain
	}
	if said == (refusal{}) {
		said.message = excerpt(contentType, body)
	}
	return said
}

// excerpt is the beginning of a body that is not the service's JSON. The
// caller cuts and cleans it.
func excerpt(contentType string, body []byte) string {
	if strings.Contains(strings.ToLower(contentType), "html") {
		return "an HTML page: " + string(body)
	}
	return string(body)
}
