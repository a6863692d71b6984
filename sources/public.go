package sources

import (
	"strings"

	"adsync/internal/diag"
	"adsync/internal/public"
	"adsync/internal/resource"
)

// checkPublic refuses the address of a page or a picture that cannot be public: the
// service could not reach it, and adsync does not look into the network it runs in.
func (c *checker) checkPublic(e *entry, a *resource.Attribute, v resource.Value) {
	isAddress := a.Type == resource.TypeURL || a.Type == resource.TypeImage && strings.Contains(v.Text(), "://")
	if !isAddress {
		return
	}
	reach := new(public.Reach)
	if listed := c.tree.Project.Reach; listed != nil {
		reach = listed
	}
	reason := reach.Refuse(v.Text())
	if reason == "" {
		return
	}
	hint := "write the address that people outside of your network open"
	if a.Type == resource.TypeImage {
		hint += ", or save the picture as a file beside this one"
	}
	c.report(e, v.Position, resource.Finding{
		Code: diag.BadURL, Message: a.Name + " " + reason + "; want a public http or https address", Hint: hint,
	})
}
