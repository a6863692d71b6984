package audience

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/population"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

const (
	purpose    = "custom_audience"
	maxColumns = 64
)

// upload takes a multipart field file, CSV or plain text, with the purpose
// custom_audience (service facts 6). The file is read and matched at once, so
// that nothing it said has to be kept.
func (r *Room) upload(c *service.Call) (any, error) {
	if c.Points.Is(openpoint.AudienceUploads, "absent") {
		return nil, wire.NotFoundf("Invalid URL (%s %s)", c.Request.Method, c.Request.URL.Path)
	}
	data, err := readForm(c)
	if err != nil {
		return nil, err
	}
	switch {
	case len(data) == 0:
		return nil, wire.Invalidf("file", "invalid_file", "The file is empty.")
	case int64(len(data)) > r.maxFile:
		return nil, wire.Refusef(http.StatusRequestEntityTooLarge,
			"request_too_large", "file", "The file is larger than %d bytes.", r.maxFile)
	case bytes.IndexByte(data, 0) >= 0:
		return nil, wire.Invalidf("file", "invalid_file", "The file is not text; want CSV, or one identifier a line.")
	}
	file, err := readFile(data)
	if err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		file.ID, file.CreatedAt = tx.NewID("oaisdmntci_"), tx.Now.Unix()
		tx.Account.AudienceFiles.Put(tx, file)
		summary := file
		summary.Columns = nil // the log names the file, not what is in it
		tx.Record(world.Mutation{Action: "create", Resource: "audience_file", ResourceID: file.ID}, nil, summary)
		return nil
	})
	return map[string]string{"file_id": file.ID}, err
}

func readForm(c *service.Call) ([]byte, error) {
	fields, err := wire.ReadForm(c.Request.Header.Get("Content-Type"),
		c.Body, c.Points.Is(openpoint.FormNames, "quoted"), "file", "purpose")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"file", "purpose"} {
		if _, ok := fields[name]; !ok {
			return nil, wire.Invalidf(name, "missing_required_parameter", "Missing required parameter: '%s'.", name)
		}
	}
	if string(fields["purpose"]) != purpose {
		return nil, wire.Invalidf("purpose", "invalid_value", "Invalid 'purpose': want '%s'.", purpose)
	}
	return fields["file"], nil
}

// readFile reads and matches every cell. assumption: the layout is not published;
// it is comma-separated, one person a line, and a first line with the name of an
// identifier type names the columns. Blank cells count for nothing, and a cell
// that a column has already counts once.
func readFile(data []byte) (world.AudienceFile, error) {
	sum := sha256.Sum256(data)
	f := world.AudienceFile{Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	lines := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	lines.FieldsPerRecord, lines.LazyQuotes, lines.ReuseRecord = -1, true, true
	seen := map[seenCell]bool{}
	for first := true; ; first = false {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil || len(line) > maxColumns {
			at, _ := lines.FieldPos(0)
			return f, wire.Invalidf("file", "invalid_file",
				"Line %d of the file cannot be read; want at most %d cells separated by commas.", at, maxColumns)
		}
		if first && takeHeader(&f, line) {
			continue
		}
		for i, text := range line {
			takeCell(&f, seen, i, text)
		}
	}
}

// takeHeader reports whether a line names columns, and takes the names.
func takeHeader(f *world.AudienceFile, line []string) bool {
	for _, text := range line {
		name := columnName(text)
		f.Named = f.Named || name != ""
		f.Columns = append(f.Columns, world.AudienceColumn{Name: name})
	}
	if !f.Named {
		f.Columns = nil
	}
	return f.Named
}

type seenCell struct {
	column int
	shape  population.Shape
	hash   population.Hash
}

func takeCell(f *world.AudienceFile, seen map[seenCell]bool, column int, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	for len(f.Columns) <= column {
		f.Columns = append(f.Columns, world.AudienceColumn{})
	}
	shape, hash := population.Read(text)
	this := seenCell{column, shape, hash}
	if shape != population.Unreadable && seen[this] {
		return
	}
	seen[this] = true
	f.Columns[column].Cells = appendCell(f.Columns[column].Cells, newCell(shape, hash))
}
