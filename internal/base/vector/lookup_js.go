package vector

// Where there are no compiled blocks, as in the page, nobody needs the operations.

// Int returns no operation.
func Int(string) *Op { return nil }

// WideOp returns no operation.
func WideOp(string) *Wide { return nil }

// Conversion returns no operation.
func Conversion(string) *Op { return nil }

// FloatOp returns no operation.
func FloatOp(string) *Float { return nil }

// Compare returns no operation.
func Compare(string) *Comparison { return nil }

// CarryOp returns no operation.
func CarryOp(string) *Carry { return nil }
