package wire

import "bytes"

// SplitBatch gives the elements of a JSON-RPC batch, raw and as parts of body; what
// they are is not looked at. The error is an *Error: body is no valid JSON, no array
// (NotAMessage), empty or of more than max elements (Batch).
func SplitBatch(body []byte, max int) ([][]byte, error) {
	if err := Validate(body); err != nil {
		return nil, err
	}
	body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	if KindOf(body) != '[' {
		return nil, &Error{Reason: NotAMessage}
	}
	var all [][]byte
	err := elements(body, func(v []byte) error {
		if len(all) == max {
			return &Error{Reason: Batch, Offset: len(body)}
		}
		all = append(all, v)
		return nil
	})
	if err == nil && len(all) == 0 {
		err = &Error{Reason: Batch}
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}
