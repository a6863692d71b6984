package adsapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

const audiences = "custom_audiences"

// maxMembersFile is the largest file of people in bytes (service facts, 8.2).
const maxMembersFile = 500_000_000

// MembersFile is a file of people as it was uploaded.
type MembersFile struct {
	ID   string
	Name string // what the upload called it; never the name of the user's file
	Type string
	Size int64
}

// The upload says nothing of where the people came from.
const (
	membersName = "members.txt"
	membersType = "text/plain"
)

// MemberOperation is a membership operation of a custom audience (interface,
// part 4; service facts, 8.2). It says nothing of the people in it.
type MemberOperation struct {
	ID         string
	AudienceID string // of a merge: the audience it makes
	Kind       string // add, remove, replace, merge
	Status     string // processing, succeeded, failed, or a word of a later service
}

// Ended reports whether the operation will not move any more. A status this program
// does not know is not an end.
func (o MemberOperation) Ended() bool { return o.Succeeded() || o.Status == "failed" }

// Succeeded reports whether everything the operation asked for was done. One that was
// cancelled ends as failed.
func (o MemberOperation) Succeeded() bool { return o.Status == "succeeded" }

// UploadMembers sends a file of people, one hash a line: POST /uploads (service
// facts, 6). It goes again as Upload does.
func (c *Client) UploadMembers(ctx context.Context, people []byte) (MembersFile, error) {
	file := MembersFile{Name: membersName, Type: membersType, Size: int64(len(people))}
	if file.Size > maxMembersFile {
		return file, refuse(http.MethodPost, "/uploads",
			fmt.Errorf("file of people has %d bytes; the service takes at most %d", file.Size, maxMembersFile))
	}
	contentType, body, err := encodeForm(formFile{membersName, membersType, people},
		map[string]string{"purpose": "custom_audience"})
	if err != nil {
		return file, refuse(http.MethodPost, "/uploads", err)
	}
	file.ID, err = c.upload(ctx, "/uploads", contentType, body)
	return file, err
}

// ChangeMembers sends a membership operation: add, remove, replace or merge. The
// service wants a key, and may answer a key it knows with the operation of the
// first request, whatever the body (service facts, 1): a key goes with one body.
func (c *Client) ChangeMembers(ctx context.Context, m Mutation) (MemberOperation, error) {
	if m.Key == "" {
		return MemberOperation{}, refuse(http.MethodPost,
			m.Path, errors.New("membership operation has no idempotency key; the service wants one"))
	}
	return c.memberOperation(ctx, m)
}

// ResumeMembers makes an add or remove that has stopped go on from where it is;
// one that is at work or has ended stays as it is. The service takes neither a
// body nor a key (interface, part 4).
func (c *Client) ResumeMembers(ctx context.Context, audienceID, id string) (MemberOperation, error) {
	path, err := JoinPath(audiences, audienceID, "operations", id, "resume")
	if err != nil {
		return MemberOperation{}, refuse(http.MethodPost, "/"+audiences, err)
	}
	return c.memberOperation(ctx, Mutation{Path: path})
}

func (c *Client) memberOperation(ctx context.Context, m Mutation) (o MemberOperation, err error) {
	e, err := parseEndpoint(m.Path)
	if err == nil {
		err = checkKey(m.Key)
	}
	if err != nil {
		return o, refuse(http.MethodPost, m.Path, err)
	}
	r := request{
		method: http.MethodPost, endpoint: e, body: m.Body,
		contentType: "application/json", key: m.Key, repeatable: true,
	}
	err = c.do(ctx, r, func(body []byte) (err error) {
		o, err = decodeMemberOperation(body, "")
		return err
	})
	return o, err
}

// MemberOperation reads an operation of an audience.
func (c *Client) MemberOperation(ctx context.Context, audienceID, id string) (o MemberOperation, err error) {
	path, err := JoinPath(audiences, audienceID, "operations", id)
	if err != nil {
		return o, refuse(http.MethodGet, "/"+audiences, err)
	}
	err = c.get(ctx, path, nil, func(body []byte) (err error) {
		o, err = decodeMemberOperation(body, id)
		return err
	})
	return o, err
}

