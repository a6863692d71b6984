package plan

// Requests are what an apply of a plan would send if all of it goes well, and if
// nothing has to be asked for twice. They follow from the routes of an account,
// are no part of what is decided, and of no hash.
type Requests struct {
	Requests []Request `json:"requests"` // in the order of the waves
	Total    int       `json:"total"`
	Jobs     int       `json:"jobs"`    // that change something
	Seconds  int       `json:"seconds"` // the least they take under the limits of the service
}

// Request is requests of one wave that are alike.
type Request struct {
	Wave       string `json:"wave"`
	Method     string `json:"method"`
	Path       string `json:"path"` // below /v1, with {id}
	Count      int    `json:"count"`
	Operations []int  `json:"operations,omitempty"` // of each job
	Bytes      int    `json:"bytes,omitempty"`      // of the bodies; ids that are not known yet count as they are shown
	FollowUp   bool   `json:"follow_up,omitempty"`  // brings what creates in jobs could not say
	Why        string `json:"why,omitempty"`        // no job carries it
	AtLeast    bool   `json:"at_least,omitempty"`   // the service decides how many are needed
}
