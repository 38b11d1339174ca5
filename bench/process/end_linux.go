package process

import "syscall"

// endWithParent has the kernel end a child whose parent was killed.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
