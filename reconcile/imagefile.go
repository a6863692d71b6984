package reconcile

import (
	"context"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
)

// missingImages are the images a plan would send that nobody can: named by
// their content, which no file of the folder has and adsync never uploaded.
func (a *Agent) missingImages(ctx context.Context, p *plan.Plan) ([]diag.Problem, error) {
	var problems []diag.Problem
	var uploaded map[string]string
	for i := range p.Changes {
		c := &p.Changes[i]
		for _, f := range c.Fields {
			if c.Held != nil || f.Held != nil || f.Cause == plan.SentAlong || !a.byContentAlone(c, f) {
				continue
			}
			if uploaded == nil {
				files, err := a.Store.Files(ctx)
				if err != nil {
					return nil, fmt.Errorf("read the uploaded images: %w", err)
				}
				uploaded = files
			}
			if uploaded[f.Desired.Text()] == "" {
				problems = append(problems, diag.Problem{
					Severity: diag.Error, Code: diag.NoImageFile,
					Position: f.Desired.Position, Address: c.Address.String(),
					Message: fmt.Sprintf("%s of %s is named by "+
						"its content, which no file has and adsync has not uploaded; want the file", f.Name, c.Address),
					Hint: "save the picture in the folder and write its path",
				})
			}
		}
	}
	return problems, nil
}

func (a *Agent) byContentAlone(c *plan.Change, f plan.Field) bool {
	attribute, known := a.Schemas.Of(c.Address.Kind).Attribute(f.Name)
	return known && attribute.Wire.Codec == resource.FileID &&
		strings.HasPrefix(f.Desired.Text(), "sha256:") && f.Desired.Written() == f.Desired.Text()
}
