//go:build !purego

package wire

import (
	"strings"
	"syscall"
	"testing"
)

// The vectors read nothing beside the bytes they are given, whatever these are: the pages
// beside them are not there.
func TestVectorsReadTheirBytesOnly(t *testing.T) {
	needVectors(t)
	page := syscall.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(pages); err != nil {
			t.Error(err)
		}
	}()
	for _, beside := range [][]byte{pages[:page], pages[2*page:]} {
		if err := syscall.Mprotect(beside, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	middle := pages[page : 2*page]
	for _, piece := range []string{"x", "é", "日", "😀", `\n`, `\\`, `\u00e9`} {
		for n := block; n <= 3*block; n++ {
			for _, b := range [][]byte{middle[:n], middle[page-n:]} {
				copy(b, strings.Repeat(piece, n))
				checkVectors(t, b, n)
				b[n-1] = '"'
				checkVectors(t, b, n)
			}
		}
	}
}
