package answer

import "testing"

func TestFormats(t *testing.T) {
	for name, values := range map[string]struct{ good, bad []string }{
		"email": {
			[]string{"a@b", "first.last+tag@example.com", "o'brien@example.co.uk"},
			[]string{"", "a", "@b", "a@", "Ann <a@b.example>", "<a@b.example>", "a@b.example, c@d.example", "a@b.example (Ann)", " a@b.example", "a b@c.example"},
		},
		"uri": {
			[]string{"https://example.com/a?b=%41#c", "urn:isbn:0451450523", "mailto:a@b.example", "file:///tmp/x", "http://[::1]:80/"},
			[]string{"", "example.com", "/path", "https://a b/", "https://a/\u00e9", "https://a/%4", "1http://a", "https://a/#b#c", "https://a/\n", "http://[::1"},
		},
		"date": {
			[]string{"2026-07-28", "2024-02-29", "0001-01-01"},
			[]string{"", "2026-7-28", "2026-02-29", "2026-13-01", "28.07.2026", "2026-07-28T00:00:00Z"},
		},
		"date-time": {
			[]string{"2026-07-28T23:59:59Z", "2026-07-28t00:00:00.123456z", "2026-07-28T12:00:00+05:30", "2016-12-31T23:59:60Z"},
			[]string{"", "2026-07-28", "2026-07-28T24:00:00Z", "2026-07-28T12:60:00Z", "2026-07-28T12:00:61Z", "2026-07-28T12:00:00", "2026-07-28 12:00:00Z", "2026-07-28T12:00:00,5Z", "2026-02-30T12:00:00Z", "2026-07-28T12:00:00+24:00"},
		},
	} {
		for _, v := range values.good {
			if !formats[name](v) {
				t.Errorf("%s: %q was refused", name, v)
			}
		}
		for _, v := range values.bad {
			if formats[name](v) {
				t.Errorf("%s: %q was taken", name, v)
			}
		}
	}
}
