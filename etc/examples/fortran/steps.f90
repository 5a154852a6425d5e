! SPDX-License-Identifier: MIT
!
! steps.f90 - a Fortran program with steps
program steps
  use dftrace
  implicit none
  type(dftrace_region) :: run, step
  integer :: i

  call dftrace_begin(run, "pipeline", "train")
  do i = 1, 3
    call dftrace_context("step", i)
    call dftrace_begin(step, "compute", "step")
    call dftrace_arg(step, "rows", 10 * i)
    call dftrace_arg(step, "residual", 0.5d0)
    call dftrace_end(step)
  end do
  call dftrace_end(run)
end program
