package resolver

import "time"

// MostInputRequests is the number of asks in one round that a State can hold. Beyond
// it max_input_requests is enforced even when limits are only observed; a
// configuration must not allow more.
const MostInputRequests = 1024

// Limits bounds round trips. Counts below one allow nothing at all.
type Limits struct {
	// Observe counts the trips of counts and times and stops nothing. Sizes and open
	// round trips are enforced all the same.
	Observe bool

	MaxRounds             int           // attempts that carried answers, and the first
	MaxStateOnlyRounds    int           // state-only retries of a round trip
	MaxInputRequests      int           // asks in one round
	MaxTotalInputRequests int           // asks in a round trip
	MaxRequestStateBytes  int64         // requestState as it stands on the wire, without its quotes
	MaxInputRequiredBytes int64         // one input_required result
	MaxRoundTripTime      time.Duration // a round trip, from its first attempt
	InputTimeout          time.Duration // one ask

	// Held by the owner of the exchanges; a State knows nothing of other round trips.
	MaxOpenRoundTrips           int
	MaxOpenRoundTripsPerSession int
}

// DefaultLimits returns the limits that hold where the configuration sets none.
func DefaultLimits() Limits {
	return Limits{
		MaxRounds:                   8,
		MaxStateOnlyRounds:          400,
		MaxInputRequests:            16,
		MaxTotalInputRequests:       64,
		MaxRequestStateBytes:        64 << 10,
		MaxInputRequiredBytes:       1 << 20,
		MaxRoundTripTime:            30 * time.Minute,
		InputTimeout:                10 * time.Minute,
		MaxOpenRoundTrips:           10000,
		MaxOpenRoundTripsPerSession: 32,
	}
}

// Limit names one of the Limits. Zero is none. When several trip in one round, the
// lowest is the one reported.
type Limit uint8

// The limits, in the order in which trips are reported.
const (
	MaxRounds Limit = iota + 1
	MaxStateOnlyRounds
	MaxInputRequests
	MaxTotalInputRequests
	MaxRequestStateBytes
	MaxInputRequiredBytes
	MaxRoundTripTime
	InputTimeout
	MaxOpenRoundTrips
	MaxOpenRoundTripsPerSession
)

// String returns the limit's name in configuration, metrics and failures; "" for none.
func (l Limit) String() string {
	switch l {
	case MaxRounds:
		return "max_rounds"
	case MaxStateOnlyRounds:
		return "max_state_only_rounds"
	case MaxInputRequests:
		return "max_input_requests"
	case MaxTotalInputRequests:
		return "max_total_input_requests"
	case MaxRequestStateBytes:
		return "max_request_state_bytes"
	case MaxInputRequiredBytes:
		return "max_input_required_bytes"
	case MaxRoundTripTime:
		return "max_round_trip_time"
	case InputTimeout:
		return "input_timeout"
	case MaxOpenRoundTrips:
		return "max_open_round_trips"
	case MaxOpenRoundTripsPerSession:
		return "max_open_round_trips_per_session"
	}
	return ""
}

// observable reports whether Limits.Observe lets l pass: counts and times do, sizes
// and open round trips do not.
func (l Limit) observable() bool {
	switch l {
	case MaxRounds, MaxStateOnlyRounds, MaxInputRequests, MaxTotalInputRequests, MaxRoundTripTime, InputTimeout:
		return true
	}
	return false
}
