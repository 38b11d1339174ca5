package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// maxFileBytes bounds a configuration file.
const maxFileBytes = 4 << 20

// Options are what a file cannot say for itself. The zero value is good.
type Options struct {
	Listen      string                         // of the command line: goes before the file's; "" = the file's
	AdminListen string                         // the same for admin.listen
	Actions     map[string]policy.ActionParser // rule actions beyond policy's own
	CheckKeys   func(path string) error        // judges session.key_file; nil = it is not looked at
	CheckTLS    func(TLS) error                // judges files for TLS; nil = they are not looked at
	LookupEnv   func(string) (string, bool)    // nil = the environment of the process
}

// Load reads and checks a file. The Config is nil exactly when there are problems; a file that cannot be read is one.
func Load(path string, o Options) (*Config, Problems) {
	data, problems := readFile(path)
	if problems != nil {
		return nil, problems
	}
	return Parse(path, data, o)
}

func readFile(path string) ([]byte, Problems) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(data) > maxFileBytes {
		err = fmt.Errorf("is longer than %d bytes", maxFileBytes)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return data, nil
}

func unreadable(path string, err error) Problems {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return Problems{{File: path, Message: err.Error()}}
}

// Parse checks the content of a file. name is what problems call it; relative paths in it count from its folder.
func Parse(name string, data []byte, o Options) (*Config, Problems) {
	r := &reader{file: name, dir: filepath.Dir(name), opts: o}
	root, problem := document(data)
	if problem != nil {
		problem.File = name
		return nil, Problems{*problem}
	}
	return r.config(root)
}

// ForUpstream is the configuration without a file: one route, /mcp, to a server.
func ForUpstream(server string, o Options) (*Config, Problems) {
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	in := func(key string, held *yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{text(key), held}}
	}
	route := in("upstream", in("url", text(server)))
	routes := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{route}}
	r := &reader{file: "--upstream", dir: ".", opts: o}
	return r.config(in("routes", routes))
}

// document gives the root of the one document of a file.
func document(data []byte) (*yaml.Node, *Problem) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1}, nil
	case err != nil:
		return nil, syntax(err, bytes.Count(data, []byte("\n"))+1)
	}
	if err := d.Decode(&second); err == nil {
		return nil, &Problem{Line: second.Line, Message: "a second document begins here, want one"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(err, bytes.Count(data, []byte("\n"))+1)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Value == "" { // an empty one, which may be said to be behind the end of the file
		root.Line = doc.Line
	}
	return root, nil
}

// syntax takes the line out of an error of the YAML parser.
func syntax(err error, lines int) *Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		number, after, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, message = min(max(n, 1), lines), after
		}
	}
	return &Problem{Line: line, Message: "no YAML: " + message}
}
