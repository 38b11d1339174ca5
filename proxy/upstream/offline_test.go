package upstream

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
)

func mustParse(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func answerTo(r *http.Request, status int, body string) *http.Response {
	sent, _ := io.ReadAll(r.Body)
	body = fill(body, parse(r, sent))
	h := http.Header{}
	if strings.HasPrefix(body, "{") {
		h.Set("Content-Type", "application/json")
	}
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, Header: h, Request: r,
		Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
	}
}
