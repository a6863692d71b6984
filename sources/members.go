package sources

import (
	"adsync/internal/members"
	"adsync/internal/resource"
	"adsync/sources/attach"
)

// checkMembers turns the path of a members file into the digest of its people,
// and gives how many there are.
func (c *attachments) checkMembers(e *entry, a *resource.Attribute, v resource.Value) (digest, people resource.Value) {
	as := members.Identifier(e.resource.Value(a.Identifier).Text())
	if as == "" {
		return v, people // a rule of the kind says so
	}
	slashPath, finding := c.tree.AttachedPath(v.Text(), v.Position.File())
	if finding != nil {
		c.report(e, v.Position, *finding)
		return v, people
	}
	key := attach.MembersKey{Path: slashPath, As: as}
	m, read := c.members[key]
	if !read {
		m = c.tree.ReadMembers(v.Text(), slashPath, as)
		c.members[key] = m
	}
	for _, f := range m.Findings {
		c.report(e, v.Position, f)
	}
	if m.Failed {
		return v, people
	}
	c.counts = append(c.counts, attach.Members{
		Address: e.resource.Address.String(), File: slashPath, Identifier: as, Rows: m.Counts, Rejected: m.Rejections,
	})
	return resource.Text(m.Digest).As(slashPath).At(v.Position), resource.Number(int64(m.Counts.Used)).At(v.Position)
}
