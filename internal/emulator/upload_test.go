package emulator_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"

	"adsync/internal/testing/emulatortest"
)

func pngOf(w, h int) []byte {
	var b bytes.Buffer
	png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)))
	return b.Bytes()
}

func jpegOf(w, h int) []byte {
	var b bytes.Buffer
	jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil)
	return b.Bytes()
}

func gifOf(w, h int) []byte {
	var b bytes.Buffer
	gif.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil)
	return b.Bytes()
}

// form is a multipart body with the fields in turn, and its content type.
func form(t *testing.T, fields ...any) ([]byte, string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		name := fields[i].(string)
		var err error
		switch v := fields[i+1].(type) {
		case string:
			err = w.WriteField(name, v)
		case []byte:
			part, e := w.CreateFormFile(name, "x.png")
			if err = e; err == nil {
				_, err = part.Write(v)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

func TestUploadForm(t *testing.T) {
	s := emulatortest.Start(t)
	rows := []struct {
		name   string
		fields []any
		want   refusal
	}{
		{"PNG of 640 by 640", []any{"file", pngOf(640, 640)}, fine},
		{"JPEG", []any{"file", jpegOf(640, 641)}, fine},
		{"639 wide", []any{"file", pngOf(639, 640)}, bad("image_too_small", "file")},
		{"639 high", []any{"file", pngOf(640, 639)}, bad("image_too_small", "file")},
		{"WebP that is small", []any{"file", tinyWebP(t)}, bad("image_too_small", "file")},
		{"GIF", []any{"file", gifOf(640, 640)}, bad("invalid_image", "file")},
		{"no image", []any{"file", []byte("hello")}, bad("invalid_image", "file")},
		{"cut PNG", []any{"file", pngOf(640, 640)[:900]}, bad("invalid_image", "file")},
		{"no file", []any{"purpose", "account_favicon"}, bad("missing_required_parameter", "file")},
		{"favicon of 128", []any{"file", pngOf(128, 128), "purpose", "account_favicon"}, fine},
		{"favicon of 127", []any{"file", pngOf(127, 128), "purpose", "account_favicon"},
			bad("image_too_small", "file")},
		{"unknown purpose", []any{"file", pngOf(640, 640), "purpose", "ad"}, bad("invalid_value", "purpose")},
		{"unknown field", []any{"file", pngOf(640, 640), "title", "x"}, bad("unknown_parameter", "title")},
	}
	for _, row := range rows {
		body, kind := form(t, row.fields...)
		expect(t, "upload: "+row.name, s.Do(t, "POST", "/upload", body, "Content-Type", kind), row.want)
	}
}

func TestUploadByAddress(t *testing.T) {
	images := map[string][]byte{"/good.png": pngOf(640, 640), "/small.png": pngOf(10, 10), "/page": []byte("<html>")}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://192.0.2.1/x.png", http.StatusFound)
			return
		}
		if images[r.URL.Path] == nil {
			w.WriteHeader(404)
		}
		w.Write(images[r.URL.Path])
	}))
	defer host.Close()
	s := emulatortest.Start(t)
	rows := []struct {
		address string
		want    refusal
	}{
		{host.URL + "/good.png", fine},
		{host.URL + "/small.png", bad("image_too_small", "file")},
		{host.URL + "/page", bad("invalid_image", "file")},
		{host.URL + "/none.png", bad("image_not_found", "image_url")},
		{host.URL + "/away", refusal{503, "image_fetch_failed", "image_url"}},
		{"https://images.example.com/any.png", fine},
		{"https://images.example.com/missing/any.png", bad("image_not_found", "image_url")},
		{"ftp://images.example.com/any.png", bad("invalid_url", "image_url")},
	}
	for _, row := range rows {
		expect(t, "upload of "+row.address, s.Do(t, "POST", "/upload", object{"image_url": row.address}), row.want)
	}
	expect(t, "upload of nothing", s.Do(t, "POST", "/upload", object{}), bad("missing_required_parameter", "image_url"))
}

func TestFilesBelongToOneAccount(t *testing.T) {
	s := emulatortest.Start(t, twoAccounts)
	w := newTree(t, s)
	foreign := s.Must(t, "POST", "/upload", object{"image_url": "https://images.example.com/x.png"},
		"Authorization", "Bearer sk-other").Map(t)["file_id"]
	expect(t, "foreign file", s.Do(t, "POST", "/ads", emulatortest.AdBody(w.adGroup, "Hero", foreign.(string))),
		bad("file_not_found", "creative.file_id"))
	body, kind := form(t, "file", pngOf(128, 128), "purpose", "account_favicon")
	icon := s.Must(t, "POST", "/upload", body, "Content-Type", kind).Map(t)["file_id"]
	expect(t, "favicon as a creative", s.Do(t, "POST", "/ads", emulatortest.AdBody(w.adGroup, "Hero", icon.(string))),
		bad("invalid_file", "creative.file_id"))
}

// tinyWebP is a whole lossless WebP image of 1 by 1 pixel.
func tinyWebP(t *testing.T) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// RFC 7578: names are quoted. What does without quotes is read where form_names says so.
func TestNamesOfAFormAreQuoted(t *testing.T) {
	quoted, token := `name="file"; filename="x.png"`, `name=file; filename=x.png`
	for _, row := range []struct {
		point, disposition string
		want               refusal
	}{
		{"quoted", quoted, fine},
		{"quoted", `filename="x.png"; name="file"`, fine},
		{"quoted", token, bad("invalid_form", "")},
		{"quoted", `name="file"; filename=x.png`, bad("invalid_form", "file")},
		{"quoted", `name="file"`, bad("invalid_form", "file")},
		{"quoted", `filename="a; name=\"file\""`, bad("invalid_form", "")},
		{"either", token, fine},
		{"either", quoted, fine},
	} {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, "form_names="+row.point))
		body := "--b\r\nContent-Disposition: form-data; " +
			row.disposition + "\r\nContent-Type: image/png\r\n\r\n" + string(pngOf(640, 640)) + "\r\n--b--\r\n"
		expect(t, row.point+": "+row.disposition,
			s.Do(t, "POST", "/upload", []byte(body), "Content-Type", "multipart/form-data; boundary=b"), row.want)
	}
}
