package sdk

// newRecord returns a record of this turn. It is never used again, so that use of a kept one panics.
func (s *step) newRecord(of *document) *Record {
	if len(s.fresh) == 0 {
		s.fresh = make([]Record, 256)
	}
	r := &s.fresh[0]
	s.fresh = s.fresh[1:]
	r.document, r.turn = of, s.turn
	return r
}

// newDocument returns a document for a derived record, of an earlier turn where there is one: the records that had it refuse use.
func (s *step) newDocument() *document {
	if s.derived == len(s.documents) {
		if s.derived == maxDocuments {
			return &document{}
		}
		s.documents = append(s.documents, &document{})
	}
	s.derived++
	return s.documents[s.derived-1]
}

// endDerived frees what the documents of derived records hold, for the next turn.
func (s *step) endDerived() {
	for _, d := range s.documents[:s.derived] {
		*d = document{step: s}
	}
	s.derived = 0
}

// maxDocuments is how many documents of derived records a step keeps.
const maxDocuments = 64
