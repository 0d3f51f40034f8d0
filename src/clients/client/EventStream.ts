import { unexpected } from "./ClientProblem.ts"
import { piecesOf } from "./ResponseText.ts"

/** An event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}

/** Maximum number of characters of an event: a record has 7 MiB at most. */
const longestEvent = 16 * 1024 * 1024

const eventOf = (lines: ReadonlyArray<string>): StreamEvent | undefined => {
  let [event, data, id]: [string, string | undefined, string | undefined] = ["message", undefined, undefined]
  for (const line of lines) {
    // No regular expression, whose `.` leaves out U+2028, which texts have.
    const colon = line.indexOf(":")
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)
    if (name === "event") event = value
    else if (name === "id") id = value
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`
  }
  return data === undefined ? undefined : { event, data, id }
}

/** Reads the events of a response until it ends. Rejects if it breaks off, or is silent for too long. */
export async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  /** The lines of an event that is not complete, and the beginning of the next one. */
  let [lines, rest]: [Array<string>, string] = [[], ""]
  let length = 0
  for await (const piece of piecesOf(response, signal)) {
    const [first = "", ...further] = piece.replaceAll("\r", "").split("\n")
    rest += first
    for (const next of further) {
      const line = rest
      rest = next
      if (line !== "") {
        lines.push(line)
        length += line.length
        continue
      }
      const event = eventOf(lines)
      ;[lines, length] = [[], 0]
      if (event !== undefined) yield event
    }
    if (length + rest.length > longestEvent) throw unexpected("The response is too long")
  }
}
