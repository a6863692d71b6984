// Package attach judges the files that values refer to: images, and lists of people.
// picture.go says whether the service would take an image, image_read.go reads its bytes again,
// people.go reads a members file.
//
// Nothing of a person is in a problem; bytes that changed since they were read are an error.
package attach

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"os"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/draft"
)

// Picture is a file of the tree an attribute names, once it is read.
type Picture struct {
	Value         resource.Value // "sha256:<hex>", written as its slash path
	Finding       *resource.Finding
	width, height int // in pixels
}

// PictureOf returns the picture that a file holds, and where it is read again; called is
// the beginning of the sentence that says why it is none.
func PictureOf(called string, content []byte, from string) Picture {
	width, height, err := imageSize(content)
	if err != nil {
		return Picture{Finding: draft.BadFile(fmt.Sprintf("%s: %s; want a JPEG, PNG or WebP file", called, err))}
	}
	sum := sha256.Sum256(content)
	return Picture{resource.Text("sha256:" + hex.EncodeToString(sum[:])).As(from), nil, width, height}
}

// RefusedFor returns why the service would not take a picture for an attribute, nil
// where it would.
func (p Picture) RefusedFor(a *resource.Attribute, called string) *resource.Finding {
	if p.Finding != nil || int64(min(p.width, p.height)) >= a.Side {
		return p.Finding
	}
	return draft.BadFile(fmt.Sprintf("%s with %d by %d pixels; want at least %d by %d",
		called, p.width, p.height, a.Side, a.Side))
}

// imageSize reads the header of an image, by what its bytes say it is.
func imageSize(content []byte) (width, height int, err error) {
	switch {
	case bytes.HasPrefix(content, []byte("\x89PNG\r\n\x1a\n")):
		config, err := png.DecodeConfig(bytes.NewReader(content))
		return config.Width, config.Height, err
	case bytes.HasPrefix(content, []byte("\xff\xd8\xff")):
		config, err := jpeg.DecodeConfig(bytes.NewReader(content))
		return config.Width, config.Height, err
	case len(content) >= 30 && string(content[:4]) == "RIFF" && string(content[8:12]) == "WEBP":
		return webpSize(content)
	case bytes.HasPrefix(content, bounded.LFSPointer):
		return 0, 0, errors.New("it is a Git LFS pointer")
	}
	return 0, 0, errors.New(otherFormat(content))
}

// otherFormat names what the bytes are instead.
func otherFormat(content []byte) string {
	head := string(content[:min(len(content), 1024)])
	switch {
	case strings.HasPrefix(head, "GIF8"):
		return "it is a GIF"
	case strings.HasPrefix(head, "BM"):
		return "it is a BMP"
	case strings.HasPrefix(head, "II*\x00"), strings.HasPrefix(head, "MM\x00*"):
		return "it is a TIFF"
	case strings.HasPrefix(head, "\x01\x00\x00\x00") && len(head) >= 44 && head[40:44] == " EMF":
		return "it is an EMF drawing"
	case strings.HasPrefix(head, "\xd7\xcd\xc6\x9a"), strings.HasPrefix(head, "\x01\x00\x09\x00"):
		return "it is a WMF drawing"
	case strings.HasPrefix(head, "\x1f\x8b"):
		return "it is a compressed drawing (EMZ, WMZ or SVGZ)"
	case len(head) >= 12 && head[4:8] == "ftyp":
		return "it is a HEIC or AVIF image, or a film"
	case strings.HasPrefix(head, "%PDF-"):
		return "it is a PDF"
	case strings.Contains(head, "<svg"):
		return "it is an SVG drawing"
	}
	return "its bytes are of another format"
}

// webpSize reads the first chunk of a WebP file: lossy, lossless or extended
// (RFC 9649, section 2).
func webpSize(content []byte) (width, height int, err error) {
	body := content[20:]
	switch string(content[12:16]) {
	case "VP8 ":
		if !bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a}) {
			return 0, 0, errors.New("its first frame is damaged")
		}
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff),
			int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), nil
	case "VP8L":
		if body[0] != 0x2f {
			return 0, 0, errors.New("its first frame is damaged")
		}
		bits := binary.LittleEndian.Uint32(body[1:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
	case "VP8X":
		return int(uint24(body[4:])) + 1, int(uint24(body[7:])) + 1, nil
	}
	return 0, 0, errors.New("it is no WebP image that is known")
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }

const partMark = ".xlsx#"

// InWorkbook returns where a picture of a workbook is.
func InWorkbook(file, part string) string { return file + "#" + part }

// StoredIn takes apart what InWorkbook makes; false for the path of a file.
func StoredIn(where string) (file, part string, stored bool) {
	i := strings.LastIndex(strings.ToLower(where), partMark)
	if i < 0 || i+len(partMark) == len(where) {
		return "", "", false
	}
	return where[:i+len(partMark)-1], where[i+len(partMark):], true
}

// ImageText is how a file names an image: by its path or address, and one that
// lies in a workbook by its content, as there is no file to name.
func ImageText(v resource.Value) string {
	if _, _, stored := StoredIn(v.Written()); stored {
		return v.Text()
	}
	return v.Written()
}

// readImage reads a file, or one part of a workbook without reading the others.
func readImage(root *os.Root, slashPath, part string, b bounded.Limits) ([]byte, error) {
	if part == "" {
		content, _, err := bounded.ReadRegular(root, slashPath, b.AttachedBytes)
		return content, err
	}
	handle, err := bounded.OpenRegular(root, slashPath)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	about, err := handle.Stat()
	if err != nil {
		return nil, err
	}
	if about.Size() > b.WorkbookBytes {
		return nil, bounded.TooLarge("workbook", about.Size(), b.WorkbookBytes)
	}
	return xlsx.Part(handle, about.Size(), part, b.AttachedBytes)
}

// ImageEnding is the usual ending of a file of these bytes.
func ImageEnding(content []byte) string {
	switch {
	case content[0] == 0x89:
		return "png"
	case content[0] == 0xff:
		return "jpg"
	}
	return "webp"
}
