package wire

import "testing"

func TestTraceID(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for value, want := range map[string]string{
		"00-" + id + "-b7ad6b7169203331-01":                  id,
		"00-" + id + "-b7ad6b7169203331-00":                  id,
		"cc-" + id + "-b7ad6b7169203331-01-what-comes-later": id,
		"":                                       "",
		"00-" + id + "-b7ad6b7169203331":         "",
		"00-" + id + "-b7ad6b7169203331-01-more": "",
		"cc-" + id + "-b7ad6b7169203331-01more":  "",
		"ff-" + id + "-b7ad6b7169203331-01":      "",
		"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01":    "",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01":    "",
		"00-" + id + "-0000000000000000-01":                          "",
		"00-" + id + "_b7ad6b7169203331-01":                          "",
		"00-" + id[:31] + "\"-b7ad6b7169203331-01":                   "",
		"00-" + id + "-b7ad6b7169203331-0g":                          "",
		"0x-" + id + "-b7ad6b7169203331-01":                          "",
		"00-" + id + "-b7ad6b716920333\n-01 and then something else": "",
	} {
		if got, ok := TraceID(value); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", value, got, ok)
		}
	}
}
