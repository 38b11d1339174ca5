// Package budget keeps what an organisation allows over time: how many asks, or round
// trips, a principal, session, route, tool or client may cause in a window.
//
// A budget is a token bucket for each of those. A round of asks is charged to every
// budget that it matches before anyone is asked, to all of them or to none. Where the
// buckets are is a Store's affair; the one here is in memory.
package budget
