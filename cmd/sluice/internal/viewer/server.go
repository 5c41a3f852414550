// Package viewer serves pages over the rows of a run or of files: a local, read-only server. All that a page
// shows is in its address, so links can be shared by those who know the token.
package viewer

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chart"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host/trace"
)

// A Template is a chat template that rows can be rendered by.
type Template struct {
	Name   string
	Render func(ctx context.Context, row []byte) (*Rendering, error) // of one row of any shape
}

// A Rendering is a row as a model reads it.
type Rendering struct {
	Segments []Segment
	Losses   []string // what of the row it does not show
	Exact    bool     // where the trained text begins is known
}

// A Segment is a stretch of text, to train on or not.
type Segment struct {
	Trained bool
	Text    string
}

// Options configure a Server.
type Options struct {
	Subject, Against *Subject // Against is nil without a second run
	Token            string   // what addresses begin with
	Cache            string   // folder of the index; "" for the user's
	Templates        []Template
	// Explain sends records through the pipeline of the run; nil when there is none.
	Explain func(ctx context.Context, pick trace.Selection) (*trace.Trace, error)
	// Report makes the page of the run as a whole, in a theme and with a script that keeps the theme chosen there; nil when there is none.
	Report func(theme, script string) ([]byte, error)
}

// A Server answers for pages.
type Server struct {
	Options
	index, against *rows.Index
	mux            *http.ServeMux
	ctx            context.Context // of what goes on between requests
	cancel         context.CancelFunc
	group          sync.WaitGroup // of the same; differ is held to add to it

	large    chan struct{} // held by who reads a large row
	live     chan struct{} // held by who starts plugins or renders
	spelling spelling
	differ   sync.Mutex
	diff     *comparison
}

// New begins to index the rows of the subjects. The context ends all that the server does.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{Options: o, mux: http.NewServeMux(), large: make(chan struct{}, 1), live: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	var err error
	if s.index, err = rows.Open(ctx, o.Subject.Files, rows.Options{Cache: o.Cache, Shared: o.Subject.shared(), Mask: masking()}); err != nil {
		s.cancel()
		return nil, err
	}
	if o.Against != nil {
		if s.against, err = rows.Open(ctx, o.Against.Files, rows.Options{Cache: o.Cache, Shared: o.Against.shared(), Mask: masking()}); err != nil {
			s.cancel()
			return nil, errors.Join(err, s.index.Close())
		}
	}
	for path, serve := range map[string]page{
		"/{$}": s.overview, "/rows": s.rows, "/row": s.row, "/value": s.value, "/compare": s.compare, "/pair": s.pair, "/cell": s.cell, "/lost": s.lost, "/report": s.report,
		"/raw": s.raw, "/download": s.download,
	} {
		s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, s.caught(serve, w, r)) })
	}
	s.mux.HandleFunc("/style.css", asset("text/css; charset=utf-8", chart.Style+ownStyle))
	s.mux.HandleFunc("/icon.svg", asset("image/svg+xml", icon))
	s.mux.HandleFunc("/report.js", asset("text/javascript; charset=utf-8", reportScript))
	s.mux.HandleFunc("/view.js", asset("text/javascript; charset=utf-8", script))
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, errNoPage) })
	return s, nil
}

// Close ends the index and all background work.
func (s *Server) Close() error {
	s.differ.Lock()
	s.cancel()
	s.differ.Unlock()
	s.group.Wait()
	err := s.index.Close()
	if s.diff != nil && s.diff.matrix != nil {
		err = errors.Join(err, s.diff.matrix.close())
	}
	if s.against != nil {
		err = errors.Join(err, s.against.Close())
	}
	return err
}

// Handler answers requests below /TOKEN/.
func (s *Server) Handler() http.Handler { return guard(s.Token, s.mux) }

// Serve answers on a listener until the context ends, which is no error.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 5 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog: log.New(io.Discard, "", 0), // net/http may quote what a stranger has sent
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		_ = server.Close() // somebody still reads
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Listen opens an address of this machine, such as localhost:0. Others are refused: rows would be readable for everybody.
func Listen(address string) (net.Listener, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("want HOST:PORT, have %q", address)
	}
	if !isLoopback(name) {
		return nil, fmt.Errorf("want an address of this machine alone, such as localhost:0, have %q", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("want an address of this machine alone, have %q, which is %s", address, l.Addr()), l.Close())
	}
	return l, nil
}

func asset(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text))
	}
}

// policy lets a page load what the server itself serves, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// guard passes requests that only read, have the token, and name this machine as their host: another name that leads here
// is how a foreign page would read private rows.
func guard(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !isLoopback(r.Host) {
			http.Error(w, "want the host name that sluice view has printed", http.StatusMisdirectedRequest)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "want GET or HEAD: nothing can be written here", http.StatusMethodNotAllowed)
			return
		}
		given, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "want the whole address that sluice view has printed, have one without its token", http.StatusNotFound)
			return
		}
		if !ok {
			http.Redirect(w, r, "/"+token+"/", http.StatusFound)
			return
		}
		if page := "/" + rest; path.Clean(page) != page {
			http.Error(w, "want the address of a page of sluice view", http.StatusNotFound) // a mux would lead away from the token
			return
		}
		r.URL.Path, r.URL.RawPath = "/"+rest, ""
		next.ServeHTTP(w, r)
	})
}

func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
