package compression

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/zstd"
)

// zstdFrames end where the headers of their blocks say.
func zstdFrames() (memberKind, error) {
	all, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(maxMembers), zstd.WithDecoderMaxMemory(maxMemberText),
		zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		return memberKind{}, err
	}
	return memberKind{
		size: frameSize,
		inflate: func(m *member) (err error) {
			m.text, err = all.DecodeAll(m.compressed, m.text[:0])
			return err
		},
		rest: func(r *bufio.Reader, _ bool) (io.ReadCloser, error) {
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow))
			if err != nil {
				return nil, err
			}
			return z.IOReadCloser(), nil
		},
		close: all.Close,
	}, nil
}

func frameSize(r *bufio.Reader) int {
	var h zstd.Header
	head, _ := r.Peek(zstd.HeaderMaxSize)
	if len(head) == 0 || h.Decode(head) != nil {
		return 0
	}
	if h.Skippable {
		return whole(r, h.HeaderSize+int(min(h.SkippableSize, maxMember)))
	}
	if h.HasFCS && h.FrameContentSize > maxMemberText {
		return 0
	}
	at := h.HeaderSize
	for last := false; !last && at <= maxMember; {
		block, _ := r.Peek(at + blockHeader)
		if len(block) < at+blockHeader {
			return 0
		}
		var size int
		size, last = blockSize(block[at:])
		at += blockHeader + size
	}
	if h.HasCheckSum {
		at += checkSumSize
	}
	return whole(r, at)
}

// Bytes of the header of a block of zstd, and of the sum behind the blocks of a frame.
const blockHeader, checkSumSize = 3, 4

// blockSize returns how long a block is behind its header, and whether it is the last of its frame.
func blockSize(header []byte) (size int, last bool) {
	const rle = 1 // one byte that is repeated
	if size = int(header[0])>>3 | int(header[1])<<5 | int(header[2])<<13; header[0]>>1&3 == rle {
		size = 1
	}
	return size, header[0]&1 != 0
}

// FrameEnd returns where the frame ends that begins at a place, by the headers of its blocks, or io.EOF when no whole header is there.
func FrameEnd(f io.ReaderAt, at int64) (int64, error) {
	var h zstd.Header
	head := make([]byte, zstd.HeaderMaxSize)
	n, err := f.ReadAt(head, at)
	if err != nil && err != io.EOF {
		return 0, err
	}
	if h.Decode(head[:n]) != nil {
		return 0, io.EOF
	}
	at += int64(h.HeaderSize)
	if h.Skippable {
		return at + int64(h.SkippableSize), nil
	}
	block := head[:blockHeader]
	for last := false; !last; {
		if n, err := f.ReadAt(block, at); n < blockHeader {
			return 0, err
		}
		var size int
		size, last = blockSize(block)
		at += int64(blockHeader + size)
	}
	if h.HasCheckSum {
		at += checkSumSize
	}
	return at, nil
}
