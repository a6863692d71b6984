package emulator_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/emulator/population"
	"adsync/internal/testing/emulatortest"
)

// crowd is an emulator whose clock stands still, for custom audiences.
type crowd struct{ *emulatortest.Service }

func newCrowd(t testing.TB, change ...func(*emulator.Options)) crowd {
	t.Helper()
	return crowd{emulatortest.Start(t, append([]func(*emulator.Options){stopped}, change...)...)}
}

// noSmall is an account without small audiences.
func noSmall(o *emulator.Options) { o.Accounts[0].Features.SmallAudiences = false }

// points sets open points beside a stopped clock.
func points(t testing.TB, text string) func(*emulator.Options) {
	return emulatortest.WithPoints(t, text)
}

// upload sends an audience file.
func (w crowd) upload(t testing.TB, text string, fields ...string) emulatortest.Reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if len(fields) == 0 {
		fields = []string{"purpose", "custom_audience"}
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.WriteField(fields[i], fields[i+1])
	}
	part, err := form.CreateFormFile("file", "people.csv")
	if err != nil {
		t.Fatal(err)
	}
	part.Write([]byte(text))
	form.Close()
	return w.Do(t, "POST", "/uploads", body.Bytes(), "Content-Type", form.FormDataContentType())
}

func (w crowd) file(t testing.TB, text string) string {
	t.Helper()
	id, _ := w.upload(t, text).Map(t)["file_id"].(string)
	if !strings.HasPrefix(id, "oaisdmntci_") {
		t.Fatalf("upload of %q gives the file id %q", text[:min(20, len(text))], id)
	}
	return id
}

// people are the identifiers of one kind of persons from to before to, one a line.
func people(kind population.Kind, from, to int) string {
	var lines strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintln(&lines, population.Identifier(kind, n))
	}
	return lines.String()
}

func fileBody(name, fileID, text string) object {
	return object{
		"name": name, "file_id": fileID, "filename": "people.csv", "mimetype": "text/csv", "file_size": len(text),
	}
}

// fromFile makes an audience of e-mail addresses and waits for its publication.
func (w crowd) fromFile(t testing.TB, text string) string {
	t.Helper()
	id := w.Must(t, "POST", "/custom_audiences", fileBody("From a file", w.file(t, text), text)).ID(t)
	w.Advance(t, 4)
	return id
}

// empty makes an empty audience and waits for its publication.
func (w crowd) empty(t testing.TB) string {
	t.Helper()
	id := w.Must(t, "POST", "/custom_audiences", `{"name":"Empty"}`).ID(t)
	w.Advance(t, 4)
	return id
}

func inline(kind string, identifiers ...string) object {
	var all []object
	for _, each := range identifiers {
		all = append(all, object{"identifier_type": kind, "identifier": each})
	}
	return object{"identifiers": all}
}

// start begins a membership operation and gives its id.
func (w crowd) start(t testing.TB, audience, kind, key string, body any) string {
	t.Helper()
	r := w.Must(t, "POST", "/custom_audiences/"+audience+"/"+kind, body, "Idempotency-Key", key)
	return fmt.Sprint(r.Map(t)["operation_id"])
}

// state is one field of an audience.
func (w crowd) state(t testing.TB, audience, field string) string {
	t.Helper()
	return fmt.Sprint(w.Must(t, "GET", "/custom_audiences/"+audience, nil).Map(t)[field])
}

// counted is what the service counts of an audience.
type counted struct{ Uploaded, Invalid, Matched, Users, Revision int64 }

func (w crowd) counts(t testing.TB, audience string) counted {
	t.Helper()
	w.Must(t, "GET", "/custom_audiences/"+audience, nil)
	a := w.World().Account(emulatortest.AccountID)
	var c counted
	if err := a.View(func() error {
		d, _ := a.Audiences.Get(audience)
		c = counted{d.Uploaded, d.Invalid, d.Matched, d.Users, d.Revision}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return c
}
