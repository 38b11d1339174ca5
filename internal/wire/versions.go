package wire

// Modern is the revision spoken upstream, and downstream by modern clients.
const Modern = "2026-07-28"

// Version is a legacy revision. Later ones are greater; 0 is none.
type Version uint8

// The legacy revisions.
const (
	V20241105 Version = iota + 1
	V20250326
	V20250618
	V20251125
)

// Newest is the legacy revision offered to a client that asks for an unknown one.
const Newest = V20251125

var versionNames = [...]string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// ParseVersion finds the legacy revision named s. It is false for every other
// string, the modern revision too.
func ParseVersion(s string) (Version, bool) {
	for v := V20241105; v <= Newest; v++ {
		if versionNames[v] == s {
			return v, true
		}
	}
	return 0, false
}

// String is the revision's name on the wire, "" for none.
func (v Version) String() string {
	if int(v) >= len(versionNames) {
		return ""
	}
	return versionNames[v]
}