// MemberOperations lists the accepted operations of an audience. Pages go on
// until has_more is false, even where one is empty (service facts, 8.2).
func (c *Client) MemberOperations(ctx context.Context, audienceID string) ([]MemberOperation, error) {
	path, err := JoinPath(audiences, audienceID, "operations")
	if err != nil {
		return nil, refuse(http.MethodGet, "/"+audiences, err)
	}
	var all []MemberOperation
	query, followed := url.Values{"limit": {"100"}}, map[string]bool{}
	for {
		var p memberPage
		if err := c.get(ctx, path, query, func(body []byte) (err error) {
			p, err =
				decodeMemberPage(body)
			return err
		}); err != nil {
			return nil, err
		}
		all = append(all, p.operations...)
		if p.next == "" {
			return all, nil
		}
		if followed[p.next] {
			return nil, endless(path[1:], fmt.Sprintf("cursor %q came twice", clean(p.next, 80)))
		}
		followed[p.next] = true
		query.Set("cursor", p.next)
	}
}

// UsableAudiences asks which audiences may be used so: inclusion, exclusion or bid_multiplier;
// without ids all are asked for. policy is that of an earlier answer, "" any: where the service
// judges by another by now it is ErrPolicyMoved. by is the one that all of the answer is judged by.
func UsableAudiences(ctx context.Context, c *Client, use string,
	ids []string, policy string) (usable []string, by string, err error) {
	query, by := url.Values{"intended_use": {use}}, policy
	if len(ids) == 0 {
		by, err = readUsable(ctx, c, query, by, &usable)
		return usable, by, err
	}
	for chunk := range slices.Chunk(ids, maxAudienceIDs) {
		query["custom_audience_ids"] = chunk
		if by, err = readUsable(ctx, c, query, by, &usable); err != nil {
			return nil, "", err
		}
	}
	return usable, by, nil
}

// readUsable reads the pages of one list, and adds the ids.
func readUsable(ctx context.Context, c *Client, q url.Values,
	policy string, ids *[]string) (by string, err error) {
	query, asked := pageQuery(audiences, q)
	for followed := map[string]bool{}; ; {
		if policy != "" {
			query.Set("policy_revision", policy)
		}
		p, err := c.page(ctx, audiences, query, asked, true)
		if failed, ok := errors.AsType[*Error](err); ok && failed.Code == policyMoved {
			return "", fmt.Errorf("%w: %w", ErrPolicyMoved, err)
		}
		if err != nil {
			return "", err
		}
		for _, record := range p.records {
			*ids = append(*ids, record.ID)
		}
		policy = cmp.Or(policy, p.policy)
		if !p.hasMore {
			return policy, nil
		}
		if followed[p.lastID] {
			return "", endless(audiences, fmt.Sprintf("cursor %q came twice", clean(p.lastID, 80)))
		}
		followed[p.lastID] = true
		query.Set("after", p.lastID)
	}
}

// maxAudienceIDs is how many ids one list is asked for. The service takes 500 (interface,
// part 8), and an address that long does not pass everywhere.
const maxAudienceIDs = 100

// policyMoved is the service's word for audiences that are judged by another policy by
// now (service facts, 8.3).
const policyMoved = "custom_audience_policy_revision_mismatch"

// ErrPolicyMoved is an answer that would be by another policy than an earlier one.
var ErrPolicyMoved = errors.New("the service judges audiences by another policy by now")

type memberPage struct {
	operations []MemberOperation
	next       string // "" where the list has ended
}

func decodeMemberPage(body []byte) (memberPage, error) {
	var wire struct {
		Data    *[]json.RawMessage `json:"data"`
		HasMore flag               `json:"has_more"`
		Next    text               `json:"next_cursor"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return memberPage{}, err
	}
	if wire.Data == nil || wire.HasMore.value && wire.Next.value == "" {
		return memberPage{},
			errors.New("it is no list of operations; want data, and next_cursor where has_more is true")
	}
	var p memberPage
	if wire.HasMore.value {
		p.next = wire.Next.value
	}
	for _, row := range *wire.Data {
		o, err := decodeMemberOperation(bytes.TrimSpace(row), "")
		if err != nil {
			return memberPage{}, err
		}
		p.operations = append(p.operations, o)
	}
	return p, nil
}

func decodeMemberOperation(body []byte, wanted string) (MemberOperation, error) {
	var wire struct {
		ID         text `json:"operation_id"`
		AudienceID text `json:"custom_audience_id"`
		Kind       text `json:"operation"`
		Status     text `json:"status"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return MemberOperation{}, err
	}
	o := MemberOperation{wire.ID.value, wire.AudienceID.value, wire.Kind.value, wire.Status.value}
	switch {
	case o.ID == "":
		return o, errors.New("it has no operation_id; want a membership operation")
	case wanted != "" && o.ID != wanted:
		return o, fmt.Errorf("its operation_id is %q; want %q", clean(o.ID, 80), wanted)
	}
	return o, nil
}
