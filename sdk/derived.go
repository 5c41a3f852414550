package sdk

// newRecord returns a record of this turn. It is never used again, so that use of a kept one panics.
func (w *worker) newRecord(of *document) *Record {
	if len(w.fresh) == 0 {
		w.fresh = make([]Record, 256)
	}
	r := &w.fresh[0]
	w.fresh = w.fresh[1:]
	r.document, r.turn = of, w.turn
	return r
}

// newDocument returns a document for a derived record, of an earlier turn where there is one: the records that had it refuse use.
func (w *worker) newDocument() *document {
	if w.derived == len(w.documents) {
		if w.derived == maxDocuments {
			return &document{}
		}
		w.documents = append(w.documents, &document{})
	}
	w.derived++
	return w.documents[w.derived-1]
}

// endDerived frees what the documents of derived records hold, for the next turn.
func (w *worker) endDerived() {
	for _, d := range w.documents[:w.derived] {
		*d = document{worker: w}
	}
	w.derived = 0
}

// maxDocuments is how many documents of derived records a worker keeps.
const maxDocuments = 64
