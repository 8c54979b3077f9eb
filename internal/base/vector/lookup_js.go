package vector

// In builds without compiled blocks, such as the page, the operations are not needed.

// Int returns nil.
func Int(string) *Op { return nil }

// WideOp returns nil.
func WideOp(string) *Wide { return nil }

// Conversion returns nil.
func Conversion(string) *Op { return nil }

// FloatOp returns nil.
func FloatOp(string) *Float { return nil }

// Compare returns nil.
func Compare(string) *Comparison { return nil }

// CarryOp returns nil.
func CarryOp(string) *Carry { return nil }
