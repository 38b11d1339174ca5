package answer

import (
	"encoding/json"
	"errors"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// checked is the end of every way that brought an answer: it goes up if it fits the ask, and never if not.
func (j *job) checked(source string, raw json.RawMessage) ending {
	e := ending{source: source, outcome: metrics.AskAnswered}
	var err error
	switch j.ask.Kind {
	case wire.ElicitationForm, wire.ElicitationURL:
		e.answer, e.outcome, err = j.elicitation(raw)
	case wire.Sampling:
		e.answer, err = raw, checkSampling(raw)
	case wire.Roots:
		e.answer, err = plainRoots(raw)
	default:
		err = errors.New("its kind is not known")
	}
	if err != nil {
		return j.invalid(source, err.Error())
	}
	return e
}

// elicitation checks an ElicitResult. Content belongs to an accepted form alone.
func (j *job) elicitation(raw json.RawMessage) (json.RawMessage, metrics.AskOutcome, error) {
	var action, content []byte
	err := wire.Each(raw, func(name string, v []byte) error {
		switch name {
		case "action":
			action = v
		case "content":
			content = v
		}
		return nil
	})
	if err != nil {
		return nil, 0, errors.New("it is no object with an action")
	}
	var outcome metrics.AskOutcome
	switch word, _ := wire.Unquote(action); word {
	case "accept":
		outcome = metrics.AskAccept
	case "decline":
		outcome = metrics.AskDecline
	case "cancel":
		outcome = metrics.AskCancel
	default:
		return nil, 0, errors.New("it has no action that is known")
	}
	empty := wire.KindOf(content) == 'n' || content == nil
	if outcome == metrics.AskAccept && j.form != nil {
		if empty {
			err = j.form.check([]byte(`{}`))
		} else {
			err = j.form.check(content)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if content != nil && (empty || outcome != metrics.AskAccept || j.form == nil) {
		raw = with(raw, "content", "")
	}
	return raw, outcome, nil
}

// checkSampling checks what every CreateMessageResult has (MCP, Sampling).
func checkSampling(raw json.RawMessage) error {
	var role, content, model []byte
	err := wire.Each(raw, func(name string, v []byte) error {
		switch name {
		case "role":
			role = v
		case "content":
			content = v
		case "model":
			model = v
		}
		return nil
	})
	if err != nil {
		return errors.New("it is no object")
	}
	if word, _ := wire.Unquote(role); word != "assistant" && word != "user" {
		return errors.New("it has no role that is known")
	}
	if wire.KindOf(model) != '"' {
		return errors.New("it names no model")
	}
	switch wire.KindOf(content) {
	case '{':
		return checkBlock(content)
	case '[':
		var blocks []json.RawMessage
		if json.Unmarshal(content, &blocks) != nil {
			return errors.New("its content is malformed")
		}
		for _, block := range blocks {
			if err := checkBlock(block); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("it has no content")
}

func checkBlock(block []byte) error {
	if wire.KindOf(block) != '{' || wire.KindOf(wire.Get(block, "type")) != '"' {
		return errors.New("a part of its content has no type")
	}
	return nil
}

// plainRoots checks a ListRootsResult (MCP, Roots) and takes out the null names that some clients send. URIs are not judged.
func plainRoots(raw json.RawMessage) (json.RawMessage, error) {
	var list []byte
	err := wire.Each(raw, func(name string, v []byte) error {
		if name == "roots" {
			list = v
		}
		return nil
	})
	var roots []json.RawMessage
	if err != nil || wire.KindOf(list) != '[' || json.Unmarshal(list, &roots) != nil {
		return nil, errors.New("it has no list of roots")
	}
	null := false
	for i, root := range roots {
		var uri, name []byte
		err := wire.Each(root, func(member string, v []byte) error {
			switch member {
			case "uri":
				uri = v
			case "name":
				name = v
			}
			return nil
		})
		if err != nil || wire.KindOf(uri) != '"' {
			return nil, errors.New("one of its roots has no uri")
		}
		if name != nil && wire.KindOf(name) == 'n' {
			roots[i], null = with(root, "name", ""), true
		}
	}
	if !null {
		return raw, nil
	}
	plain := []byte{'['}
	for i, root := range roots {
		if i > 0 {
			plain = append(plain, ',')
		}
		plain = append(plain, root...)
	}
	return with(raw, "roots", string(append(plain, ']'))), nil
}
