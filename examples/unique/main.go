// Command sluice-plugin-unique is a plugin of one's own that knows what came before: it drops repeated records.
package main

import "github.com/sluicehq/sluice/sdk"

func main() { sdk.Main(unique) }
