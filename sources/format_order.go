package sources

import (
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
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
	for _, s := range w.in.schemas {
		orders[string(s.Kind)] = w.documentOrder(w.in.words[s.Kind])
	}
	return func(value func(string) string) *yamlfmt.Order { return orders[value("kind")] }
}

// documentOrder puts what is beneath a resource last, after keys nobody knows.
func (w *rewriter) documentOrder(v *vocabulary) *yamlfmt.Order {
	order := w.wordsOrder(&v.document, v.schema)
	for _, name := range order.Keys {
		if child := v.document.byName[name].child; child != nil {
			order.Last = append(order.Last, name)
			order.Below[name] = w.documentOrder(child)
		}
	}
	order.Keys = order.Keys[:len(order.Keys)-len(order.Last)]
	return order
}

func (w *rewriter) wordsOrder(ws *words, s *resource.Schema) *yamlfmt.Order {
	order := &yamlfmt.Order{Keys: ws.inOrder(w.in.schemas, s), Below: map[string]*yamlfmt.Order{}}
	for name, word := range ws.byName {
		if word.group != nil {
			order.Below[name] = w.wordsOrder(word.group, s)
		}
	}
	return order
}

// definitionOrder is that of defaults and templates: kinds as the schemas have them.
func (w *rewriter) definitionOrder(first ...string) *yamlfmt.Order {
	order := &yamlfmt.Order{Keys: first, Below: map[string]*yamlfmt.Order{}}
	for _, s := range w.in.schemas {
		order.Keys = append(order.Keys, string(s.Kind))
		order.Below[string(s.Kind)] = w.wordsOrder(&w.in.words[s.Kind].attributes, s)
	}
	return order
}

func projectOrder() *yamlfmt.Order {
	whole := &yamlfmt.Order{Below: map[string]*yamlfmt.Order{}}
	for _, p := range ProjectSchema().Properties {
		whole.Keys = append(whole.Keys, p.Name)
		part := &yamlfmt.Order{}
		for _, inner := range p.Schema.Properties {
			part.Keys = append(part.Keys, inner.Name)
		}
		whole.Below[p.Name] = part
	}
	return whole
}
