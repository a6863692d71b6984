package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// GitLab is a project on GitLab.com, or on a GitLab of one's own.
type GitLab struct {
	project string // with its groups
	site    site
	client  *gitlab.Client
	self    self // by its id
	named   self // by its login

	mu   sync.Mutex
	refs map[string]string // of the heads that were listed last, which a status is for
}

// NewGitLab returns a project, such as acme/media/ads.
func NewGitLab(at Where) (*GitLab, error) {
	if parts := strings.Split(at.Repository, "/"); len(parts) < 2 || strings.Contains("/"+at.Repository+"/", "//") {
		return nil, fmt.Errorf("the repository is %q; want groups and name, such as acme/media/ads", at.Repository)
	}
	if at.API == "" {
		at.API = "https://gitlab.com"
	}
	base, err := at.base("https://gitlab.example.com")
	if err != nil {
		return nil, err
	}
	client, err := gitlab.NewAuthSourceClient(gitlab.Unauthenticated{}, // what asks gives the token
		gitlab.WithBaseURL(base.String()), gitlab.WithHTTPClient(at.client(base)), gitlab.WithoutRetries(),
		gitlab.WithCustomLimiter(unhurried{}))
	if err != nil {
		return nil, err
	}
	return &GitLab{project: at.Repository, site: siteOf(base), client: client, refs: map[string]string{}}, nil
}

// unhurried spreads no requests over time: they are few, and who asks is told of a limit.
type unhurried struct{}

func (unhurried) Wait(context.Context) error { return nil }

// Open implements Repository.
func (g *GitLab) Open(ctx context.Context, branch string) (pulls []Pull, err error) {
	refs := map[string]string{}
	options := &gitlab.ListProjectMergeRequestsOptions{
		State: new("opened"), TargetBranch: &branch, OrderBy: new("updated_at"), Sort: new("desc"), Scope: new("all"),
		ListOptions: gitlab.ListOptions{PerPage: 100, Page: 1},
	}
	for range mostPages {
		found, next, err := g.list(ctx, options)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if m.TargetBranch != branch || m.State != "opened" || m.IID <= 0 ||
				!commitName.MatchString(m.SHA) {
				continue // what was not asked for
			}
			p := g.pull(m)
			pulls, refs[p.Head] = append(pulls, p), p.Ref
			if m.SourceProjectID == m.TargetProjectID {
				refs[p.Head] = m.SourceBranch // GitLab shows a status at the merge request only with its branch
			}
		}
		if options.Page = next; next == 0 {
			break
		}
	}
	if options.Page != 0 {
		err = ErrMore
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refs = refs
	return pulls, err
}

// list lists a page. Its client breaks off at a null.
func (g *GitLab) list(ctx context.Context, options *gitlab.ListProjectMergeRequestsOptions) (
	found []*gitlab.BasicMergeRequest, next int64, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the forge lists what is no merge request")
		}
	}()
	found, answer, err := g.client.MergeRequests.ListProjectMergeRequests(g.project, options, gitlab.WithContext(ctx))
	if err != nil {
		return nil, 0, enoughOf(answer, err)
	}
	return found, answer.NextPage, nil
}

func (g *GitLab) pull(m *gitlab.BasicMergeRequest) Pull {
	p := Pull{
		Number: int(m.IID), Title: m.Title, Branch: m.TargetBranch, Head: m.SHA, Address: m.WebURL,
		Ref: fmt.Sprintf("refs/merge-requests/%d/head", m.IID), Closed: m.State == "closed" || m.State == "merged",
	}
	if m.SourceProjectID == m.TargetProjectID {
		p.Source = g.project + ":" + m.SourceBranch
	}
	if m.Author != nil {
		p.Author = m.Author.Username
	}
	if m.UpdatedAt != nil {
		p.Updated = *m.UpdatedAt
	}
	if m.State == "merged" {
		p.Merged = cmp.Or(m.MergeCommitSHA, m.SquashCommitSHA, m.SHA) // without either it was a fast-forward
	}
	return p
}

// Say implements Repository.
func (g *GitLab) Say(ctx context.Context, pull int, id, text string) (Said, error) {
	text = noOrders(text)
	if id == "" {
		var err error
		if id, err = g.said(ctx, pull, text); err != nil {
			return Said{}, err
		}
	}
	if number, err := strconv.ParseInt(id, 10, 64); err == nil {
		edited, answer, err := g.client.Notes.UpdateMergeRequestNote(g.project, int64(pull), number,
			&gitlab.UpdateMergeRequestNoteOptions{Body: &text}, gitlab.WithContext(ctx))
		switch {
		case err == nil:
			return Said{id, edited.Body}, nil
		case !errors.Is(err, gitlab.ErrNotFound):
			return Said{}, enoughOf(answer, err)
		}
	}
	made, answer, err := g.client.Notes.CreateMergeRequestNote(g.project, int64(pull),
		&gitlab.CreateMergeRequestNoteOptions{Body: &text}, gitlab.WithContext(ctx))
	if err != nil {
		return Said{}, enoughOf(answer, err)
	}
	return Said{strconv.FormatInt(made.ID, 10), made.Body}, nil
}

