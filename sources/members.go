package sources

import (
	"adsync/internal/members"
	"adsync/internal/resource"
)

// checkMembers turns the path of a members file into the digest of its people,
// and gives how many there are.
func (c *collection) checkMembers(e *entry, a *resource.Attribute, v resource.Value) (digest, people resource.Value) {
	as := members.Identifier(e.resource.Value(a.Identifier).Text())
	if as == "" {
		return v, people // a rule of the kind says so
	}
	slashPath, finding := c.tree.attachedPath(v.Text(), v.Position.File())
	if finding != nil {
		c.report(e, v.Position, *finding)
		return v, people
	}
	key := membersKey{slashPath, as}
	m, read := c.members[key]
	if !read {
		m = c.tree.readMembers(v.Text(), slashPath, as)
		c.members[key] = m
	}
	for _, f := range m.findings {
		c.report(e, v.Position, f)
	}
	if m.failed {
		return v, people
	}
	c.counts = append(c.counts, Members{e.resource.Address.String(), slashPath, as, m.counts, m.rejections})
	return resource.Text(m.digest).As(slashPath).At(v.Position), resource.Number(int64(m.counts.Used)).At(v.Position)
}
