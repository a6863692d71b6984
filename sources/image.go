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
		c.report(e, v.Position, *p.finding)
		return v
	}
	return p.value.At(v.Position)
}

func (c *collection) picture(name string, at diag.Position) picture {
	slashPath, finding := attachedPath(name, at.File)
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
	width, height, err := imageSize(content)
	if err != nil {
		return picture{finding: badFile(fmt.Sprintf("image is %q: %s; want a JPEG, PNG or WebP file", name, err))}
	}
	if width < smallestSide || height < smallestSide {
		return picture{finding: badFile(fmt.Sprintf("image is %q with %d by %d pixels; want at least %d by %d", name, width, height, smallestSide, smallestSide))}
	}
	sum := sha256.Sum256(content)
	return picture{value: resource.Text("sha256:" + hex.EncodeToString(sum[:])).As(slashPath)}
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
	case bytes.HasPrefix(content, lfsPointer):
		return 0, 0, errors.New("it is a Git LFS pointer")
	}
	return 0, 0, errors.New("its bytes are of another format")
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
		return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), nil
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
