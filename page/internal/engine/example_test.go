package engine_test

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/page/internal/engine"
)

// The page checks a program while the user types it.
func ExampleEngine_Call() {
	var e engine.Engine
	answer, err := e.Call(context.Background(), "check", []byte(`{"mcpu":"fiji","asm":"s_nop 0\nv_mov v0, 1"}`))
	fmt.Println(string(answer), err)
	// Output:
	// {"errors":[{"line":2,"col":1,"message":"unknown instruction \"v_mov\" on gfx803"}]} <nil>
}
