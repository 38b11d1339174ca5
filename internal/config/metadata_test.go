package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestMetadata(t *testing.T) {
	for yaml, want := range map[string]Metadata{
		"":                                {},
		"    metadata: {publish: true}\n": {Publish: true},
		"    metadata: {publish: true, resource: \"\"}\n":                        {Publish: true},
		"    metadata: {publish: true, resource: \"HTTPS://Mcp.example/a?b\"}\n": {true, "HTTPS://Mcp.example/a?b"},
	} {
		c, problems := Parse("c.yaml", []byte(good+yaml), Options{})
		if len(problems) > 0 || c.Routes[0].Metadata != want {
			t.Errorf("%q: %+v, %v", yaml, c, problems)
		}
	}
}

func TestMetadataIsRefused(t *testing.T) {
	for yaml, want := range map[string]string{
		good + "    metadata: {publish: true, resource: mcp.example}\n":                        `4: routes[0].metadata.resource: "mcp.example" is no http or https URL`,
		good + "    metadata: {resource: \"ftp://mcp.example\"}\n":                             `4: routes[0].metadata.resource: "ftp://mcp.example" is no http or https URL`,
		good + "    metadata: {resource: \"https://u:s3cret@mcp.example\"}\n":                  `4: routes[0].metadata.resource: may not have a user or a fragment`,
		good + "    metadata: {resource: \"https://mcp.example/#\"}\n":                         `4: routes[0].metadata.resource: may not have a user or a fragment`,
		good + "    metadata: {publish: true}\n    upstream: {}\n":                             "5: routes[0].upstream: is already given in line 3",
		strings.Replace(good, "}", ", authorization: none}\n    metadata: {publish: true}", 1): "4: routes[0].metadata.publish: needs authorization: forward: clients' own credentials do not go to this server",
	} {
		refused(t, yaml, want)
	}
}

// Every configuration on the page about authorization is a good one.
func TestExamplesOfAuthorization(t *testing.T) {
	page, err := os.ReadFile("../../docs/authorization.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(examples) < 4 {
		t.Errorf("%d examples", len(examples))
	}
	for _, m := range examples {
		if _, problems := Parse("example", []byte(m[1]), Options{LookupEnv: func(string) (string, bool) { return "Bearer x", true }}); len(problems) > 0 {
			t.Errorf("%s\n%v", m[1], problems)
		}
	}
}
