package gather

import "unsafe"

// addresses returns the addresses of take and put.
func addresses() (taking, putting unsafe.Pointer)

// take and put are called with the address of their arguments in DI, and by machine code alone.
//
//lint:ignore U1000 machine code calls it
func take()

//lint:ignore U1000 machine code calls it
func put()
