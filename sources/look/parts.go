package look

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"adsync/internal/pattern"
)

// bookParts are the parts of a workbook, whole.
type bookParts struct {
	names   []string
	Content map[string][]byte
}

// ReadParts reads every part of a workbook.
func ReadParts(original []byte) (*bookParts, error) {
	archive, err := zip.NewReader(bytes.NewReader(original), int64(len(original)))
	if err != nil {
		return nil, err
	}
	p := &bookParts{Content: map[string][]byte{}}
	for _, member := range archive.File {
		r, err := member.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r) // bounded: the workbook was opened and measured before
		r.Close()
		if err != nil {
			return nil, err
		}
		p.names = append(p.names, member.Name)
		p.Content[member.Name] = content
	}
	return p, nil
}

func (p *bookParts) bytes() ([]byte, error) {
	var b bytes.Buffer
	w := newPartsWriter(&b)
	for _, name := range p.names {
		part, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(p.Content[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
	Mode   string `xml:"TargetMode,attr"`
}

// relationsOf reads a part of relationships; one that cannot be read has none.
func relationsOf(content []byte) []relation {
	var root struct {
		Relations []relation `xml:"Relationship"`
	}
	if err := xml.Unmarshal(content, &root); err != nil {
		return nil
	}
	return root.Relations
}

// resolve is the name of the part a relationship leads to.
func resolve(folder, target string) string {
	if name, absolute := strings.CutPrefix(target, "/"); absolute {
		return name
	}
	return path.Join(folder, target)
}

// rename gives parts other names, wherever they are named.
func (p *bookParts) rename(renamed map[string]string) {
	content := map[string][]byte{}
	for i, name := range p.names {
		to := name
		switch owner, isRelations := relationsOwner(name); {
		case isRelations && renamed[owner] != "":
			to = relationsName(renamed[owner])
			fallthrough
		case isRelations:
			content[to] = renamedTargets(p.Content[name], path.Dir(owner)+"/", renamed)
		case renamed[name] != "":
			to = renamed[name]
			content[to] = p.Content[name]
		default:
			content[to] = p.Content[name]
		}
		p.names[i] = to
	}
	content[typesPart] = renamedTypes(content[typesPart], renamed)
	p.Content = content
}

const typesPart = "[Content_Types].xml"

// relationsName is the part that holds the relationships of another.
func relationsName(name string) string {
	folder, file := path.Split(name)
	return folder + "_rels/" + file + ".rels"
}

func relationsOwner(name string) (owner string, isRelations bool) {
	folder, file := path.Split(name)
	above, inside := strings.CutSuffix(folder, "_rels/")
	file, isRelations = strings.CutSuffix(file, ".rels")
	return above + file, inside && isRelations
}

// drop takes a part out, and what says that it is there.
func (p *bookParts) drop(name string) {
	delete(p.Content, name)
	p.names = slices.DeleteFunc(p.names, func(have string) bool { return have == name })
	element := regexp.MustCompile(`<(?:\w+:)?Override\s[^>]*PartName="/` +
		regexp.QuoteMeta(name) + `"[^>]*(?:/>|>\s*</(?:\w+:)?Override>)`)
	p.Content[typesPart] = element.ReplaceAll(p.Content[typesPart], nil)
}

// dropRelation takes a relationship of a part out.
func (p *bookParts) dropRelation(owner, id string) {
	element := regexp.MustCompile(`<(?:\w+:)?Relationship\s[^>]*\bId="` +
		regexp.QuoteMeta(id) + `"[^>]*(?:/>|>\s*</(?:\w+:)?Relationship>)`)
	name := relationsName(owner)
	p.Content[name] = element.ReplaceAll(p.Content[name], nil)
}

var targetAttribute = pattern.Of(`(\sTarget=")([^"]*)(")`)

// renamedTargets leads relationships to where their parts went.
func renamedTargets(content []byte, folder string, renamed map[string]string) []byte {
	return targetAttribute.ReplaceAllFunc(content, func(attribute []byte) []byte {
		m := targetAttribute.FindSubmatch(attribute)
		to := renamed[resolve(folder, string(m[2]))]
		if to == "" {
			return attribute
		}
		target := "/" + to
		if folder == "xl/worksheets/" {
			target = "../" + strings.TrimPrefix(to, "xl/")
		}
		return []byte(string(m[1]) + target + string(m[3]))
	})
}

var partAttribute = pattern.Of(`(\sPartName=")/([^"]*)(")`)

func renamedTypes(content []byte, renamed map[string]string) []byte {
	return partAttribute.ReplaceAllFunc(content, func(attribute []byte) []byte {
		m := partAttribute.FindSubmatch(attribute)
		if to := renamed[string(m[2])]; to != "" {
			return []byte(string(m[1]) + "/" + to + string(m[3]))
		}
		return attribute
	})
}
