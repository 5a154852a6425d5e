! SPDX-License-Identifier: MIT
!
! dftrace.f90 - regions for Fortran programs, through iso_c_binding
!
!     use dftrace
!     type(dftrace_region) :: step
!     call dftrace_begin(step, "compute", "step")
!     call dftrace_arg(step, "step", 3)
!     call dftrace_end(step)
!
! A region belongs to the thread that began it. Compile with dftrace_f.c.
module dftrace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: dftrace_region, dftrace_begin, dftrace_end, dftrace_arg, &
            dftrace_context

  ! As large as dftrace_region_t; all of it is the tracer's.
  type, bind(c) :: dftrace_region
    private
    integer(c_int64_t) :: opaque(34) = 0
  end type

  interface
    subroutine dftf_begin(r, category, name) bind(c)
      import
      type(dftrace_region), intent(out) :: r
      character(kind=c_char), intent(in) :: category(*), name(*)
    end subroutine
    subroutine dftrace_end(r) bind(c, name="dftf_end")
      import
      type(dftrace_region), intent(inout) :: r
    end subroutine
    subroutine dftf_arg_int(r, key, val) bind(c)
      import
      type(dftrace_region), intent(inout) :: r
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: val
    end subroutine
    subroutine dftf_arg_double(r, key, val) bind(c)
      import
      type(dftrace_region), intent(inout) :: r
      character(kind=c_char), intent(in) :: key(*)
      real(c_double), value :: val
    end subroutine
    subroutine dftf_context(key, val) bind(c)
      import
      character(kind=c_char), intent(in) :: key(*)
      integer(c_int64_t), value :: val
    end subroutine
  end interface

  interface dftrace_arg
    module procedure arg_integer, arg_double
  end interface

contains

  subroutine dftrace_begin(r, category, name)
    type(dftrace_region), intent(out) :: r
    character(*), intent(in) :: category, name
    call dftf_begin(r, trim(category)//c_null_char, trim(name)//c_null_char)
  end subroutine

  subroutine arg_integer(r, key, val)
    type(dftrace_region), intent(inout) :: r
    character(*), intent(in) :: key
    integer, intent(in) :: val
    call dftf_arg_int(r, trim(key)//c_null_char, int(val, c_int64_t))
  end subroutine

  subroutine arg_double(r, key, val)
    type(dftrace_region), intent(inout) :: r
    character(*), intent(in) :: key
    real(c_double), intent(in) :: val
    call dftf_arg_double(r, trim(key)//c_null_char, val)
  end subroutine

  ! Every later region has the argument: call dftrace_context("step", 3)
  subroutine dftrace_context(key, val)
    character(*), intent(in) :: key
    integer, intent(in) :: val
    call dftf_context(trim(key)//c_null_char, int(val, c_int64_t))
  end subroutine
end module
