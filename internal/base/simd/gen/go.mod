module github.com/gcnsim/gcnsim/internal/base/simd/gen

go 1.26.0

require github.com/mmcloughlin/avo v0.6.0

require (
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/tools v0.50.0 // indirect
)

require github.com/gcnsim/gcnsim v0.0.0

replace github.com/gcnsim/gcnsim => ../../../..
