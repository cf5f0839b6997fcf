// Looks one name up with the resolver of Go: lookup FAMILY 0xBYTES.
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
)

func main() {
	name, err := hex.DecodeString(os.Args[2][2:])
	if err != nil {
		os.Exit(2)
	}
	network := map[string]string{"unspec": "ip", "4": "ip4", "6": "ip6"}[os.Args[1]]
	resolver := &net.Resolver{PreferGo: true}
	addresses, err := resolver.LookupIP(context.Background(), network, string(name))
	var failure *net.DNSError
	switch {
	case err == nil:
		fmt.Print("ok")
	case errors.As(err, &failure) && failure.IsNotFound:
		fmt.Print("not found")
	default:
		fmt.Print("error")
	}
	for _, address := range addresses {
		fmt.Print("\t", address)
	}
	fmt.Println()
}
