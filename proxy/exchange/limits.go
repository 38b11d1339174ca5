package exchange

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// ToolLimits are the limits of calls of some tools.
type ToolLimits struct {
	Tools  policy.Pattern
	Limits resolver.Limits
}

// limitsOf gives the limits of one request.
func (s *Service) limitsOf(c *upstream.Call) *resolver.Limits {
	if c.Method == wire.MethodToolsCall {
		for i := range s.ToolLimits {
			if l := &s.ToolLimits[i]; l.Tools.Match(c.Name) {
				return &l.Limits
			}
		}
	}
	return &s.Limits
}
