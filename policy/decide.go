package policy

// Decide returns the first rule that matches, nil when none does: the ask is then forwarded. An
// error is an [*EvalError] and fails the ask. Rules on trial are passed over.
func (s *Set) Decide(q *Question) (*Rule, error) { return s.Judge(q, nil) }

// Judge decides, and tells observed of every rule on trial that the ask comes by and that matches, or
// that could not be judged, which fails nothing: err is an [*EvalError] then. observed may be nil.
func (s *Set) Judge(q *Question, observed func(r *Rule, err error)) (*Rule, error) {
	if s == nil || len(s.rules) == 0 {
		return nil, nil
	}
	e := evaluation{q: q}
	for _, r := range s.rules {
		if r.Observed && observed == nil {
			continue
		}
		ok, field, err := r.match.holds(&e)
		if err != nil {
			err = &EvalError{Rule: r, Field: field, Err: err}
		}
		switch {
		case r.Observed && (ok || err != nil):
			observed(r, err)
		case err != nil:
			return nil, err
		case ok && !r.Observed:
			return r, nil
		}
	}
	return nil, nil
}
