package ads

import (
	"mime"
	"net/http"

	"adsync/internal/emulator/images"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

const (
	favicon     = "account_favicon"
	faviconSide = 128 // pixels; two published pages say 128 and 256
)

// uploads takes images.
type uploads struct{ images *images.Source }

func (r uploads) routes() []service.Route {
	return []service.Route{{
		Method: http.MethodPost, Pattern: "/upload", Auth: service.Write,
		Body: service.AnyBody, MaxBody: images.MaxBytes + 1<<20, Handle: r.upload,
	}}
}

// upload takes a multipart field file, or JSON with image_url; both may carry purpose.
func (r uploads) upload(c *service.Call) (any, error) {
	kind, _, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	var file world.File
	var err error
	if kind == "multipart/form-data" {
		file, err = readForm(c)
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

func readForm(c *service.Call) (world.File, error) {
	fields, err := wire.ReadForm(c.Request.Header.Get("Content-Type"),
		c.Body, c.Points.Is(openpoint.FormNames, "quoted"), "file", "purpose")
	if err != nil {
		return world.File{}, err
	}
	data, found := fields["file"]
	if !found {
		return world.File{}, wire.Invalidf("file", "missing_required_parameter", "Missing required parameter: 'file'.")
	}
	purpose := string(fields["purpose"])
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
	return 0, wire.Invalidf("purpose", "invalid_value",
		"Invalid value: '%s'. Supported values for 'purpose' are: '%s'.", purpose, favicon)
}

func (r uploads) readImageURL(c *service.Call) (world.File, error) {
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
