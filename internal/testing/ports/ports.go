// Package ports finds ports for servers of other programs, which cannot say afterwards which one they took.
//
// It gives none that the kernel gives out by itself (32768 and above): by the time that the server listens, another
// test might have it.
package ports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

const lowest, above = 20_000, 32_000

// Free returns a port of 127.0.0.1 that nobody listens at.
func Free() (int, error) {
	var failed error
	for range 100 {
		port := lowest + rand.IntN(above-lowest)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, l.Close()
		}
		failed = err
	}
	return 0, errors.Join(errors.New("no port is free"), failed)
}
