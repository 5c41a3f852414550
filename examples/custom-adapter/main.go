// Command sluice-plugin-desk is an adapter of a team's own: it reads the log of a support desk, one ticket a record,
// and gives an eliza_native_v1 row.
package main

import "github.com/sluicehq/sluice/sdk"

func main() { sdk.Main(desk) }
