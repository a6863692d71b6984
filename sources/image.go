package sources

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/tree"
)

var heldByService = pattern.Of(`^(sha256:[0-9a-f]{64}|file:[!-.0-~]+)$`)

// attachments are the files that resources refer to, each read once.
type attachments struct {
	*findings
	tree    *tree.Tree
	images  map[string]attach.Picture
	members map[attach.MembersKey]attach.MembersFile
	counts  []attach.Members
}

// checkImage turns the path of an image into the hash of its bytes. An address
// stays as it is, and so does what export writes for an image whose file is not
// at hand: its content hash, or the service's id of it.
func (c *attachments) checkImage(e *entry, a *resource.Attribute, v resource.Value) resource.Value {
	if strings.Contains(v.Text(), "://") || heldByService.MatchString(v.Text()) {
		return v
	}
	p := c.picture(v.Text(), v.Position)
	if refused := p.RefusedFor(a, called(v.Text())); refused != nil {
		finding := *refused
		if e.draft.ImageLink != "" {
			finding.Hint = fmt.Sprintf("the cell links to %s; write that address if it is the image",
				diag.Printable(e.draft.ImageLink))
		}
		c.report(e, v.Position, finding)
		return v
	}
	return p.Value.At(v.Position)
}

func (c *attachments) picture(name string, at diag.Position) attach.Picture {
	if _, _, stored := attach.StoredIn(name); stored {
		return attach.Picture{Finding: &resource.Finding{
			Code: diag.BadFile, Message: fmt.Sprintf("image is %q; "+
				"want a file of its own, because the pictures of a workbook are numbered anew at each save", name),
			Hint: "save the picture beside the file",
		}}
	}
	slashPath, finding := c.tree.AttachedPath(name, at.File())
	if finding != nil {
		return attach.Picture{Finding: finding}
	}
	if p, read := c.images[slashPath]; read {
		return p
	}
	p := c.readPicture(name, slashPath, at)
	c.images[slashPath] = p
	return p
}

func (c *attachments) readPicture(name, slashPath string, at diag.Position) attach.Picture {
	content, _, finding := c.tree.Attach(name, at)
	if finding != nil {
		return attach.Picture{Finding: finding}
	}
	return attach.PictureOf(called(name), content, slashPath)
}

func called(name string) string { return fmt.Sprintf("image is %q", name) }
