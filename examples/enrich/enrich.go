// Command sluice-plugin-enrich is a plugin of one's own that waits: it asks a service about each record.
package main

import (
	"context"
	"net/url"
	"time"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/cache"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/retry"
)

func main() { sdk.Main(enrich) }

// enrich is the plugin. It is concurrent, so that one worker has several calls under way.
var enrich = sdk.Plugin{
	Name: "enrich", Doc: "adds what a service answers about a value of each record",
	Args: config{Into: "answer", Concurrency: 16, Tries: 5, Seconds: 10}, New: open, Concurrent: true,
	Codes: map[string]string{
		"no_value":   "the record does not have the value that the service is asked about",
		"no_answer":  "the service failed as often as the step asks it, or refuses the value",
		"bad_answer": "the service answered with what is not JSON",
	},
}

type config struct {
	URL         string  `hcl:"url" doc:"the address that is asked, with the value as its parameter q"`
	Of          string  `hcl:"of" doc:"the gjson path of the value"`
	Into        string  `hcl:"into,optional" doc:"the path that gets the answer"`
	Concurrency int     `hcl:"concurrency,optional" doc:"how many calls of one worker are under way at once"`
	Tries       int     `hcl:"tries,optional" doc:"how often the service is asked about one record at most"`
	Seconds     float64 `hcl:"seconds,optional" doc:"the longest that one try may take"`
	Cache       string  `hcl:"cache,optional" doc:"a file that keeps the answers for the next run" example:"\"out/answers.cache\""`
}

type enricher struct {
	config
	*cache.Cache
}

func open(a sdk.Args) (sdk.Processor, error) {
	e := &enricher{}
	err := a.Decode(&e.config)
	if err == nil {
		if e.Cache, err = cache.Open(e.config.Cache); err != nil {
			err = a.Errorf("cache", "%v", err)
		}
	}
	return sdk.Concurrent(e.Concurrency, e), err
}

// Process implements sdk.Processor. Several goroutines call it.
func (e *enricher) Process(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	value := r.Get(e.Of)
	if !value.Exists() {
		return sdk.Reject("no_value", e.Of, "want a value")
	}
	address := e.URL + "?q=" + url.QueryEscape(value.String())
	answer, err := e.Get(address, func() ([]byte, error) {
		r.Count("asked", 1)
		body, err := retry.Get(ctx, retry.Policy{Tries: e.Tries, Try: time.Duration(e.Seconds * 1e9)}, address)
		if err != nil {
			return nil, sdk.Reject("no_answer", "", "%v", err)
		}
		if jsontext.Check(body, 100) != nil {
			return nil, sdk.Reject("bad_answer", "", "want JSON from the service")
		}
		return body, nil
	})
	if err == nil {
		err = r.SetRaw(e.Into, answer)
	}
	if err == nil {
		emit(r)
	}
	return err
}
