package viewer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// sumMark begins the hash of a word in addresses.
const sumMark = "~"

// A columnWord is a word of a column, as rows have it or as addresses have it.
type columnWord struct{ column, word string }

// A spelling caches how words are written in addresses, since it takes long to find out whether one is personal.
type spelling struct {
	mu   sync.Mutex
	to   map[columnWord]string
	from map[columnWord]string // those that are written as hashes
}

// spell returns a word of a column for use in addresses. A personal one is replaced by a keyed hash that only this server can resolve.
func (s *Server) spell(column, word string) string {
	s.spelling.mu.Lock()
	known, ok := s.spelling.to[columnWord{column, word}]
	s.spelling.mu.Unlock()
	if ok {
		return known
	}
	spelled := word
	if strings.HasPrefix(word, sumMark) || mask.Text(word) != word {
		sum := hmac.New(sha256.New, []byte(s.Token))
		_, _ = sum.Write([]byte(column + "\x00" + word))
		spelled = sumMark + hex.EncodeToString(sum.Sum(nil)[:8])
	}
	s.spelling.mu.Lock()
	defer s.spelling.mu.Unlock()
	if s.spelling.to == nil {
		s.spelling.to, s.spelling.from = map[columnWord]string{}, map[columnWord]string{}
	}
	s.spelling.to[columnWord{column, word}] = spelled
	if spelled != word {
		s.spelling.from[columnWord{column, spelled}] = word
	}
	return spelled
}

// words resolves the words of a column in an address.
func (s *Server) words(column string, spelled []string) []string {
	all := slices.Clone(spelled)
	for i, text := range all {
		if strings.HasPrefix(text, sumMark) {
			all[i] = s.word(column, text)
		}
	}
	return all
}

// word resolves the hash of a word in an address. It returns the hash when no row has such a word.
func (s *Server) word(column, sum string) string {
	s.spelling.mu.Lock()
	word, ok := s.spelling.from[columnWord{column, sum}]
	s.spelling.mu.Unlock()
	if ok {
		return word
	}
	found, err := s.index.Find(rows.Query{})
	if err != nil {
		return sum
	}
	for _, f := range found.Facets(column) {
		if s.spell(column, f.Word) == sum {
			return f.Word
		}
	}
	return sum
}
