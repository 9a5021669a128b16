// A judge of histories of one log that shares nothing with the rest of this project but the form of its input.
//
// Each line of standard input is a history, a JSON list of operations; each answer is a line with what Porcupine says
// of it: Ok, Illegal, or Unknown if a minute was not enough. A line that cannot be judged ends the program.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

func main() {
	if err := judge(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// judge answers each history.
func judge(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewScanner(in), bufio.NewWriter(out)
	lines.Buffer(nil, 1<<24)
	number := 1
	for ; lines.Scan(); number++ {
		history, err := read(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		fmt.Fprintln(answers, porcupine.CheckOperationsTimeout(model, history, time.Minute))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number, err)
	}
	return answers.Flush()
}

// read reads one history.
func read(line []byte) ([]porcupine.Operation, error) {
	var told []operation
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&told); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); told == nil || err != io.EOF {
		return nil, errors.New("it is not one list of operations")
	}
	var history []porcupine.Operation
	for number, one := range told {
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("operation %d: %w", number+1, err)
		}
		one.places = found(told, one.Payload)
		history = append(history, porcupine.Operation{Input: one, Call: one.Call, Return: one.Return})
	}
	return history, nil
}

// found gives the LSNs at which reads found a payload. Where an append of unknown outcome lies elsewhere, it explains
// nothing.
func found(told []operation, payload int) []int {
	var lsns []int
	for _, one := range told {
		if one.Kind == readRecord && one.Payload == payload {
			lsns = append(lsns, one.LSN)
		}
	}
	return lsns
}

// check says what keeps an operation from being judged.
func (did operation) check() error {
	if !kinds[did.Kind] {
		return fmt.Errorf("kind %q is not known", did.Kind)
	}
	if did.Return < did.Call {
		return fmt.Errorf("it returns at %d, before its call at %d", did.Return, did.Call)
	}
	for _, number := range []int{did.Order, did.Payload, did.From, did.LSN, did.Upto} {
		if number < 0 || number >= size {
			return fmt.Errorf("%d is not a number from 0 to %d", number, size-1)
		}
	}
	return nil
}