// noOrders is a text that GitLab takes no orders from: a line that begins with /merge would merge, in the name of who
// writes it.
func noOrders(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if bare := strings.TrimLeft(line, " \t\r\v\f"); strings.HasPrefix(bare, "/") {
			lines[i] = line[:len(line)-len(bare)] + `\` + bare
		}
	}
	return strings.Join(lines, "\n")
}

// me is the id of this user.
func (g *GitLab) me(ctx context.Context) (string, error) {
	return g.self.ask(func() (string, error) {
		user, answer, err := g.client.Users.CurrentUser(gitlab.WithContext(ctx))
		if err != nil {
			return "", enoughOf(answer, err)
		}
		return strconv.FormatInt(user.ID, 10), nil
	})
}

// said returns the id of this user's note that begins with the first line of a text, "" where there is none.
func (g *GitLab) said(ctx context.Context, pull int, text string) (string, error) {
	self, err := g.me(ctx)
	if err != nil {
		return "", err
	}
	notes, err := g.notes(ctx, pull)
	if err != nil && !errors.Is(err, ErrMore) { // it was among the first
		return "", err
	}
	for _, n := range notes {
		if !n.System && strconv.FormatInt(n.Author.ID, 10) == self && begins(n.Body, text) {
			return strconv.FormatInt(n.ID, 10), nil
		}
	}
	return "", nil
}

// notes are those of a merge request, the oldest first.
func (g *GitLab) notes(ctx context.Context, pull int) (all []*gitlab.Note, err error) {
	options := &gitlab.ListMergeRequestNotesOptions{OrderBy: new("created_at"), Sort: new("asc")}
	return everyPage(&options.ListOptions, func() ([]*gitlab.Note, *gitlab.Response, error) {
		return g.client.Notes.ListMergeRequestNotes(g.project, int64(pull), options, gitlab.WithContext(ctx))
	})
}

// everyPage reads all pages of a list.
func everyPage[T any](page *gitlab.ListOptions, list func() ([]*T, *gitlab.Response, error)) (all []*T, err error) {
	page.PerPage, page.Page = 100, 1
	for range mostPages {
		found, answer, err := list()
		if err != nil {
			return nil, enoughOf(answer, err)
		}
		all = append(all, slices.DeleteFunc(found, func(one *T) bool { return one == nil })...)
		if page.Page = answer.NextPage; page.Page == 0 {
			return all, nil
		}
	}
	return all, ErrMore
}

// mostOfGitLab is how many characters GitLab takes of a status.
const mostOfGitLab = 255

// Judge implements Repository. GitLab does not take that a commit waits which waits already; then its text stays.
func (g *GitLab) Judge(ctx context.Context, commit string, v Verdict) error {
	state := map[State]gitlab.BuildStateValue{Passes: gitlab.Success, Waits: gitlab.Pending, Fails: gitlab.Failed}
	options := &gitlab.SetCommitStatusOptions{State: state[v.State], Name: &v.Name,
		Description: new(clipped(v.Text, mostOfGitLab))}
	if ref := g.refOf(commit); ref != "" {
		options.Ref = &ref
	}
	_, answer, err := g.client.Commits.SetCommitStatus(g.project, commit, options, gitlab.WithContext(ctx))
	refused := new(gitlab.ErrorResponse)
	if v.State == Waits && errors.As(err, &refused) && refused.StatusCode == http.StatusBadRequest &&
		strings.Contains(refused.Message, "Cannot transition status via :enqueue from :pending") {
		return nil
	}
	return enoughOf(answer, err)
}

func (g *GitLab) refOf(commit string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refs[commit]
}

// enoughOf is a LimitError where GitLab has had enough.
func enoughOf(answer *gitlab.Response, err error) error {
	if answer == nil {
		return err
	}
	return limited(answer.Response, err)
}

// Tree implements Repository.
func (g *GitLab) Tree(branch, folder string) string {
	return g.site.tree(g.client.BaseURL().JoinPath("../..", g.project).Path, "-/tree", branch, folder)
}
