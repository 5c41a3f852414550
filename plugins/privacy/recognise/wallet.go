package recognise

import (
	"crypto/sha256"
	"math/big"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var (
	ruleBitcoin  = &Label{"bitcoin-address", rules.CryptoWallet}
	ruleEthereum = &Label{"ethereum-address", rules.CryptoWallet}
	ruleHexKey   = &Label{"hex-private-key", rules.PrivateKey}
)

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

var base58Set = ascii.Set(base58)

// wallet finds an address of a crypto currency at a digit.
func (s *Scan) wallet(at int) {
	if ascii.IsWord(s.before(at)) {
		return
	}
	switch s.s[at] {
	case '1', '3':
		end := ascii.Forward(s.s, at, 36, base58Set)
		if n := end - at; n >= 26 && n <= 35 && !ascii.IsWord(s.after(end)) && isBase58Check(s.s[at:end]) {
			s.add(ruleBitcoin, rankChecked, at, end)
		}
	case '0':
		if s.after(at+1) != 'x' {
			return
		}
		end := ascii.Forward(s.s, at+2, 65, ascii.HexSet)
		switch n := end - at - 2; {
		case ascii.IsWord(s.after(end)):
		case n == 40 && s.cueWithin(at, 40, rules.Cues().Ethereum, false):
			s.add(ruleEthereum, rankContext, at, end)
		case n == 64 && s.cueWithin(at, 40, rules.Cues().HexKey, false):
			s.add(ruleHexKey, rankContext, at, end)
		}
	}
}

func isBase58Check(v string) bool {
	n, radix := new(big.Int), big.NewInt(58)
	for i := range len(v) {
		n.Mul(n, radix)
		n.Add(n, big.NewInt(int64(strings.IndexByte(base58, v[i]))))
	}
	if n.BitLen() > 25*8 {
		return false
	}
	b := n.FillBytes(make([]byte, 25))
	once := sha256.Sum256(b[:21])
	twice := sha256.Sum256(once[:])
	return string(twice[:4]) == string(b[21:])
}

// segwit finds an address in bech32 at bc1, whose last six characters check the rest.
func (s *Scan) segwit(at int) {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	if ascii.IsWord(s.before(at)) {
		return
	}
	check := uint32(1)
	step := func(v int) {
		top := check >> 25
		check = check&0x1ffffff<<5 ^ uint32(v)
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				check ^= g
			}
		}
	}
	for _, v := range []int{'b' >> 5, 'c' >> 5, 0, 'b' & 31, 'c' & 31} {
		step(v)
	}
	end := at + len("bc1")
	for ; end < len(s.s) && end-at < 75; end++ {
		v := strings.IndexByte(alphabet, s.s[end])
		if v < 0 {
			break
		}
		step(v)
	}
	if end-at >= 14 && !ascii.IsWord(s.after(end)) && (check == 1 || check == 0x2bc830a3) {
		s.add(ruleBitcoin, rankChecked, at, end)
	}
}
