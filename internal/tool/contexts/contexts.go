// Package contexts says what a context is that is not given.
package contexts

import "context"

// Given returns ctx, that which never ends if it is nil. Each exported function that takes a
// context begins with it.
func Given(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
