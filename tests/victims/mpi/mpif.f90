! SPDX-License-Identifier: MIT
!
! mpif.f90 - MPI-IO in compiled Fortran: a line for each kind of call
!
! Built with -DUSE_F08 for mpi_f08, -DUSE_MPI for `use mpi`, else with mpif.h.
! Prints "rank call count bytes", as tests/victims/mpi/mpireal.c does.
program mpif
#if defined(USE_F08)
    use mpi_f08
    implicit none
    type(MPI_File) :: f
    type(MPI_Status) :: s
    type(MPI_Request) :: r
#elif defined(USE_MPI)
    use mpi
    implicit none
    integer :: f, r, s(MPI_STATUS_SIZE)
#else
    implicit none
    include 'mpif.h'
    integer :: f, r, s(MPI_STATUS_SIZE)
#endif
    integer, parameter :: n = 128
    integer :: data(n), rank, e, i
    integer(kind=MPI_OFFSET_KIND) :: at
    character(len=1024) :: path

    call MPI_Init(e)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
    call get_command_argument(1, path)
    data = rank
    call MPI_File_open(MPI_COMM_WORLD, trim(path), &
        ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, f, e)
    do i = 0, 2
        at = (rank * 3 + i) * n * 4
        call MPI_File_write_at_all(f, at, data, n, MPI_INTEGER, s, e)
    end do
    call MPI_File_write_at(f, at, data, n, MPI_INTEGER, MPI_STATUS_IGNORE, e)
    call MPI_File_iwrite_at(f, at, data, n, MPI_INTEGER, r, e)
    call MPI_Wait(r, s, e)
    call MPI_File_read_at(f, at, data, n / 2, MPI_INTEGER, s, e)
    call MPI_File_close(f, e)
    call say('MPI_File_open', 1, 0)
    call say('MPI_File_write_at_all', 3, 3 * n * 4)
    call say('MPI_File_write_at', 1, n * 4)
    call say('MPI_File_iwrite_at', 1, 0)
    call say('MPI_iwrite_done', 1, n * 4)
    call say('MPI_File_read_at', 1, n * 2)
    call say('MPI_File_close', 1, 0)
    call MPI_Finalize(e)
contains
    subroutine say(name, count, bytes)
        character(len=*), intent(in) :: name
        integer, intent(in) :: count, bytes
        print '(I0,1X,A,1X,I0,1X,I0)', rank, name, count, bytes
    end subroutine
end program
