#!/bin/bash -eu
# Builds every fuzz target of the module, as OSS-Fuzz runs it: $OUT gets the fuzzers, with their
# seeds and, for those that read assembly, a dictionary of the mnemonics.
cd "$SRC/gcnsim"
go build -o /tmp/gcnsim ./cmd/gcnsim
for pkg in $(go list ./...); do
	dir=$(go list -f '{{.Dir}}' "$pkg")
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		name=$(echo "${pkg#github.com/gcnsim/gcnsim}_$target" | tr '/' '_')
		name=${name#_}
		compile_native_go_fuzzer "$pkg" "$target" "$name"
		if [ -d "$dir/testdata/fuzz/$target" ]; then
			zip -qj "$OUT/${name}_seed_corpus.zip" "$dir/testdata/fuzz/$target"/*
		fi
		case $pkg in
		*/asm | */listing | */job | */r600) # a mnemonic a line
			/tmp/gcnsim support | sed -n 's/^| \([a-z][a-z0-9_]*\) |.*/"\1"/p' | sort -u >"$OUT/$name.dict" ;;
		esac
	done
done
