package look

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"

	"adsync/internal/resultcopy"
	"adsync/internal/xlsx"

	"github.com/xuri/excelize/v2"
)

// partsWriter keeps the parts of a workbook until all are there, and then writes
// each once, under the name the standard gives it. The library writes a part a
// second time, with a slash before its name, where a workbook's own relationships
// are absolute; the second is the one that holds.
type partsWriter struct {
	zip   *zip.Writer
	names []string
	parts map[string]*bytes.Buffer
	seals bool   // the workbook is a copy with results, which says how it was written
	links *Links // that are still to be put in; nil for none
}

// newPartsWriter returns a writer of the parts of a workbook.
func newPartsWriter(w io.Writer) *partsWriter {
	return &partsWriter{zip: zip.NewWriter(w), parts: map[string]*bytes.Buffer{}}
}

// NewWriter returns a writer of parts with the links. seals has their sum show when another program saved them.
func (l *Links) NewWriter(seals bool) func(io.Writer) excelize.ZipWriter {
	return func(w io.Writer) excelize.ZipWriter {
		p := newPartsWriter(w)
		p.seals, p.links = seals, l
		return p
	}
}

// Create returns what a part is written to.
func (p *partsWriter) Create(name string) (io.Writer, error) {
	name = strings.TrimPrefix(name, "/")
	if p.parts[name] == nil {
		p.names = append(p.names, name)
	}
	p.parts[name] = &bytes.Buffer{}
	return p.parts[name], nil
}

// AddFS is never called for a workbook.
func (p *partsWriter) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close writes the parts, those that say what the others are first.
func (p *partsWriter) Close() error {
	slices.SortStableFunc(p.names, func(a, b string) int { return partRank(a) - partRank(b) })
	for name, part := range p.parts {
		p.parts[name] = p.links.fill(part)
	}
	if p.seals {
		p.seal()
	}
	for _, name := range p.names {
		w, err := p.zip.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(p.parts[name].Bytes()); err != nil {
			return err
		}
	}
	return p.zip.Close()
}

// seal writes the sum of all other parts into the part that has room for it.
func (p *partsWriter) seal() {
	var lines []string
	sealed := ""
	for _, name := range p.names {
		content := p.parts[name].Bytes()
		if bytes.Contains(content, []byte(resultcopy.Unsealed)) {
			sealed = name
			continue
		}
		lines = append(lines, xlsx.PartLine(name, uint64(len(content)), crc32.ChecksumIEEE(content)))
	}
	if sealed == "" {
		return
	}
	sum := []byte(xlsx.SumOfParts(lines))
	p.parts[sealed] = bytes.NewBuffer(bytes.ReplaceAll(p.parts[sealed].Bytes(), []byte(resultcopy.Unsealed), sum))
}

func partRank(name string) int {
	return slices.Index([]string{"_rels/.rels", "[Content_Types].xml"}, name) * -1
}
