// Porcupine judges histories of one log whose appends keep one order, and says how long it took.
//
// Each line of standard input is a history, a JSON list of operations; each answer is a line: Ok, Illegal or Unknown
// (the time that the first argument allows, in seconds, was not enough), and the seconds that the judgement took.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

// An operation is what a client did from its call to its return; of two times the greater one is later.
type operation struct {
	Kind         string // append, read or check_tail
	Call, Return int64
	LSN          int // of an append, where it lies if it happened; of a read, what it met; where the log was said to end
	Payload      int // of an append, or of the record that was read
	From         int // of a read: where it went on
	Unknown      bool
}

// A record lies in a log after all those before it. A log is its last record: what was appended never changes.
type record struct {
	lsn, payload int
	before       *record
	hash         uint64
}

var model = (&porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{&record{}} },
	Step: func(from, input, _ interface{}) (after []interface{}) {
		for _, log := range from.(*record).after(input.(operation)) {
			after = append(after, log)
		}
		return after
	},
	Equal: func(one, other interface{}) bool {
		a, b := one.(*record), other.(*record)
		return a == b || a.lsn == b.lsn && a.hash == b.hash
	},
}).ToModel()

// after gives the logs that one may become when an operation happens; none if it cannot happen to this one.
func (log *record) after(did operation) []*record {
	switch did.Kind {
	case "append":
		logs := []*record{}
		if did.Unknown {
			logs = append(logs, log)
		}
		if did.LSN > log.lsn {
			hash := (log.hash*1099511628211 ^ uint64(did.LSN)) * 1099511628211 ^ uint64(did.Payload)
			logs = append(logs, &record{did.LSN, did.Payload, log, hash})
		}
		return logs
	case "read":
		here := log.upto(did.LSN)
		if here.lsn == did.LSN && here.payload == did.Payload && here.before.lsn < did.From {
			return []*record{log}
		}
	case "check_tail":
		if log.lsn < did.LSN {
			return []*record{log}
		}
	}
	return nil
}

// upto gives the log as it was when this LSN was its last.
func (log *record) upto(lsn int) *record {
	for log.lsn > lsn {
		log = log.before
	}
	return log
}

func main() {
	seconds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder := json.NewDecoder(lines)
	for decoder.More() {
		var told []operation
		if err := decoder.Decode(&told); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		history := make([]porcupine.Operation, len(told))
		for number, one := range told {
			history[number] = porcupine.Operation{Input: one, Call: one.Call, Return: one.Return}
		}
		began := time.Now()
		said := porcupine.CheckOperationsTimeout(model, history, time.Duration(seconds)*time.Second)
		fmt.Println(said, time.Since(began).Seconds())
	}
}
