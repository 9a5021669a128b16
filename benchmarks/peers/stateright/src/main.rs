//! Two-phase commit, state for state as `spec/protocols/two_phase.py` has it: `two-phase COUNT breadth|depth`
//! explores it with so many resource managers, in one thread and this order, and prints how many distinct states there
//! are.
//!
//! The protocol: Gray and Lamport, Consensus on Transaction Commit, Two-Phase Commit. Sets are bits, because that is
//! how Stateright is fastest here: a state is then copied and hashed in a few instructions.

use stateright::{Checker, Model, Property};
use std::{env, process};

/// A set of managers: bit `m` says whether manager `m` is in it.
type Managers = u16;

const MOST_MANAGERS: u32 = 10;

#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
enum Decision {
    #[default]
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
struct State {
    prepared: Managers,
    committed: Managers,
    aborted: Managers,
    offered: Managers,
    heard: Managers,
    decision: Decision,
}

/// A step; a manager is given as its bit.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Prepare(Managers),
    GiveUp(Managers),
    Hear(Managers),
    Obey(Managers),
    Commit,
    Abort,
}

struct TwoPhase {
    count: u32,
}

impl TwoPhase {
    fn all(&self) -> Managers {
        (1 << self.count) - 1
    }
}

impl Model for TwoPhase {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let open = state.decision == Decision::Open;
        let left = state.prepared | state.committed | state.aborted;
        if open {
            steps.push(Step::Abort);
            if state.heard == self.all() {
                steps.push(Step::Commit);
            }
        }
        for manager in (0..self.count).map(|number| 1 << number) {
            if left & manager == 0 {
                steps.push(Step::Prepare(manager));
                steps.push(Step::GiveUp(manager));
            }
            if !open {
                steps.push(Step::Obey(manager));
            } else if state.offered & manager != 0 {
                steps.push(Step::Hear(manager));
            }
        }
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let mut next = state.clone();
        match step {
            Step::Prepare(manager) => {
                next.prepared |= manager;
                next.offered |= manager;
            }
            Step::GiveUp(manager) => next.aborted |= manager,
            Step::Hear(manager) => next.heard |= manager,
            Step::Commit => next.decision = Decision::Committed,
            Step::Abort => next.decision = Decision::Aborted,
            Step::Obey(manager) => {
                next.prepared &= !manager;
                next.committed &= !manager;
                next.aborted &= !manager;
                match state.decision {
                    Decision::Committed => next.committed |= manager,
                    Decision::Aborted => next.aborted |= manager,
                    Decision::Open => return None,
                }
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("all agree", |_, state: &State| {
            state.committed == 0 || state.aborted == 0
        })]
    }
}

fn explored<C: Checker<TwoPhase>>(checker: C) -> usize {
    let checker = checker.join();
    checker.assert_properties();
    checker.unique_state_count()
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let count = words
        .first()
        .and_then(|word| word.parse().ok())
        .filter(|count| (1..=MOST_MANAGERS).contains(count));
    let search = count.map(|count| TwoPhase { count }.checker().threads(1));
    let distinct = match (search, words.get(1).map(String::as_str)) {
        (Some(search), Some("breadth")) => explored(search.spawn_bfs()),
        (Some(search), Some("depth")) => explored(search.spawn_dfs()),
        _ => {
            eprintln!(
                "usage: two-phase COUNT breadth|depth, with 1 to {MOST_MANAGERS} resource managers"
            );
            process::exit(2);
        }
    };
    println!("distinct {distinct}");
}
