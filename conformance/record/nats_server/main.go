// A server of NATS, built from modules that go.sum names by hash: `server -c FILE`.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

func main() {
	flags := flag.NewFlagSet("nats-server", flag.ExitOnError)
	nothing := func() {}
	options, err := server.ConfigureOptions(flags, os.Args[1:], nothing, nothing, nothing)
	if err == nil {
		var one *server.Server
		if one, err = server.NewServer(options); err == nil {
			one.ConfigureLogger()
			if err = server.Run(one); err == nil {
				one.WaitForShutdown()
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
