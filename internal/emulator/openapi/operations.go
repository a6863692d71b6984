package openapi

import (
	"maps"
	"sync"

	"adsync/internal/emulator/service"
)

// operation is what the route table does not say of a route.
type operation struct {
	summary     string
	query       []Parameter
	body        map[string]Media // nil: none
	judgedLater bool             // see Operation.JudgedLater
	status      int              // of success; 0: 200
	answer      *Schema
	also        []int // refusals beside those every route has
}

// operations are all of them, by method and pattern. A new room adds its table here.
// They are made when they are first asked for: every command has the emulator in it, and few serve it.
var operations = sync.OnceValue(func() map[string]operation {
	return merged(
		campaignOperations(), adGroupOperations(), adOperations(), bulkOperations(), audienceOperations(),
		accountOperations(), spendOperations(), identityOperations(), reportOperations(), conversionOperations(),
	)
})

func merged(tables ...map[string]operation) map[string]operation {
	all := map[string]operation{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// Routes of the tables by method and pattern, for tests of coverage.
func Routes() []string {
	var all []string
	for route := range operations() {
		all = append(all, route)
	}
	return all
}

// security says who may call, by the requirement of the route (interface, part 5).
var security = map[service.Auth][]map[string][]string{
	service.Read:      {{"ApiKeyAuth": {}}, {"AdsOAuth": {readScope}}},
	service.Write:     {{"ApiKeyAuth": {}}, {"AdsOAuth": {readScope, writeScope}}},
	service.KeyOnly:   {{"ApiKeyAuth": {}}},
	service.OAuthBoth: {{"AdsOAuth": {readScope, writeScope}}},
	service.OAuthRead: {{"AdsOAuth": {readScope}}},
}

const (
	readScope  = "ads.admin.all.read"
	writeScope = "ads.admin.all.write"
)

// acts are the state changes by path of one kind of object, none with a body.
func acts(pattern, thing string, answer *Schema, verbs ...string) map[string]operation {
	all := map[string]operation{}
	for _, verb := range verbs {
		all["POST "+pattern+"/"+verb] = operation{summary: sentence(verb) + " " + thing, answer: answer}
	}
	return all
}

func sentence(verb string) string { return string(verb[0]-'a'+'A') + verb[1:] }

func json1(s *Schema) map[string]Media { return map[string]Media{"application/json": {Schema: s}} }

// form is a body of JSON and of a form, or of a form alone.
func form(body, fields *Schema) map[string]Media {
	all := map[string]Media{"multipart/form-data": {Schema: fields}}
	if body != nil {
		all["application/json"] = Media{Schema: body}
	}
	return all
}

func query(name string, s *Schema) Parameter { return Parameter{Name: name, In: "query", Schema: s} }

func needed(p Parameter) Parameter {
	p.Required = true
	return p
}

func described(p Parameter, sentence string) Parameter {
	p.Description = sentence
	return p
}

// page are the parameters of cursor pagination (interface, part 1).
func page(most int64) []Parameter {
	return []Parameter{query("limit", integerOf(1, most)), query("after", textOf(1, 0)), query("before", textOf(1, 0))}
}

func ordered(most int64) []Parameter {
	return append(page(most), query("order", oneOf("asc", "desc")))
}

func named(most int64) []Parameter { return append(ordered(most), query("name", textOf(3, 1000))) }

func include(values ...string) Parameter { return query("include[]", list(oneOf(values...))) }

// envelope is the published envelope of a list, with further fields of its own.
func envelope(row *Schema, more ...Field) *Schema {
	return object(append([]Field{
		must("object", oneOf("list")), must("data", list(row)),
		must("first_id", orNull(text())), must("last_id", orNull(text())), must("has_more", boolean()),
	}, more...)...)
}
