package adsapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	escaped "html"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"adsync/internal/pattern"
)

// encodeUpload builds the body of an image upload: a multipart form with the field
// `file` (interface, part 4), and its purpose where it is no creative's (service
// facts, 6). The same name and image give the same bytes,
// so that the journal can hold their hash. Of filename only the last element
// is sent.
func encodeUpload(filename string, image []byte, purpose string) (contentType string, body []byte, err error) {
	if len(image) == 0 {
		return "", nil, errors.New("image is empty; want JPEG, PNG or WebP")
	}
	return encodeForm(formFile{baseName(filename), http.DetectContentType(image), image}, withPurpose(nil, purpose))
}

// formFile is the file of a form.
type formFile struct {
	name, contentType string
	content           []byte
}

// encodeForm builds a multipart form of a file and further fields.
func encodeForm(file formFile, fields map[string]string) (contentType string, body []byte, err error) {
	hash := sha256.Sum256(file.content)
	var form bytes.Buffer
	form.Grow(len(file.content) + 1024)
	writer := multipart.NewWriter(&form)
	if err := writer.SetBoundary("adsync-" + hex.EncodeToString(hash[:24])); err != nil {
		return "", nil, fmt.Errorf("set boundary: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := writer.WriteField(name, fields[name]); err != nil {
			return "", nil, fmt.Errorf("write form: %w", err)
		}
	}
	part, err := writer.CreatePart(textproto.MIMEHeader{
		// quoted, as all parsers want (RFC 7578)
		"Content-Disposition": {multipart.FileContentDisposition("file", file.name)},
		"Content-Type":        {file.contentType},
	})
	if err != nil {
		return "", nil, fmt.Errorf("begin form: %w", err)
	}
	if _, err := part.Write(file.content); err != nil {
		return "", nil, fmt.Errorf("write form: %w", err)
	}
	if err := writer.Close(); err != nil {
		return "", nil, fmt.Errorf("end form: %w", err)
	}
	return writer.FormDataContentType(), form.Bytes(), nil
}

// maxFileName is the longest name of a file that is sent. The service publishes no
// limit for images; 255 is that of the files of people (service facts, 8.2).
const maxFileName = 255

// baseName returns the last element of a path of any system, in characters that
// every server reads alike, and of a long one its end, which has the extension.
func baseName(filename string) string {
	name := path.Base(strings.ReplaceAll(filename, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"%;`, r) {
			return '_'
		}
		return r
	}, name)
	if name == "." || name == ".." || name == "/" {
		return "image"
	}
	return name[max(0, len(name)-maxFileName):]
}

// withPurpose returns fields with what a file is uploaded for, which a creative's does not say.
func withPurpose(fields map[string]string, purpose string) map[string]string {
	if purpose == "" {
		return fields
	}
	all := map[string]string{"purpose": purpose}
	maps.Copy(all, fields)
	return all
}

// Upload sends an image: POST /upload. The service has no key for it. One that was
// cut off goes again all the same: it costs a file nobody uses at most.
func (c *Client) Upload(ctx context.Context, filename string, image []byte, purpose string) (fileID string, err error) {
	contentType, body, err := encodeUpload(filename, image, purpose)
	if err != nil {
		return "", refuse(http.MethodPost, "/upload", err)
	}
	return c.upload(ctx, "/upload", contentType, body)
}

// UploadURL lets the service fetch an image: POST /upload with image_url. It goes
// again as Upload does.
func (c *Client) UploadURL(ctx context.Context, imageURL, purpose string) (fileID string, err error) {
	body, err := json.Marshal(withPurpose(map[string]string{"image_url": imageURL}, purpose))
	if err != nil {
		return "", refuse(http.MethodPost, "/upload", err)
	}
	return c.upload(ctx, "/upload", "application/json", body)
}

func (c *caller) upload(ctx context.Context, path, contentType string, body []byte) (fileID string, err error) {
	e, err := parseEndpoint(path)
	if err != nil {
		return "", refuse(http.MethodPost, path, err)
	}
	r := request{method: http.MethodPost, endpoint: e, body: body, contentType: contentType, repeatable: true}
	err = c.do(ctx, r, func(body []byte) (err error) {
		fileID, err = decodeUpload(body)
		return err
	})
	return fileID, err
}

// errNoFileID is a whole answer that lacks the id of the file: sent again, the file
// would be there once more, and lack it again.
var errNoFileID = errors.New("it has no file_id; want one")

func decodeUpload(body []byte) (fileID string, err error) {
	var wire struct {
		FileID text `json:"file_id"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return "", err
	}
	if wire.FileID.value == "" {
		return "", errNoFileID
	}
	return wire.FileID.value, nil
}

// previewFrame has the address in the frame that a preview is (service facts, 4.4).
var previewFrame = pattern.Of(`<iframe[^>]*\ssrc\s*=\s*"([^"]+)"`)

const longestAddress = 1000

// Preview asks for the preview of a live ad: POST /ads/{id}/preview, which changes
// nothing. It returns the address of its frame, which whoever has it may open.
func Preview(ctx context.Context, c *Client, id string) (address string, err error) {
	route, err := JoinPath("ads", id, "preview")
	if err != nil {
		return "", refuse(http.MethodPost, "/ads", err)
	}
	e, err := parseEndpoint(route)
	if err != nil {
		return "", refuse(http.MethodPost, route, err)
	}
	err = c.do(ctx, request{method: http.MethodPost, endpoint: e, repeatable: true}, func(body []byte) (err error) {
		address, err = decodePreview(body)
		return err
	})
	return address, err
}

func decodePreview(body []byte) (string, error) {
	var wire struct {
		Data []struct {
			Body text `json:"body"`
		} `json:"data"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return "", err
	}
	for _, p := range wire.Data {
		m := previewFrame.FindStringSubmatch(p.Body.value)
		if m != nil && utf8.RuneCountInString(m[1]) <= longestAddress {
			return escaped.UnescapeString(m[1]), nil
		}
	}
	return "", errors.New("it has no frame with an address; want one")
}
