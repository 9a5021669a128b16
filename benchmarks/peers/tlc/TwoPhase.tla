------------------------------ MODULE TwoPhase ------------------------------
\* Two-phase commit, state for state as spec/protocols/two_phase.py has it.
\* The protocol: Gray and Lamport, Consensus on Transaction Commit, Two-Phase Commit.
\* A message once sent stays, so the managers' messages are a set of managers,
\* and the coordinator's order is its decision.
EXTENDS Naturals

CONSTANT Count                          \* how many resource managers

Managers == 1 .. Count

VARIABLES
    phase,                              \* where each manager is
    offered,                            \* managers that sent "prepared"
    heard,                              \* managers from which that arrived
    decision                            \* the coordinator's

vars == <<phase, offered, heard, decision>>

Init ==
    /\ phase = [manager \in Managers |-> "working"]
    /\ offered = {}
    /\ heard = {}
    /\ decision = "none"

Prepare(manager) ==
    /\ phase[manager] = "working"
    /\ phase' = [phase EXCEPT ![manager] = "prepared"]
    /\ offered' = offered \cup {manager}
    /\ UNCHANGED <<heard, decision>>

GiveUp(manager) ==
    /\ phase[manager] = "working"
    /\ phase' = [phase EXCEPT ![manager] = "aborted"]
    /\ UNCHANGED <<offered, heard, decision>>

Hear(manager) ==
    /\ decision = "none"
    /\ manager \in offered
    /\ heard' = heard \cup {manager}
    /\ UNCHANGED <<phase, offered, decision>>

Commit ==
    /\ decision = "none"
    /\ heard = Managers
    /\ decision' = "committed"
    /\ UNCHANGED <<phase, offered, heard>>

Abort ==
    /\ decision = "none"
    /\ decision' = "aborted"
    /\ UNCHANGED <<phase, offered, heard>>

Obey(manager) ==
    /\ decision # "none"
    /\ phase' = [phase EXCEPT ![manager] = decision]
    /\ UNCHANGED <<offered, heard, decision>>

Next ==
    \/ Commit
    \/ Abort
    \/ \E manager \in Managers :
        Prepare(manager) \/ GiveUp(manager) \/ Hear(manager) \/ Obey(manager)

Spec == Init /\ [][Next]_vars

Some(where) == \E manager \in Managers : phase[manager] = where

AllAgree == ~(Some("committed") /\ Some("aborted"))
=============================================================================
