package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bucket"
)

const bucketUsage = "bucket start | put FILE KEY | [!] get KEY FILE | keys [KEY...] | uploads N | damage PREFIX | deny [REQUEST...] | faults [SEED SHARE]"

type bucketKey struct{}

// A heldBucket is the object storage of a script, once it has one.
type heldBucket struct{ *bucket.Server }

// bucketCommand starts object storage with the bucket "corpus" for a script, and looks into it. It ends with the script.
func bucketCommand(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg && args[0] != "get", len(args) > 0, bucketUsage)
	s, what, args := ts.Value(bucketKey{}).(*heldBucket), args[0], args[1:]
	switch n := len(args); {
	case what == "start" && n == 0:
		var err error
		s.Server, err = bucket.Start()
		ts.Check(err)
		ts.Defer(s.Close)
		for _, v := range s.Env() {
			name, value, _ := strings.Cut(v, "=")
			ts.Setenv(name, value)
		}
	case what == "put" && n == 2:
		ts.Check(s.Put(args[1], []byte(ts.ReadFile(args[0]))))
	case what == "get" && n == 2:
		data, err := s.Get(args[0])
		if neg && err == nil {
			ts.Fatalf("want no object %s, have one of %d bytes", args[0], len(data))
		}
		if !neg {
			ts.Check(err)
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
		}
	case what == "keys":
		keys, err := s.Keys()
		ts.Check(err)
		if !slices.Equal(keys, args) {
			ts.Fatalf("want the objects %q, have %q", args, keys)
		}
	case what == "uploads" && n == 1:
		open, err := s.Uploads()
		ts.Check(err)
		if strconv.Itoa(open) != args[0] {
			ts.Fatalf("want %s uploads under way, have %d", args[0], open)
		}
	case what == "damage" && n == 1:
		damage(ts, s.Server, args[0])
	case what == "deny":
		s.Deny(args...)
	case what == "faults" && n == 0:
		s.Spoil(nil)
	case what == "faults" && n == 2:
		seed, err := strconv.ParseUint(args[0], 10, 64)
		ts.Check(err)
		share, err := strconv.ParseFloat(args[1], 64)
		ts.Check(err)
		s.Spoil(bucket.NewFaults(seed, share))
	default:
		ts.Fatalf("usage: %s", bucketUsage)
	}
}

// damage changes a byte of each object with a prefix that has some.
func damage(ts *testscript.TestScript, s *bucket.Server, prefix string) {
	keys, err := s.Keys()
	ts.Check(err)
	for _, key := range keys {
		if text, err := s.Get(key); err == nil && len(text) > 64 && strings.HasPrefix(key, prefix) {
			text[20] ^= 1
			ts.Check(s.Put(key, text))
		}
	}
}

// webCommand serves the files of a script over HTTP and sets $WEB to its address. The server wants the query "signature=web-secret", as
// signed URLs have one.
func webCommand(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 0, "web")
	files := http.FileServer(http.Dir(ts.MkAbs(".")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("signature") != "web-secret":
			w.WriteHeader(http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, "/whole/"): // a server that knows no ranges
			r.Header.Del("Range")
			http.StripPrefix("/whole", files).ServeHTTP(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("WEB", server.URL)
}
