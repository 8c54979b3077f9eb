package demangle

// Symbol returns symbol as it is. A browser would load 0.1 MB more to read the names of C++ and Rust.
func Symbol(symbol string) string { return symbol }
