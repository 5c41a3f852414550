// Command sluice-plugin-modelspec-lint is a plugin of a team's own that labels threads with what it guesses from their words.
package main

import "github.com/sluicehq/sluice/sdk"

func main() { sdk.Main(lint) }
