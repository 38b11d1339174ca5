//go:build !linux

package daemon

import "time"

// monotonic is unknown here, where no supervisor asks for it.
func monotonic() time.Duration { return 0 }
