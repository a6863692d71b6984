package sources

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// smallestSide of an image, in pixels (interface, part 2, uploaded image).
const smallestSide = 640

var heldByService = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|file:[!-.0-~]+)$`)

// picture is a file of the tree an attribute names, once it is read.
type picture struct {
	value   resource.Value // "sha256:<hex>", written as its slash path
	finding *resource.Finding
}

// checkImage turns the path of an image into the hash of its bytes. An address
// stays as it is, and so does what export writes for an image whose file is not
// at hand: its content hash, or the service's id of it.
func (c *collection) checkImage(e *entry, v resource.Value) resource.Value {
	if strings.Contains(v.Text(), "://") || heldByService.MatchString(v.Text()) {
		return v
	}
	p := c.picture(v.Text(), v.Position)
	if p.finding != nil {
		finding := *p.finding
		if e.draft.imageLink != "" {
			finding.Hint = fmt.Sprintf("the cell links to %s; write that address if it is the image",
				diag.Printable(e.draft.imageLink))
		}
		c.report(e, v.Position, finding)
		return v
	}
	return p.value.At(v.Position)
}

func (c *collection) picture(name string, at diag.Position) picture {
	if _, _, stored := storedIn(name); stored {
		return picture{finding: &resource.Finding{
			Code: diag.BadFile, Message: fmt.Sprintf("image is %q; "+
				"want a file of its own, because the pictures of a workbook are numbered anew at each save", name),
			Hint: "save the picture beside the file",
		}}
	}
	slashPath, finding := c.tree.attachedPath(name, at.File())
	if finding != nil {
		return picture{finding: finding}
	}
	if p, read := c.images[slashPath]; read {
		return p
	}
	p := c.readPicture(name, slashPath, at)
	c.images[slashPath] = p
	return p
}

func (c *collection) readPicture(name, slashPath string, at diag.Position) picture {
	content, _, finding := c.tree.attach(name, at)
	if finding != nil {
		return picture{finding: finding}
	}
	if finding := badImage(fmt.Sprintf("image is %q", name), content); finding != nil {
		return picture{finding: finding}
	}
	return pictureOf(content, slashPath)
}

// pictureOf is a picture that is in order, and where it is read again.
func pictureOf(content []byte, from string) picture {
	sum := sha256.Sum256(content)
	return picture{value: resource.Text("sha256:" + hex.EncodeToString(sum[:])).As(from)}
}

// badImage says why the service would not take an image, nil where it would;
// called is the beginning of that sentence.
func badImage(called string, content []byte) *resource.Finding {
	width, height, err := imageSize(content)
	if err != nil {
		return badFile(fmt.Sprintf("%s: %s; want a JPEG, PNG or WebP file", called, err))
	}
	if width < smallestSide || height < smallestSide {
		return badFile(fmt.Sprintf("%s with %d by %d pixels; want at least %d by %d",
			called, width, height, smallestSide, smallestSide))
	}
	return nil
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
