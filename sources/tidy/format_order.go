package tidy

import (
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/draft"
	"adsync/sources/schema"
)

// order returns the order of keys in the documents of a file: that of a kind's
// description, or of the project file's.
func (w *rewriter) order(name string) func(value func(key string) string) *yamlfmt.Order {
	if name == w.project.File {
		project := projectOrder()
		return func(func(string) string) *yamlfmt.Order { return project }
	}
	orders := map[string]*yamlfmt.Order{
		"defaults": w.definitionOrder("kind"), "template": w.definitionOrder("kind", "key"),
		"hint_list": {Keys: []string{"kind", "key", "hints"}},
	}
	for _, s := range w.in.Schemas {
		orders[string(s.Kind)] = w.documentOrder(w.in.Words[s.Kind])
	}
	return func(value func(string) string) *yamlfmt.Order { return orders[value("kind")] }
}

// documentOrder puts what is beneath a resource last, after keys nobody knows.
func (w *rewriter) documentOrder(v *draft.Vocabulary) *yamlfmt.Order {
	order := w.wordsOrder(&v.Document, v.Schema)
	for _, name := range order.Keys {
		if child := v.Document.ByName[name].Child; child != nil {
			order.Last = append(order.Last, name)
			order.Below[name] = w.documentOrder(child)
		}
	}
	order.Keys = order.Keys[:len(order.Keys)-len(order.Last)]
	return order
}

func (w *rewriter) wordsOrder(ws *draft.Words, s *resource.Schema) *yamlfmt.Order {
	order := &yamlfmt.Order{Keys: ws.InOrder(w.in.Schemas, s), Below: map[string]*yamlfmt.Order{}}
	for name, word := range ws.ByName {
		if word.Group != nil {
			order.Below[name] = w.wordsOrder(word.Group, s)
		}
	}
	return order
}

// definitionOrder is that of defaults and templates: kinds as the schemas have them.
func (w *rewriter) definitionOrder(first ...string) *yamlfmt.Order {
	order := &yamlfmt.Order{Keys: first, Below: map[string]*yamlfmt.Order{}}
	for _, s := range w.in.Schemas {
		order.Keys = append(order.Keys, string(s.Kind))
		order.Below[string(s.Kind)] = w.wordsOrder(&w.in.Words[s.Kind].Attributes, s)
	}
	return order
}

func projectOrder() *yamlfmt.Order {
	whole := &yamlfmt.Order{Below: map[string]*yamlfmt.Order{}}
	for _, p := range schema.Project().Properties {
		whole.Keys = append(whole.Keys, p.Name)
		part := &yamlfmt.Order{}
		for _, inner := range p.Schema.Properties {
			part.Keys = append(part.Keys, inner.Name)
		}
		whole.Below[p.Name] = part
	}
	return whole
}
