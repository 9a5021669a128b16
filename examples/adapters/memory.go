// A log in memory that speaks the adapter protocol.
//
//	pytest --quorate-command "go run examples/adapters/memory.go"
//
// What is said on standard input and output: docs/reference/adapter-protocol.md.
package main

import (
	"bufio"
	"encoding/json"
	"os"
)

// question is a line of the suite; what a question does not have stays zero.
type question struct {
	Hello   int    `json:"quorate_adapter"`
	ID      int    `json:"id"`
	Do      string `json:"do"`
	Payload string `json:"payload"`
	Stream  int    `json:"stream"`
	Start   int    `json:"start"`
	Upto    int    `json:"upto"`
}

type answer map[string]any

// log keeps records by LSN, from 0; what is below first was trimmed.
type log struct {
	records   []string
	first     int
	positions map[int]int
}

func open() *log {
	return &log{positions: map[int]int{}}
}

func (l *log) append(payload string) answer {
	l.records = append(l.records, payload)
	return answer{"lsn": len(l.records) - 1}
}

// read begins a stream, which stands where it is to go on.
func (l *log) read(stream, start int) answer {
	l.positions[stream] = start
	return answer{}
}

// next is the next step of a stream.
func (l *log) next(stream int) answer {
	position := l.positions[stream]
	if position < l.first {
		l.positions[stream] = l.first
		return answer{"gap": []int{position, l.first - 1}, "reason": "trim"}
	}
	if position >= len(l.records) {
		return answer{"at_end": position}
	}
	l.positions[stream] = position + 1
	return answer{"lsn": position, "payload": l.records[position]}
}

// trim deletes everything up to an LSN; what is not there yet cannot be trimmed.
func (l *log) trim(upto int) answer {
	l.first = max(l.first, min(upto+1, len(l.records)))
	return answer{}
}

func (l *log) answer(asked question) answer {
	switch asked.Do {
	case "open":
		*l = *open()
		return answer{}
	case "append":
		return l.append(asked.Payload)
	case "read":
		return l.read(asked.Stream, asked.Start)
	case "next":
		return l.next(asked.Stream)
	case "tail":
		return answer{"lsn": len(l.records)}
	case "trim":
		return l.trim(asked.Upto)
	default:
		return answer{"error": "no such question: " + asked.Do}
	}
}

func main() {
	log, lines := open(), bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		said := answer{"quorate_adapter": 1, "system": "memory in Go", "can": []string{"tail", "trim"}}
		if asked.Hello == 0 {
			said = log.answer(asked)
			said["id"] = asked.ID
		}
		if err := answers.Encode(said); err != nil {
			panic(err)
		}
	}
}
