package sources

import (
	"fmt"
	"regexp"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

var heldByService = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|file:[!-.0-~]+)$`)

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
