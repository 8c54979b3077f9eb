//go:build js && wasm

// Wasm is the library as WebAssembly in a worker of the page. It answers the calls of package engine.
package main

import (
	"context"
	"syscall/js"

	"github.com/gcnsim/gcnsim/page/internal/engine"
)

func main() {
	global := js.Global()
	e := &engine.Engine{Progress: func(executed uint64) { global.Call("gcnsimProgress", executed) }}
	global.Set("gcnsimCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer, err := e.Call(context.Background(), args[0].String(), []byte(args[1].String()))
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"answer": string(answer)}
	}))
	global.Call("gcnsimReady")
	select {}
}
