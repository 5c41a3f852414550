package wire

import "fmt"

// MaxCount is the most that one count of an answer may be: the largest number up to which every reader of JSON knows each.
const MaxCount = 1 << 53

// MostEmitted and MostRows return how many records one record may become, and how many side rows it may have, where what becomes of it
// may have so many bytes: each takes memory of the host besides its bytes. A message may have twice as many, of several records.
func MostEmitted(capacity int) int { return max(capacity>>9, 1<<17) }

func MostRows(capacity int) int { return max(capacity>>11, 1<<16) }

// checkSize checks that a reply holds no more than a host that knows the capacity has memory for.
func (val *Validator) checkSize(r *Reply) error {
	if len(r.Behind) != len(val.Behind) {
		return fmt.Errorf("want answers of %d later steps, have %d", len(val.Behind), len(r.Behind))
	}
	if err := val.checkLengths(r); err != nil {
		return err
	}
	for i := range r.Behind {
		if len(r.Behind[i].Behind) > 0 {
			return fmt.Errorf("want no step behind a later step, have %d", len(r.Behind[i].Behind))
		}
		if err := val.checkLengths(&r.Behind[i]); err != nil {
			return err
		}
	}
	return nil
}

func (val *Validator) checkLengths(r *Reply) error {
	if val.Capacity == 0 {
		return nil
	}
	if most := 2 * MostEmitted(val.Capacity); len(r.Lengths) > most {
		return fmt.Errorf("want at most %d new records in a message, have %d", most, len(r.Lengths))
	}
	if most := 2 * MostRows(val.Capacity); len(r.Sides) > most {
		return fmt.Errorf("want at most %d side rows in a message, have %d", most, len(r.Sides))
	}
	return nil
}
