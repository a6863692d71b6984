package ads

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"adsync/internal/emulator/images"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

const (
	favicon     = "account_favicon"
	faviconSide = 128 // pixels; two published pages say 128 and 256
)

func (r *Room) uploadRoutes() []service.Route {
	return []service.Route{{
		Method: http.MethodPost, Pattern: "/upload", Auth: service.Write,
		Body: service.AnyBody, MaxBody: images.MaxBytes + 1<<20, Handle: r.upload,
	}}
}

// upload takes a multipart field file, or JSON with image_url; both may carry purpose.
func (r *Room) upload(c *service.Call) (any, error) {
	kind, params, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	var file world.File
	var err error
	if kind == "multipart/form-data" {
		file, err = readForm(c.Body, params["boundary"])
	} else {
		file, err = r.readImageURL(c)
	}
	if err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		file = AddFile(tx, file)
		return nil
	})
	return map[string]string{"file_id": file.ID}, err
}

// AddFile keeps an image and gives it an id.
func AddFile(tx *world.Tx, f world.File) world.File {
	f.ID = tx.NewID("file_")
	f.CreatedAt = tx.Now.Unix()
	tx.Account.Files.Put(tx, f)
	tx.Record(world.Mutation{Action: "create", Resource: "file", ResourceID: f.ID}, nil, f)
	return f
}

// FileOf is the record of an image, without an id yet.
func FileOf(img images.Image, purpose, source string) world.File {
	return world.File{
		Purpose: purpose, Format: img.Format, Width: img.Width, Height: img.Height,
		Size: img.Size, SHA256: img.SHA256, SourceURL: source,
	}
}

func readForm(body []byte, boundary string) (world.File, error) {
	if boundary == "" {
		return world.File{}, wire.Invalidf("", "invalid_form", "The multipart body has no boundary.")
	}
	var data []byte
	purpose, found := "", false
	for form := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		var value []byte
		if err == nil {
			value, err = io.ReadAll(part)
		}
		if err != nil {
			return world.File{}, wire.Invalidf("", "invalid_form", "The multipart body is damaged: %v.", err)
		}
		switch part.FormName() {
		case "file":
			data, found = value, true
		case "purpose":
			purpose = string(value)
		default:
			return world.File{}, wire.Invalidf(part.FormName(), "unknown_parameter", "Unknown parameter: '%s'.", part.FormName())
		}
	}
	if !found {
		return world.File{}, wire.Invalidf("file", "missing_required_parameter", "Missing required parameter: 'file'.")
	}
	side, err := leastSide(purpose)
	if err != nil {
		return world.File{}, err
	}
	img, err := images.Decode(data, side)
	return FileOf(img, purpose, ""), err
}

func leastSide(purpose string) (int, error) {
	switch purpose {
	case "":
		return images.MinSide, nil
	case favicon:
		return faviconSide, nil
	}
	return 0, wire.Invalidf("purpose", "invalid_value", "Invalid value: '%s'. Supported values for 'purpose' are: '%s'.", purpose, favicon)
}

func (r *Room) readImageURL(c *service.Call) (world.File, error) {
	o, err := c.Object()
	if err != nil {
		return world.File{}, err
	}
	o.Require("image_url")
	address := ReadURL(o, "image_url")
	purpose := o.Choice("purpose", favicon).V
	if err := o.Err(); err != nil {
		return world.File{}, err
	}
	side, err := leastSide(purpose)
	if err != nil {
		return world.File{}, err
	}
	img, err := r.images.Fetch(c.Context(), address, side)
	return FileOf(img, purpose, address), err
}
