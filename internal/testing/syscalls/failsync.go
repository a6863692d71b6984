package syscalls

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// FailSync has every fsync and fdatasync of this process fail with EIO from now
// on, on all of its threads. It needs no privilege and cannot be undone.
func FailSync() error {
	// offset of the number; SECCOMP_RET_ALLOW, _ERRNO
	const number, allow, fail = 0, 0x7fff0000, 0x00050000 | uint32(unix.EIO)
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 2, K: unix.SYS_FSYNC},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: unix.SYS_FDATASYNC},
		{Code: unix.BPF_RET | unix.BPF_K, K: allow},
		{Code: unix.BPF_RET | unix.BPF_K, K: fail},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	const setModeFilter, allThreads = 1, 1
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP,
		setModeFilter, allThreads, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}
