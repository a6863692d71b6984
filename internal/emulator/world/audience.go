package world

// AudienceTables are the records of custom audiences. None of them holds an
// identifier: only who of the synthetic population was meant, and how many.
type AudienceTables struct {
	Audiences          *Table[Audience]
	AudienceFiles      *Table[AudienceFile]
	AudienceMembers    *Table[AudienceMembers]
	AudienceOperations *Table[AudienceOperation]
	AudienceInputs     *Table[AudienceInput]

	OperationsOf     *Index[AudienceOperation] // by audience
	OpenOperations   *Index[AudienceOperation] // by whether it is processing
	PublishingStates *Index[Audience]          // by status
}

func newAudienceTables(a *Account) AudienceTables {
	t := AudienceTables{
		Audiences:          newTable(a, "audiences", func(d Audience) string { return d.ID }),
		AudienceFiles:      newTable(a, "audience_files", func(f AudienceFile) string { return f.ID }),
		AudienceMembers:    newTable(a, "audience_members", func(m AudienceMembers) string { return m.AudienceID }),
		AudienceOperations: newTable(a, "audience_operations", func(o AudienceOperation) string { return o.ID }),
		AudienceInputs:     newTable(a, "audience_inputs", func(i AudienceInput) string { return i.OperationID }),
	}
	t.OperationsOf = t.AudienceOperations.index(func(o AudienceOperation) string { return o.AudienceID })
	t.OpenOperations = t.AudienceOperations.index(func(o AudienceOperation) string { return o.Status })
	t.PublishingStates = t.Audiences.index(func(d Audience) string { return d.Status })
	return t
}

// Audience is a custom audience. Its counts are of the published membership.
type Audience struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Status      string  `json:"status"` // service facts 5
	CreatedAt   int64   `json:"created_at"`
	UpdatedAt   int64   `json:"updated_at"`
	Revision    int64   `json:"membership_revision"`
	Published   bool    `json:"published"` // a membership has been published; before that counts are not available
	Uploaded    int64   `json:"uploaded_identifiers"`
	Invalid     int64   `json:"invalid_identifiers"`
	Matched     int64   `json:"matched_identifiers"`
	Users       int64   `json:"matched_users"`
}

// AudienceMembers is the membership of an audience: for each matched person, in
// order, the number (4 bytes, big-endian) and a bit for each kind of identifier
// that named the person.
type AudienceMembers struct {
	AudienceID string `json:"audience_id"`
	Packed     []byte `json:"packed"`
}

// AudienceFile is an uploaded file of identifiers, read and matched: what it
// said is not kept.
type AudienceFile struct {
	ID        string           `json:"id"`
	Size      int64            `json:"size"` // bytes of the file
	SHA256    string           `json:"sha256"`
	CreatedAt int64            `json:"created_at"`
	Columns   []AudienceColumn `json:"columns"`
	Named     bool             `json:"named"` // the first line names the columns
}

// AudienceColumn is a column of an audience file.
type AudienceColumn struct {
	Name  string `json:"name"`  // one of the identifier types, or ""
	Cells []byte `json:"cells"` // see package audience
}

// AudienceOperation is a change of a membership, or the first publication.
type AudienceOperation struct {
	ID         string `json:"operation_id"`
	AudienceID string `json:"custom_audience_id"`
	Kind       string `json:"operation"` // add, remove, replace, merge, create
	Status     string `json:"status"`    // processing, succeeded, failed
	Reason     string `json:"reason"`    // of a failure; not shown
	AcceptedAt int64  `json:"accepted_at_ms"`
	BeginsAt   int64  `json:"begins_at_ms"` // membership changes begin; from then on it cannot be canceled
	EndsAt     int64  `json:"ends_at_ms"`
	Checkpoint int64  `json:"checkpoint"` // identifiers that are applied
	Stalled    bool   `json:"stalled"`    // waits for resume at its checkpoint
	Stalls     bool   `json:"stalls"`     // will stall half way, once
}

// AudienceInput is what an operation that has not ended applies.
type AudienceInput struct {
	OperationID string `json:"operation_id"`
	Cells       []byte `json:"cells"`
	Invalid     int64  `json:"invalid"` // identifiers that could not be read
	Problem     string `json:"problem"` // why nothing can be applied; "" is none
}
