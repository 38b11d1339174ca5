package config

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// lineEnds are what YAML 1.1 ends a line with.
var lineEnds = regexp.MustCompile(`\r\n?|[\n\x{85}\x{2028}\x{2029}]`)

// Whatever a file holds, it is either a Config or a list of problems on lines that it has.
func FuzzParse(f *testing.F) {
	example, err := os.ReadFile("../../config.example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	f.Add(good)
	f.Add(good + "policy: {rules: [{name: x, match: {tool: 'a*'}, accept: {content: {a: 1, b: [x]}}}]}\n")
	f.Add("---")
	f.Add("a: &a [*a]\n<<: *a\n? [x]\n: !y z\n--- \n")
	f.Fuzz(func(t *testing.T, yaml string) {
		c, problems := Parse("c.yaml", []byte(yaml), Options{Actions: testActions(), LookupEnv: lookup})
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("Config %v with %v", c, problems)
		}
		for _, p := range problems {
			if p.Line < 1 || p.Line > len(lineEnds.FindAllString(yaml, -1))+1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		if c == nil {
			return
		}
		for _, r := range c.Routes {
			for _, spec := range r.Policy.Rules {
				if spec.Match != nil && !json.Valid(spec.Match) || spec.Args != nil && !json.Valid(spec.Args) {
					t.Errorf("no JSON: %s %s", spec.Match, spec.Args)
				}
			}
		}
	})
}
