package viewer

import (
	"crypto/subtle"
	"net"
	"net/http"
	"path"
	"strings"
)

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
			http.Error(w, "want the address of a page, have one that sluice view does not have", http.StatusNotFound) // a mux would lead away from the token
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
