package upstream

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// decoded is the body without its content encoding, and its length, -1 when that is not known. Identity is asked for, but
// some servers compress regardless; the bound of a message holds for what comes out.
func (a *attempt) decoded(resp *http.Response) (io.Reader, int64, *Error) {
	encodings := resp.Header["Content-Encoding"]
	if len(encodings) == 0 {
		return resp.Body, resp.ContentLength, nil
	}
	switch encoding := strings.ToLower(strings.TrimSpace(strings.Join(encodings, ","))); encoding {
	case "", "identity":
		return resp.Body, resp.ContentLength, nil
	case "gzip", "x-gzip":
		return &gunzip{from: resp.Body}, -1, nil
	default:
		return nil, 0, a.fail(Encoding, "upstream answered in the content encoding "+wire.Clean(encoding, 100)+", which was not asked for")
	}
}

// gunzip reads the gzip header with the first byte that is wanted, so that a stream that is silent at first is watched
// like any other.
type gunzip struct {
	from io.Reader
	z    *gzip.Reader
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.z == nil {
		if g.z, err = gzip.NewReader(g.from); err != nil {
			return 0, err
		}
	}
	return g.z.Read(p)
}

// isCompression tells an error of the encoding from one of the connection.
func isCompression(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
