package main

import "github.com/anishathalye/porcupine"

const (
	appendAcknowledged = "append_acknowledged"
	appendRefused      = "append_refused"
	appendUnknown      = "append_unknown"
	readRecord         = "read_record"  // from where a read was to the next record
	readNothing        = "read_nothing" // the same, to where it was told that nothing is there
	readUntold         = "read_untold"  // the same, to where it was told nothing
	checkTail          = "check_tail"
)

var kinds = map[string]bool{
	appendAcknowledged: true, appendRefused: true, appendUnknown: true,
	readRecord: true, readNothing: true, readUntold: true, checkTail: true,
}

// size is how many LSNs, payloads and orders there are.
const size = 64

// An operation is what a client did from its call to its return; of two times the greater one is later.
type operation struct {
	Kind         string
	Call, Return int64
	Order        int // of an append: LSNs grow among the appends of one order
	Payload      int // of an append, or of the record that was read
	From         int // of a read: where it went on
	LSN          int // of an acknowledgement; where a read met what it met; where the log was said to end
	Upto         int // of a read: the last LSN that it answers for

	places []int // of an append of unknown outcome: the LSNs at which it may lie
}

// A place holds a record, or nothing yet; if it is passed, a reader was told that it holds nothing, and it never will.
type place struct {
	taken, passed bool
	payload       int8
}

// A state is a log at one instant: its places, and the last LSN of each order. A copy of it is another log.
type state struct {
	at   [size]place
	last [size]int8
}

// In the model each operation happens at one instant, as in S2's (s2-streamstore/s2-verification, golang/s2-porcupine),
// which has append, read and check-tail, too. Other than there, LSNs may leave gaps, a read goes on from any LSN, and
// not all appends need be of one order.
var model = (&porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{state{}} },
	Step: func(from, input, _ interface{}) (after []interface{}) {
		for _, log := range from.(state).after(input.(operation)) {
			after = append(after, log)
		}
		return after
	},
}).ToModel()

// after gives the logs that one may become when an operation happens; none if it cannot happen to this one.
func (log state) after(did operation) []state {
	switch did.Kind {
	case appendAcknowledged:
		return log.with(did, did.LSN)
	case appendUnknown:
		logs := []state{log}
		for _, lsn := range did.places {
			logs = append(logs, log.with(did, lsn)...)
		}
		return logs
	case readRecord:
		if here := log.at[did.LSN]; here.taken && int(here.payload) == did.Payload {
			return log.passed(did, did.LSN)
		}
		return nil
	case readNothing:
		return log.passed(did, did.Upto+1)
	case readUntold:
		return log.passed(did, did.LSN)
	case checkTail:
		for _, there := range log.at[did.LSN:] {
			if there.taken {
				return nil
			}
		}
	}
	return []state{log}
}

// with gives the log with an append at an LSN, if that is free and comes after its order.
func (log state) with(did operation, lsn int) []state {
	if log.at[lsn] != (place{}) || lsn <= int(log.last[did.Order]) {
		return nil
	}
	log.at[lsn] = place{taken: true, payload: int8(did.Payload)}
	log.last[did.Order] = int8(lsn)
	return []state{log}
}

// passed gives the log after a read found nothing from where it was to before an LSN.
func (log state) passed(did operation, end int) []state {
	if did.LSN < did.From || did.Upto < did.LSN {
		return nil
	}
	for lsn := did.From; lsn < end; lsn++ {
		if log.at[lsn].taken {
			return nil
		}
		log.at[lsn].passed = true
	}
	return []state{log}
}
