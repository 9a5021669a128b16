// A log in memory that speaks the adapter protocol.
//
//     pytest --quorate-command "java examples/adapters/Memory.java"
//
// What is said on standard input and output: docs/reference/adapter-protocol.md.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Memory {
  // Records by LSN, from 0, as they stand in JSON; what is below `first` was trimmed.
  private final List<String> records = new ArrayList<>();
  private final Map<Integer, Integer> positions = new HashMap<>();
  private int first = 0;

  String append(String payload) {
    records.add(payload);
    return "\"lsn\": " + (records.size() - 1);
  }

  // Begin to read; the stream stands where it is to go on.
  String read(int stream, int start) {
    positions.put(stream, start);
    return "";
  }

  // The next step of a stream.
  String next(int stream) {
    int position = positions.get(stream);
    if (position < first) {
      positions.put(stream, first);
      return "\"gap\": [%d, %d], \"reason\": \"trim\"".formatted(position, first - 1);
    }
    if (position >= records.size()) {
      return "\"at_end\": " + position;
    }
    positions.put(stream, position + 1);
    return "\"lsn\": %d, \"payload\": ".formatted(position) + records.get(position);
  }

  // Delete everything up to an LSN; what is not there yet cannot be trimmed.
  String trim(int upto) {
    first = Math.max(first, Math.min(upto + 1, records.size()));
    return "";
  }

  String answer(String question) {
    String asked = text(question, "do");
    return switch (asked) {
      case "\"append\"" -> append(text(question, "payload"));
      case "\"read\"" -> read(number(question, "stream"), number(question, "start"));
      case "\"next\"" -> next(number(question, "stream"));
      case "\"tail\"" -> "\"lsn\": " + records.size();
      case "\"trim\"" -> trim(number(question, "upto"));
      default -> "\"error\": " + asked;
    };
  }

  // A field of a flat object, as it stands in JSON; a library would do more, but Java brings none along.
  static String text(String object, String name) {
    String value = "(\"(?:[^\"\\\\]++|\\\\.)*+\"|-?\\d+)";
    Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*" + value).matcher(object);
    return found.find() ? found.group(1) : "";
  }

  static int number(String object, String name) {
    return Integer.parseInt(text(object, name));
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Memory log = new Memory();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (!text(line, "quorate_adapter").isEmpty()) {
        answers.println("{\"quorate_adapter\": 1, \"system\": \"memory in Java\", \"can\": [\"tail\", \"trim\"]}");
        continue;
      }
      boolean opens = text(line, "do").equals("\"open\"");
      log = opens ? new Memory() : log;
      String said = opens ? "" : log.answer(line);
      answers.println("{\"id\": " + text(line, "id") + (said.isEmpty() ? "" : ", " + said) + "}");
    }
  }
}
