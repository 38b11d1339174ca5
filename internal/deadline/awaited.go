package deadline

import (
	"context"
	"time"
)

// Awaited is a value that somebody else brings while one waits for it. It takes one channel whatever ends the wait, and with
// a Context one timer: what waits for a person waits for long, and with many others.
type Awaited[T any] struct{ came chan news[T] }

type news[T any] struct {
	value T
	end   end
}

// end is why no value is waited for any more.
type end uint8

const (
	cancelled end = iota + 1
	due
)

// NewAwaited makes one.
func NewAwaited[T any]() Awaited[T] { return Awaited[T]{make(chan news[T], 1)} }

// Deliver brings the value. The first one counts, and it returns at once.
func (a Awaited[T]) Deliver(value T) { a.tell(news[T]{value: value}) }

func (a Awaited[T]) tell(n news[T]) {
	select {
	case a.came <- n:
	default:
	}
}

// Wait waits for the value, or until ctx ends, and gives that one's error then. It is called once.
func (a Awaited[T]) Wait(ctx context.Context) (value T, err error) {
	defer OnCancel(ctx, func() { a.tell(news[T]{end: cancelled}) })()
	if at := Of(ctx); !at.IsZero() {
		defer time.AfterFunc(time.Until(at), func() { a.tell(news[T]{end: due}) }).Stop()
	}
	n := <-a.came
	if n.end == 0 {
		return n.value, nil
	}
	if c, ok := ctx.(*Context); ok {
		err, _ = c.end(n.end == due)
	} else {
		err = ctx.Err()
	}
	return value, err
}
