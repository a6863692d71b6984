package adsapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// bodies are answers, good and bad, that the fuzzers begin with.
var bodies = []string{
	``, `{}`, `null`, `[]`, `{"id":"a"}`, `{"id":7,"ID":"b"}`, `{"id":{}}`,
	`{"object":"list","data":[{"id":"a"}],"first_id":"a","last_id":"a","has_more":true}`,
	`{"data":[{"operation_id":"1","status":"created","retryable":"1","retry_after_seconds":-1e300}],"has_more":false,"complete":true,"error":""}`,
	`{"error":{"message":"m","code":3,"param":null}}`,
	`{"error":"x"}`, `<html>`, "{\"id\":\"\xff\"}", `{"id":"a","of":{"id":"b"}}`, `{"id":"a","iD":"b"}`,
	`{"id":"a\"b"}`, `{"id":"","name":"a"}`, `{"validate_only":true,"a":{"validate_only":false}}`,
}

func FuzzDecode(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if record, err := decodeRecord(body, "", true); err == nil && (record.ID == "" || !json.Valid(record.JSON)) {
			t.Errorf("decodeRecord(%q) = %+v; want an id and JSON", body, record)
		}
		// a name may be written in escapes
		if id := leadingID(body); id != "" && json.Valid(body) && !bytes.Contains(body, []byte(`\u`)) {
			if record, err := decodeRecord(body, "", true); err != nil || record.ID != id {
				t.Errorf("leadingID(%q) = %q; decodeRecord gives %q, %v", body, id, record.ID, err)
			}
		}
		if p, err := decodePage(body, 2, true); err == nil {
			if p.hasMore && p.lastID == "" || slices.ContainsFunc(p.records, func(r Record) bool {
				return r.ID == ""
			}) {
				t.Errorf("decodePage(%q) = %+v; want a cursor and ids", body, p)
			}
		}
		if p, err := decodeOperations(body); err == nil {
			if p.HasMore && p.Complete && len(p.Results) == 0 ||
				slices.ContainsFunc(p.Results, func(r OperationResult) bool { return r.OperationID == "" }) {
				t.Errorf("decodeOperations(%q) = %+v; want results with ids", body, p)
			}
		}
		if job, err := decodeJob(body, ""); err == nil && job.ID == "" {
			t.Errorf("decodeJob(%q) has no id", body)
		}
		if account, err := decodeAccount(body); err == nil && account.ID == "" {
			t.Errorf("decodeAccount(%q) has no id", body)
		}
		if id, err := decodeUpload(body); err == nil && id == "" {
			t.Errorf("decodeUpload(%q) has no id", body)
		}
	})
}

func FuzzRefusal(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		said := clean(decodeRefusal("text/html", body).message, 50)
		if !utf8.ValidString(said) || strings.ContainsFunc(said, unicode.IsControl) ||
			utf8.RuneCountInString(said) > 50*10 {
			t.Errorf("message of %q is %q; want one short line", body, said)
		}
	})
}

// No reader of JSON may see anything but true where saysValidateOnly agrees.
func FuzzSaysValidateOnly(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !saysValidateOnly(body) {
			return
		}
		var folding struct {
			ValidateOnly *bool `json:"validate_only"`
		}
		var exact map[string]any
		if json.Unmarshal(body, &folding) != nil || json.Unmarshal(body, &exact) != nil {
			t.Fatalf("saysValidateOnly(%q) = true of what cannot be read", body)
		}
		if folding.ValidateOnly == nil || !*folding.ValidateOnly || exact["validate_only"] != true {
			t.Fatalf("saysValidateOnly(%q) = true; a reader sees %v and %v",
				body, folding.ValidateOnly, exact["validate_only"])
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, text := range []string{"7", "-1", "1e9", "Sun, 01 Mar 2026 12:00:30 GMT", "0x10", "inf"} {
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, after, date string) {
		got := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}}, time.Unix(1e9, 0))
		if got < 0 {
			t.Errorf("retryAfter(%q, %q) = %s; want none below 0", after, date, got)
		}
	})
}
