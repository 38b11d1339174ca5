// Package proxy is the traffic handler: it lets in what may come in, finds the route
// and the era of a request, and hands it to the dialect of its client.
//
// The way of a request is recover → Host and Origin → route → token → body → era →
// dialect. What a route is made of is an immutable snapshot that a reload replaces;
// exchanges that run keep theirs.
package proxy
