package adsapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

const pngHead = "\x89PNG\r\n\x1a\n"

func TestUploadIsAMultipartForm(t *testing.T) {
	image := []byte(pngHead + "\r\n--adsync-\x00\xff")
	var name, kind, purpose string
	var got []byte
	c, _ := serving(t, func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			respond(w, 400, `{"error":"`+err.Error()+`"}`)
			return
		}
		name, kind, purpose = header.Filename, header.Header.Get("Content-Type"), r.FormValue("purpose")
		got, _ = io.ReadAll(file)
		respond(w, 200, `{"file_id":"file_1"}`)
	})
	id, err := c.Upload(t.Context(), `C:\shots\sum"mer é.png`, image, "account_favicon")
	if err != nil || id != "file_1" || name != "sum_mer _.png" || kind != "image/png" || !bytes.Equal(got, image) {
		t.Fatalf("Upload = %q, %v; the service saw %q of type %q with %d bytes", id, err, name, kind, len(got))
	}
	if purpose != "account_favicon" {
		t.Errorf("the purpose is %q; want that of an icon", purpose)
	}
}

func TestEncodeUploadIsTheSameEachTime(t *testing.T) {
	type1, body1, err1 := encodeUpload("a/b.png", []byte(pngHead), "")
	type2, body2, err2 := encodeUpload("b.png", []byte(pngHead), "")
	if err1 != nil || err2 != nil || type1 != type2 || !bytes.Equal(body1, body2) {
		t.Fatalf("EncodeUpload gave %q %q and %q %q (%v, %v); want the same bytes",
			type1, body1, type2, body2, err1, err2)
	}
	w := &wire{answers: []answer{{status: 200, body: `{"file_id":"f"}`}}}
	if _, err := clientOf(t, w).Upload(t.Context(), "b.png", []byte(pngHead), ""); err != nil {
		t.Fatal(err)
	}
	if s := w.requests()[0]; s.body != string(body1) || s.header.Get("Content-Type") != type1 || s.key != "" {
		t.Fatalf("sent %q as %q, key %q; want the bytes of EncodeUpload and no key",
			s.body, s.header.Get("Content-Type"), s.key)
	}
}

func TestUploadWithoutAFileID(t *testing.T) {
	const cutOff = ``
	for _, body := range []string{`{}`, `{"file_id":""}`, `{"file_id":null}`, `{"id":"f"}`, cutOff} {
		times := 1
		if body == cutOff {
			times = 6
		}
		synctest.Test(t, func(t *testing.T) {
			w := &wire{answers: []answer{{status: 200, body: body}}}
			id, err := clientOf(t, w).Upload(t.Context(), "a.png", []byte("x"), "")
			if !errors.Is(err, ErrUnreadable) || AppliedOf(err) != Unknown || id != "" || len(w.requests()) != times {
				t.Errorf("Upload answered %q = %q, %v, %d requests; want unknown, sent %d times",
					body, id, err, len(w.requests()), times)
			}
		})
	}
}

func TestUploadOfNothing(t *testing.T) {
	if _, err := clientOf(t, &wire{}).Upload(t.Context(), "a.png", nil, ""); !errors.Is(err, errInvalidRequest) {
		t.Fatalf("Upload of an empty image = %v; want a refusal here", err)
	}
}

func TestAccount(t *testing.T) {
	for _, tc := range []struct {
		body string
		want Account
	}{
		{`{"id":"adacct_1","name":"Shop","status":"active","currency_code":"EUR","timezone":"Europe/Berlin","review":{}}`,
			Account{ID: "adacct_1", Name: "Shop", Status: "active", Currency: "EUR", TimeZone: "Europe/Berlin"}},
		{`{"id":"adacct_1","currency":"USD","time_zone":"UTC","name":null}`,
			Account{ID: "adacct_1", Currency: "USD", TimeZone: "UTC"}},
	} {
		tc.want.JSON = []byte(tc.body)
		got, err := clientOf(t, &wire{answers: []answer{{status: 200, body: tc.body}}}).Account(t.Context())
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("Account: %v (-want +got):\n%s", err, diff)
		}
	}
	if _, err := clientOf(t, &wire{answers: []answer{{status: 200, body: `{"name":"x"}`}}}).Account(t.Context()); !errors.Is(err, ErrUnreadable) {
		t.Errorf("Account without an id = %v; want unreadable", err)
	}
}

func TestAnswersThatAreNotResources(t *testing.T) {
	for path, body := range map[string]string{
		"/ad_account/spend_limit_windows/w/delete": `{"deleted":true}`,
		"/ad_account/daily_spend_limit":            `{"change":{}}`,
		"/ads/a/preview":                           `{"data":[]}`,
		"/custom_audiences/u/add":                  `{"id":"op"}`,
	} {
		record, err := clientOf(t, &wire{answers: []answer{{status: 200, body: body}}}).Mutate(t.Context(),
			Mutation{Path: path})
		if err != nil || string(record.JSON) != body {
			t.Errorf("Mutate(%s) = %s, %v; want %s", path, record.JSON, err, body)
		}
	}
}
