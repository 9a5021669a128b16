/* Two-phase commit, state for state as spec/protocols/two_phase.py has it; MANAGERS says how many, from 1 to 10.
 *
 * The protocol: Gray and Lamport, Consensus on Transaction Commit, Two-Phase Commit. One process and sets as bits,
 * because that is how SPIN is fastest here: it then stores a state in few bytes. Every action is one d_step, so no
 * state lies between two that the protocol has. The goal can only break where a manager changes its phase.
 */
#define BIT(m)  (1 << m)
#define ALL     ((1 << MANAGERS) - 1)
#define LEFT(m) ((prepared | committed | aborted) & BIT(m))

#define NONE   0
#define COMMIT 1
#define ABORT  2

unsigned prepared  : MANAGERS;
unsigned committed : MANAGERS;
unsigned aborted   : MANAGERS;
unsigned offered   : MANAGERS;
unsigned heard     : MANAGERS;
unsigned decision  : 2;

#define AGREED assert(!committed || !aborted)

#define PREPARE(m)     :: d_step { !LEFT(m) -> prepared = prepared | BIT(m); offered = offered | BIT(m) }
#define GIVE_UP(m)     :: d_step { !LEFT(m) -> aborted = aborted | BIT(m); AGREED }
#define HEAR(m)        :: d_step { decision == NONE && (offered & BIT(m)) -> heard = heard | BIT(m) }
#define OBEY_COMMIT(m) :: d_step { decision == COMMIT -> committed = committed | BIT(m); \
                                   prepared = prepared & ~BIT(m); aborted = aborted & ~BIT(m); AGREED }
#define OBEY_ABORT(m)  :: d_step { decision == ABORT -> aborted = aborted | BIT(m); \
                                   prepared = prepared & ~BIT(m); committed = committed & ~BIT(m); AGREED }

#define MANAGER(m) PREPARE(m) GIVE_UP(m) HEAR(m) OBEY_COMMIT(m) OBEY_ABORT(m)

/* The options of the first so many managers. */
#define FIRST(count)  FIRST_(count)
#define FIRST_(count) FIRST_ ## count
#define FIRST_1 MANAGER(0)
#define FIRST_2 FIRST_1 MANAGER(1)
#define FIRST_3 FIRST_2 MANAGER(2)
#define FIRST_4 FIRST_3 MANAGER(3)
#define FIRST_5 FIRST_4 MANAGER(4)
#define FIRST_6 FIRST_5 MANAGER(5)
#define FIRST_7 FIRST_6 MANAGER(6)
#define FIRST_8 FIRST_7 MANAGER(7)
#define FIRST_9 FIRST_8 MANAGER(8)
#define FIRST_10 FIRST_9 MANAGER(9)

active proctype two_phase() {
    do
    :: d_step { decision == NONE && heard == ALL -> decision = COMMIT }
    :: d_step { decision == NONE -> decision = ABORT }
    FIRST(MANAGERS)
    od
}
