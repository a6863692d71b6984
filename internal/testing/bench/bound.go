package bench

// The numbers of the interface, part 8, and of part 4's bulk jobs.
const (
	operationsOfAJob = 1_000
	resultsOfAPage   = 100
	resourcesOfAPage = 500
)

// Refresh is how few pages list the whole account: campaigns, ad groups and ads,
// each of which takes a page to be found empty.
func (s Shape) Refresh() int {
	return pagesOf(s.Campaigns) + pagesOf(s.Groups()) + pagesOf(s.Leaves())
}

// Plan is how few requests a plan takes: every page, the account it is bound to,
// its spend limits, and, where there are campaigns, what they have spent: nothing,
// which is one page. Of an account that holds nothing it is that of the zero Shape.
func (s Shape) Plan() int { return s.Refresh() + 2 + min(1, s.Campaigns) }

// Apply is the plan with the account before and after it, and every page of its ads once
// more, for what the review says of them.
func (s Shape) Apply() int { return s.Plan() + 2 + pagesOf(s.Leaves()) }

// Export is every page of the tree, the four other lists, and the account before
// and after them.
func (s Shape) Export() int { return s.Refresh() + 4 + 2 }

// FirstRun is what a daemon begins with: a plan, the account before it, and where
// the audit log stands.
func (s Shape) FirstRun() int { return s.Plan() + 2 }

// FullCreate is how few requests create the account where there is nothing: a job
// that is only validated, and shows that there are bulk jobs at all, the jobs,
// their results, the names of ads, which a bulk create cannot carry, and the
// whole account read back. Questions that find a job under way come on top.
func (s Shape) FullCreate() int {
	jobs, pages := s.Creates()
	return Shape{}.Apply() + 2 + jobs + pages + 2*Updates(s.Leaves()) + s.Refresh()
}

// Edit is how few requests send what is Edited, or take it back: the plan, the images
// of new creatives, the ads before their creatives are written, the jobs, and what was
// sent read back; each by its id, or by pages where they are fewer.
func (s Shape) Edit() int {
	campaigns, groups, ads := s.Edits()
	edited := campaigns + groups + ads
	readBack := min(campaigns, pagesOf(s.Campaigns)) + min(groups, pagesOf(s.Groups())) + min(ads, pagesOf(s.Leaves()))
	return s.Apply() + min(3, ads) + min(ads, pagesOf(s.Leaves())) + 2*Updates(edited) + readBack
}

// pagesOf is how many list so many of a kind, or show that there are none.
func pagesOf(resources int) int { return max(1, parts(resources, resourcesOfAPage)) }

// Creates is how few jobs create the account, and how few pages their results
// fill: whole trees where a job holds one. Where none does, a tree goes on in the
// next job beneath its parents, which are repeated there.
func (s Shape) Creates() (jobs, pages int) {
	switch tree := 1 + s.AdGroups*(1+s.Ads); {
	case s.Campaigns == 0:
		return 0, 0
	case tree <= operationsOfAJob:
		return alike(s.Campaigns*tree, operationsOfAJob/tree*tree)
	case s.AdGroups == 1:
		jobs, pages = alike(s.Ads+2*parts(s.Ads, operationsOfAJob-2), operationsOfAJob)
		return s.Campaigns * jobs, s.Campaigns * pages
	}
	branches := (operationsOfAJob - 1) / (1 + s.Ads) // beneath one campaign
	operations := s.Groups()*(1+s.Ads) + s.Campaigns*parts(s.AdGroups, branches)
	jobs, pages = alike(operations, operationsOfAJob)
	return max(jobs, parts(s.Groups(), branches)), pages
}

// alike are jobs of so many operations each, the last of which has the rest.
func alike(operations, ofAJob int) (jobs, pages int) {
	jobs = parts(operations, ofAJob)
	return jobs, (jobs-1)*parts(ofAJob, resultsOfAPage) + parts(operations-(jobs-1)*ofAJob, resultsOfAPage)
}

// Updates is how few jobs update so many resources. Each takes a question for its
// end and no page of results.
func Updates(resources int) (jobs int) { return parts(resources, operationsOfAJob) }

// parts is n ÷ of, rounded up.
func parts(n, of int) int { return (n + of - 1) / of }
