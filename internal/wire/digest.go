package wire

import "hash/maphash"

// digest is a hash that has been computed.
type digest struct {
	seed maphash.Seed
	hash uint64
}

// ResultDigest is a hash of the raw result of a message that has come whole, and the
// length of it; two results with the same of both are the same, as far as anyone who
// does not know the seed can do about it. It is computed once for a seed.
func (s *Scanner) ResultDigest(seed maphash.Seed) (hash uint64, size int) {
	raw := s.Result.Of(s.buf)
	if s.digest.seed != seed {
		s.digest = digest{seed, maphash.Bytes(seed, raw)}
	}
	return s.digest.hash, len(raw)
}
