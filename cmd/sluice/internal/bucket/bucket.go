// Package bucket is object storage for tests: a server of S3 in this process, with what goes wrong on the way to a real one.
package bucket

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// What the server takes for credentials, and its one bucket.
const (
	Key    = "AKIATESTTESTTESTTEST"
	Secret = "a-secret-that-no-message-may-show"
	Name   = "corpus"
)

// A Server is object storage with the bucket Name.
type Server struct {
	URL string

	http    *httptest.Server
	backend *s3mem.Backend

	mu       sync.Mutex
	faults   *Faults  // nil: none
	denied   []string // beginnings of METHOD PATH?QUERY that are refused
	requests []string // METHOD PATH?QUERY, in the order in which they came
	watch    func(request string)
}

// Start starts a server. The caller closes it.
func Start() (*Server, error) {
	s := &Server{backend: s3mem.New()}
	if err := s.backend.CreateBucket(Name); err != nil {
		return nil, err
	}
	s.http = httptest.NewUnstartedServer(s.through(gofakes3.New(s.backend, gofakes3.WithTimeSkewLimit(0)).Server()))
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // of answers that faults have cut off
	s.http.Start()
	s.URL = s.http.URL
	return s, nil
}

// Env returns the environment of a program that uses the server.
func (s *Server) Env() []string {
	return []string{"AWS_ENDPOINT_URL=" + s.URL, "AWS_ACCESS_KEY_ID=" + Key, "AWS_SECRET_ACCESS_KEY=" + Secret, "AWS_EC2_METADATA_DISABLED=true"}
}

// Close ends the server and its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Put makes an object.
func (s *Server) Put(key string, data []byte) error {
	_, err := s.backend.PutObject(Name, key, map[string]string{"Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}, bytes.NewReader(data), int64(len(data)), nil)
	return err
}

// Get returns an object.
func (s *Server) Get(key string) ([]byte, error) {
	o, err := s.backend.GetObject(Name, key, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	defer o.Contents.Close()
	return io.ReadAll(o.Contents)
}

// Keys lists all objects, sorted.
func (s *Server) Keys() (keys []string, err error) {
	list, err := s.backend.ListBucket(Name, nil, gofakes3.ListBucketPage{})
	if err != nil {
		return nil, err
	}
	for _, o := range list.Contents {
		keys = append(keys, o.Key)
	}
	slices.Sort(keys)
	return keys, nil
}

// Uploads returns how many uploads were begun and neither completed nor aborted.
func (s *Server) Uploads() (int, error) {
	req, err := http.NewRequest(http.MethodGet, s.URL+"/"+Name+"?uploads", nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Credential="+Key+"/")
	req.Header.Set(quiet, "1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return strings.Count(string(text), "<UploadId>"), err
}

// quiet marks a request of the test itself.
const quiet = "X-Of-The-Test"

// Deny refuses the requests that begin with one of some texts, each METHOD PATH?QUERY.
func (s *Server) Deny(begin ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied = begin
}

// Spoil has requests go wrong from now on; nil ends that.
func (s *Server) Spoil(f *Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// Requests returns the requests since the last call.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.requests
	s.requests = nil
	return all
}

// Watch has a function called with each request before it is answered, METHOD PATH?QUERY; nil ends that.
func (s *Server) Watch(f func(request string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch = f
}

func (s *Server) through(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(quiet) != "" {
			next.ServeHTTP(w, r)
			return
		}
		line := r.Method + " " + r.URL.RequestURI()
		s.mu.Lock()
		s.requests = append(s.requests, line)
		faults, watch := s.faults, s.watch
		denied := slices.ContainsFunc(s.denied, func(begin string) bool { return strings.HasPrefix(line, begin) })
		s.mu.Unlock()
		if watch != nil {
			watch(line)
		}
		switch {
		case !strings.Contains(r.Header.Get("Authorization"), "Credential="+Key+"/"):
			refuse(w, r, http.StatusForbidden, "InvalidAccessKeyId")
		case denied:
			refuse(w, r, http.StatusForbidden, "AccessDenied")
		case faults == nil:
			next.ServeHTTP(w, r)
		default:
			faults.serve(w, r, next)
		}
	})
}

// refuse answers as S3 does, with a message that holds what must not be shown.
func refuse(w http.ResponseWriter, r *http.Request, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>what was signed: %s</Message></Error>`, code, r.Header.Get("Authorization"))
	}
}
