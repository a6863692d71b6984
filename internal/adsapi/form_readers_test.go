package adsapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readPart is a part of a form as a parser that is not Go's has read it.
type readPart struct {
	Name     string `json:"name"`
	FileName string `json:"filename"`
	Type     string `json:"type"`
	Sum      string `json:"sum"`
}

// formReaders read a form from standard input; its content type is their last argument.
var formReaders = map[string][]string{
	"python's email": {"/usr/bin/python3", "testdata/form_email.py"},
	"busboy":         {"node", "testdata/form_busboy.js"},
}

func readForm(t *testing.T, reader []string, contentType string, body []byte) []readPart {
	t.Helper()
	command := exec.CommandContext(t.Context(), reader[0], append(reader[1:], contentType)...)
	command.Stdin = bytes.NewReader(body)
	command.Env = append(os.Environ(), "NODE_PATH=/usr/share/nodejs") // where Debian has the modules of npm
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", reader[0], err, out)
	}
	var read struct {
		Parts   []readPart `json:"parts"`
		Defects []string   `json:"defects"`
	}
	if err := json.Unmarshal(out, &read); err != nil || len(read.Defects) > 0 {
		t.Fatalf("%s printed %s (%v); want the parts, and no defect", reader[0], out, err)
	}
	return read.Parts
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// The names of files people have, and what is sent of them: never anything that one
// parser reads otherwise than another.
var hostileNames = map[string]string{
	"picture.png":                           "picture.png",
	`sum"mer".png`:                          "sum_mer_.png",
	"a\r\nContent-Type: text/html\r\n.png":  "html__.png",
	"über größe.png":                        "_ber gr__e.png",
	"写真.png":                                "__.png",
	`C:\pictures\summer.png`:                "summer.png",
	`trailing\`:                             "trailing",
	"a;name=purpose.png":                    "a_name=purpose.png",
	"%22.png":                               "_22.png",
	"'; filename*=UTF-8''x.png":             "'_ filename*=UTF-8''x.png",
	"..":                                    "image",
	"":                                      "image",
	strings.Repeat("long", 1000) + ".png":   strings.Repeat("long", 1000)[4000-251:] + ".png",
	"tab\tnul\x00bell\x07 backspace\b.png":  "tab_nul_bell_ backspace_.png",
	"half a character \xff\xfe of utf8.png": "half a character __ of utf8.png",
}

// RFC 7578: the names of parts and files are quoted. A form is read alike by parsers
// that are not Go's, whatever the file of the user is called.
func TestAFormIsReadAlikeByEveryParser(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	images := map[string][]byte{
		"image/png":  []byte(pngHead + "\r\n--adsync-\x00\xff\r\n"),
		"image/jpeg": []byte("\xff\xd8\xff\xe0\x00\x10JFIF\r\n--\r\n"),
		"image/webp": []byte("RIFF\x24\x00\x00\x00WEBPVP8 \n"),
	}
	for label, reader := range formReaders {
		t.Run(label, func(t *testing.T) {
			for name, sent := range hostileNames {
				contentType, body, err := encodeUpload(name, images["image/png"], "")
				if err != nil {
					t.Fatal(err)
				}
				got := readForm(t, reader, contentType, body)
				want := []readPart{{Name: "file", FileName: sent, Type: "image/png", Sum: sumOf(images["image/png"])}}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the form of %q (-want +got):\n%s", name, diff)
				}
			}
			for kind, image := range images {
				contentType, body, err := encodeUpload("a", image, "")
				if err != nil {
					t.Fatal(err)
				}
				if got := readForm(t, reader, contentType, body); len(got) != 1 ||
					got[0].Type != kind || got[0].Sum != sumOf(image) {
					t.Errorf("the form of a file of type %s was read as %+v", kind, got)
				}
			}
		})
	}
}

// A file of people goes with its purpose, and both have names.
func TestAFormOfPeopleIsReadAlikeByEveryParser(t *testing.T) {
	people := []byte(strings.Repeat(strings.Repeat("ab", 32)+"\n", 1000))
	w := &wire{answers: []answer{{status: 200, body: `{"file_id":"f"}`}}}
	if _, err := clientOf(t, w).UploadMembers(t.Context(), people); err != nil {
		t.Fatal(err)
	}
	sent := w.requests()[0]
	for label, reader := range formReaders {
		got := map[string]readPart{}
		for _, p := range readForm(t, reader, sent.header.Get("Content-Type"), []byte(sent.body)) {
			got[p.Name] = p
		}
		file, purpose := got["file"], got["purpose"]
		if len(got) != 2 || purpose.Sum != sumOf([]byte("custom_audience")) || purpose.FileName != "" {
			t.Errorf("%s read the parts %+v; want file and purpose", label, got)
		}
		if file.FileName != "members.txt" || file.Type != "text/plain" || file.Sum != sumOf(people) {
			t.Errorf("%s read the file as %+v; want members.txt, text/plain, and what was sent", label, file)
		}
	}
}

// Parsers that know quoted names alone find all of them.
func TestEveryNameOfAFormIsQuoted(t *testing.T) {
	want := regexp.MustCompile(`^form-data; name="[a-z]+"(; filename="[ -~]+")?$`)
	for name := range hostileNames {
		_, body, err := encodeUpload(name, []byte(pngHead), "")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(body), "\r\n") {
			said, ok := strings.CutPrefix(line, "Content-Disposition: ")
			if ok && !want.MatchString(said) {
				t.Errorf("a part of %q is %s; want its names quoted", name, said)
			}
		}
	}
}
