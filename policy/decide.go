package policy

// Decide returns the first rule that matches, nil when none does: the ask is then forwarded. An
// error is an [*EvalError] and fails the ask.
func (s *Set) Decide(q *Question) (*Rule, error) {
	if s == nil || len(s.rules) == 0 {
		return nil, nil
	}
	e := evaluation{q: q}
	for _, r := range s.rules {
		ok, field, err := r.match.holds(&e)
		if err != nil {
			return nil, &EvalError{Rule: r, Field: field, Err: err}
		}
		if ok {
			return r, nil
		}
	}
	return nil, nil
}
