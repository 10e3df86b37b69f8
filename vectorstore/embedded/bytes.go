package embedded

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

// checkByteOrder refuses machines on which the file's arrays cannot be used where they lie.
func checkByteOrder() error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("the index needs a little-endian machine")
	}
	return nil
}

// asBytes views numbers as the bytes that they are in memory.
func asBytes[T uint16 | uint32 | uint64](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}
