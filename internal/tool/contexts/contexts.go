// Package contexts handles contexts that are nil.
package contexts

import "context"

// Given returns ctx, or context.Background if ctx is nil. Each exported function with a context calls it first.
func Given(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
