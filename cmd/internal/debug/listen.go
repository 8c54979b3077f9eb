package debug

import (
	"context"
	"fmt"
	"net"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
)

// Listen waits for clients at a loopback address. For other addresses the error is a *[request.FlagError].
func Listen(address string) (net.Listener, error) {
	wrong := &request.FlagError{Flag: "listen", Err: fmt.Errorf("%s: a client can do what its user can, so that only "+
		"addresses of the machine itself are taken; give 127.0.0.1:PORT, [::1]:PORT or localhost:PORT", address)}
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, wrong
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() { // localhost may be configured as another address
		l.Close()
		return nil, wrong
	}
	return l, nil
}

// ServeOne answers the requests of the next client until the client disconnects or ctx ends.
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
