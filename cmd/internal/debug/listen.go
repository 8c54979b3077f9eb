package debug

import (
	"context"
	"fmt"
	"net"
)

// AddressError says that an address could be reached from other machines.
type AddressError struct{ Address string }

// Error says which addresses there are.
func (e *AddressError) Error() string {
	return fmt.Sprintf("--listen=%s: a client can do what its user can, so that only addresses of the machine itself are "+
		"taken; give 127.0.0.1:PORT, [::1]:PORT or localhost:PORT", e.Address)
}

// Listen waits for clients at an address of the machine itself. The error of another one is an *[AddressError].
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, &AddressError{address}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() { // a strange localhost
		l.Close()
		return nil, &AddressError{address}
	}
	return l, nil
}

// ServeOne answers the requests of the next client that connects, until it disconnects or ctx ends.
func ServeOne(ctx context.Context, l net.Listener, launcher Launcher) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	return Serve(conn, conn, launcher)
}
