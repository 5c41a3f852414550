// Package dice draws numbers that depend on a seed and an identity alone. They are the same in every worker, at every time, on
// every machine and in every version of sluice.
package dice

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Dice draws numbers that depend on its first value alone (SplitMix64).
type Dice uint64

// New returns dice for a seed and an identity.
func New(seed string, id []byte) Dice { return Dice(xxh3.HashSeed(id, xxh3.HashString(seed))) }

// Roll returns a number from 0 to n-1.
func (d *Dice) Roll(n int) int {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	high, _ := bits.Mul64(z^z>>31, uint64(n))
	return int(high)
}

// Pick returns a random element.
func Pick[T any](d *Dice, all []T) T { return all[d.Roll(len(all))] }

// Shuffle reorders elements at random.
func Shuffle[T any](d *Dice, all []T) {
	for i := len(all) - 1; i > 0; i-- {
		j := d.Roll(i + 1)
		all[i], all[j] = all[j], all[i]
	}
}
