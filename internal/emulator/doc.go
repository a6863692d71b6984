// Package emulator is the advertising service itself, for tests and for trying
// adsync: an http.Handler with base path /v1, durable and able to misbehave on
// request. It shares no code with the agent and imports none of it, so that one
// mistake cannot be on both sides. Its invariant: what it acknowledged is on
// disk and in the mutation log.
//
// # Map
//
//	emulator             Open, ServeHTTP, Close; a request's way in (pipeline.go), who
//	                     calls (auth.go), rate limits (limits.go), answers (reply.go),
//	                     the list of rooms (rooms.go), /_emulator (control*.go)
//	emulator/service     Route, Call, Hooks: the contract of a room
//	emulator/world       accounts, records (one struct a kind), tables, Update and View,
//	                     the mutation log W
//	emulator/wire        errors, strict JSON objects, query parameters, lists
//	emulator/fault       how the emulator misbehaves: one file a fault
//	emulator/openpoint   every open point of the interface as a named setting
//	emulator/store       the one place that commits (SQLite, group commit)
//	emulator/clock       the clock that people and tests drive
//	emulator/images      image decoding, fetching, and generated images
//	emulator/ads         room: campaigns, ad groups, ads, upload
//	emulator/bulk        room: bulk mutation jobs and their workers
//	emulator/account     room: the ad account, its brand and what keeps it from serving
//	emulator/spend       room: spend limit windows and daily spend limits
//	emulator/audit       room: audit logs, made of W
//	emulator/identity    room: API keys, account creation sessions, /me
//	emulator/oauth       the authorization server, at /_oauth (code flow with PKCE)
//	emulator/audience    room: custom audiences, their files and membership operations
//	emulator/population  the made-up people that audiences are matched against
//	emulator/conversion  room: pixels, conversion keys, event settings, the event stream;
//	                     and the receiver of events (events.go mounts it at /_events/v1)
//	emulator/geo         room: the search for locations, and their catalogue
//	emulator/delivery    what ads have: a pure simulation; emulator/ledger feeds it from W
//	emulator/insights    room: insights, conversion insights, hotel insights
//	emulator/feed        the items of made-up product and hotel feeds
//	emulator/tracking    tracking parameters to a final URL: a pure function
//	emulator/openapi     the OpenAPI document of the routes, as data, and the judge that
//	                     holds every answer of a test to it
//	emulator/page        the page at / for people
//	testing/emulatortest  starts one for a test
//	testing/conformance   the interface as rows, for this service and any other
//
// # A request
//
// Request id, route, credential, feature, rate limits, size, Idempotency-Key;
// then the fault layer (Hooks.Request); then the room's Handle, which reads in
// Call.View and writes in Call.Update: one transaction, one durable commit, one
// or more entries in W; then the answer.
//
// # To add a resource
//
//  1. world: a struct with its JSON tags, a Table field in Account and its line in newAccount.
//  2. a room: a package with Routes() []service.Route, one line in rooms.go.
//  3. in Update: check, build the record, Table.Put(tx, record), tx.Record(mutation, before, after).
//     Records are values: copy, change the copy, Put it. Never change a slice in place.
//  4. lists: service.List, which knows paging and the open points of lists.
//  5. openapi: its operations and schemas, by the published record; then
//     go test ./internal/emulator/openapi -update writes docs/develop/openapi.json.
//
// # To add an open point
//
// A constant and a row in openpoint (own file table_NAME.go, its slice named in
// table), and one place that asks Points.Is(name, value).
//
// # To add a fault
//
// A file in package fault, a row in its table, a section of docs/develop/emulator-faults.md.
// Hooks.Request, Operation, Job and Results are where faults take hold; see
// service/hook.go.
package emulator
