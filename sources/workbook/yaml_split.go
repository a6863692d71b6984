package workbook

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/sources/config"
)

// mostTreeFiles is how many trees of a kind get a file each; of more, several
// share one, so that the files of an account stay within their bound.
const mostTreeFiles = 500

// YAMLFiles writes a snapshot as several YAML files that Load reads back to the
// same snapshot, by their slash paths: campaigns/spring-launch.yaml, a file a
// tree, and audiences.yaml for a kind without children. No file is over three
// quarters of what a source may have, so that there is room to edit: a larger
// tree goes on in spring-launch~2.yaml. Paths of images are taken from where
// these files stand, and written from the folder of each. The same snapshot
// gives the same files.
func YAMLFiles(p config.Project, schemas resource.Schemas,
	s *resource.Snapshot, env resource.Env) (map[string][]byte, error) {
	y := &yamlSplit{
		schemas: schemas, env: env, limit: p.FileLimits().YAMLBytes, size: map[resource.Address]int64{},
		children: map[resource.Address][]resource.Address{}, snapshot: s, files: map[string][]byte{},
	}
	if err := y.measure(); err != nil {
		return nil, err
	}
	var sheets []string
	for _, kind := range schemas {
		if !slices.Contains(sheets, kind.Sheet) {
			sheets = append(sheets, kind.Sheet)
		}
	}
	for _, sheet := range sheets {
		if err := y.split(sheet); err != nil {
			return nil, err
		}
	}
	return y.files, nil
}

// yamlSplit cuts a snapshot into files.
type yamlSplit struct {
	schemas  resource.Schemas
	env      resource.Env
	limit    int64
	snapshot *resource.Snapshot
	size     map[resource.Address]int64 // of a resource with all that is below it, at most
	children map[resource.Address][]resource.Address
	files    map[string][]byte
}

// deeper is how many characters nesting adds to a line, at most.
const deeper = 8

// measure writes each resource alone: nested it takes no more than that, but
// for its indentation.
func (y *yamlSplit) measure() error {
	var alone bytes.Buffer
	w := &YAMLWriter{Out: bufio.NewWriter(&alone), schemas: y.schemas}
	for _, a := range slices.Backward(y.snapshot.Addresses()) { // children come after their parents
		alone.Reset()
		w.head(y.env)
		w.document(y.snapshot.Get(a))
		if err := w.Out.Flush(); err != nil {
			return err
		}
		own := int64(alone.Len() + deeper*bytes.Count(alone.Bytes(), []byte("\n")))
		if own > y.limit {
			return fmt.Errorf("%s takes %d bytes of YAML; a file may have %d", a, own, y.limit)
		}
		parent := y.schemas.Parent(a)
		if y.snapshot.Get(parent) == nil {
			parent = resource.Address{}
		}
		y.size[a] += own
		y.size[parent] += y.size[a]
		y.children[parent] = append(y.children[parent], a)
	}
	for _, children := range y.children {
		slices.Reverse(children)
	}
	return nil
}

// room is how much a file is filled.
func (y *yamlSplit) room() int64 { return y.limit / 4 * 3 }

// split writes the trees of the kinds that share a sheet of a workbook.
func (y *yamlSplit) split(sheet string) error {
	var trees []resource.Address
	nested := false
	for _, a := range y.children[resource.Address{}] {
		if kind := y.schemas.Of(a.Kind); kind.Sheet == sheet {
			trees = append(trees, a)
			nested = nested || len(y.schemas.ChildrenOf(kind.Kind)) > 0
		}
	}
	folder := resource.Slug(sheet)
	if !nested || len(trees) > mostTreeFiles {
		return y.write(folder, y.pack(trees))
	}
	for _, tree := range trees {
		if err := y.write(folder+"/"+fileStem(tree.Key), y.pack([]resource.Address{tree})); err != nil {
			return err
		}
	}
	return nil
}

// reserved are names that stand for something else: a device on Windows, the
// project's own file here.
var reserved = pattern.Of(`^(adsync|(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?)$`)

// longestName of a file, without what makes it unlike others.
const longestName = 100

// fileStem is a key as a name that is its own on every system: some tell no
// capital letters apart.
func fileStem(key string) string {
	key = strings.ReplaceAll(key, "/", "~~") // of a resource whose parent is elsewhere
	stem := strings.ToLower(strings.TrimLeft(key, "."))
	stem = stem[:min(len(stem), longestName)]
	if stem == key && !reserved.MatchString(stem) {
		return stem
	}
	return fmt.Sprintf("%s~%08x", stem, crc32.ChecksumIEEE([]byte(key)))
}

// pack cuts trees into parts that fit a file each, in order. A tree that does
// not fit is cut in turn: its own top, then what is below.
func (y *yamlSplit) pack(trees []resource.Address) [][]resource.Address {
	parts := [][]resource.Address{nil}
	filled := int64(0)
	put := func(size int64, addresses ...resource.Address) {
		if filled > 0 && filled+size > y.room() {
			parts, filled = append(parts, nil), 0
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], addresses...)
		filled += size
	}
	var add func(a resource.Address)
	add = func(a resource.Address) {
		if y.size[a] <= y.room() {
			put(y.size[a], y.tree(a)...)
			return
		}
		own := y.size[a]
		for _, child := range y.children[a] {
			own -= y.size[child]
		}
		put(own, a)
		for _, child := range y.children[a] {
			add(child)
		}
	}
	for _, tree := range trees {
		add(tree)
	}
	return parts
}

// tree returns a resource and all that is below it.
func (y *yamlSplit) tree(a resource.Address) []resource.Address {
	all := []resource.Address{a}
	for _, child := range y.children[a] {
		all = append(all, y.tree(child)...)
	}
	return all
}

func (y *yamlSplit) write(stem string, parts [][]resource.Address) error {
	for i, part := range parts {
		if len(part) == 0 {
			continue
		}
		name := stem + ".yaml"
		if i > 0 {
			name = fmt.Sprintf("%s~%d.yaml", stem, i+1) // no key has a tilde
		}
		content, err := y.text(path.Dir(name), part)
		if err != nil {
			return err
		}
		if _, taken := y.files[name]; taken || int64(len(content)) > y.limit {
			return fmt.Errorf("%s would be written twice, or be over %d bytes", diag.Printable(name), y.limit)
		}
		y.files[name] = content
	}
	return nil
}

// text writes resources for a file in a folder.
func (y *yamlSplit) text(folder string, addresses []resource.Address) ([]byte, error) {
	part := &resource.Snapshot{}
	for _, a := range addresses {
		part.Add(y.snapshot.Get(a))
	}
	var content bytes.Buffer
	err := WriteYAML(&content, y.schemas, Moved(y.schemas, part, folder), y.env)
	return content.Bytes(), err
}

// YAMLFile writes a snapshot as one YAML file, and says whether a source may be
// that large.
func YAMLFile(p config.Project, schemas resource.Schemas,
	s *resource.Snapshot, env resource.Env) (content []byte, fits bool, err error) {
	var b bytes.Buffer
	err = WriteYAML(&b, schemas, s, env)
	return b.Bytes(), int64(b.Len()) <= p.FileLimits().YAMLBytes, err
}
