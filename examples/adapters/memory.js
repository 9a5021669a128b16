// A log in memory that speaks the adapter protocol: node examples/adapters/memory.js.
//
//     pytest --quorate-command "node examples/adapters/memory.js"
//
// What is said on standard input and output: docs/reference/adapter-protocol.md.

const readline = require("node:readline");

// Records by LSN, from 0; what is below `first` was trimmed.
class Log {
  constructor() {
    this.records = [];
    this.first = 0;
    this.positions = new Map();
  }

  append({ payload }) {
    this.records.push(payload);
    return { lsn: this.records.length - 1 };
  }

  // Begin to read; the stream stands where it is to go on.
  read({ stream, start }) {
    this.positions.set(stream, start);
    return {};
  }

  // The next step of a stream.
  next({ stream }) {
    const position = this.positions.get(stream);
    if (position < this.first) {
      this.positions.set(stream, this.first);
      return { gap: [position, this.first - 1], reason: "trim" };
    }
    if (position >= this.records.length) {
      return { at_end: position };
    }
    this.positions.set(stream, position + 1);
    return { lsn: position, payload: this.records[position] };
  }

  // Where the next record will lie.
  tail() {
    return { lsn: this.records.length };
  }

  // Delete everything up to an LSN; what is not there yet cannot be trimmed.
  trim({ upto }) {
    this.first = Math.max(this.first, Math.min(upto + 1, this.records.length));
    return {};
  }
}

const QUESTIONS = ["append", "read", "next", "tail", "trim"];

let log = new Log();

// One answer for each question, by one line.
function answer(question) {
  if ("quorate_adapter" in question) {
    return { quorate_adapter: 1, system: "memory in JavaScript", can: ["tail", "trim"] };
  }
  if (question.do === "open") {
    log = new Log();
    return { id: question.id };
  }
  if (QUESTIONS.includes(question.do)) {
    return { id: question.id, ...log[question.do](question) };
  }
  return { id: question.id, error: `no such question: ${question.do}` };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
});
