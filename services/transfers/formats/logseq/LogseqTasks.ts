import { type Clock, momentOf } from "../WrittenTime.ts"

/** Tasks of Logseq: a word in capitals before the text of a block, and lines with its times. */

const task = /^(TODO|LATER|DOING|NOW|IN-PROGRESS|WAITING|WAIT|DONE|CANCELED|CANCELLED)[ \t]+(\S.*)$/
const done = new Set(["CANCELED", "CANCELLED", "DONE"])
/** States that a check box expresses. */
const expressed = new Set(["DONE", "LATER", "TODO"])

export interface Task {
  readonly text: string
  readonly isDone: boolean
  /** The state, if a check box does not express it. */
  readonly state?: string
}

/** The task that a line states. */
export const taskIn = (line: string): Task | undefined => {
  const [, state = "", words = ""] = task.exec(line) ?? []
  if (state === "") return undefined
  const isDone = done.has(state)
  const more = expressed.has(state) ? {} : { state: state.toLowerCase() }
  return { text: `[${isDone ? "x" : " "}] ${words}`, isDone, ...more }
}

/** The words of a line without the state of a task. */
export const withoutState = (line: string): string => task.exec(line)?.[2] ?? line

const timed =
  /^(SCHEDULED|DEADLINE): <(\d{4}-\d\d-\d\d)(?: [\p{L}.]{1,20})?(?: (\d\d?:\d\d))?(?: ([.+]{1,2}\d{1,4}[hdwmy]))?>$/u

/** The time of the day of a reminder on a day without a time. */
const morning = "09:00"

interface TaskTime {
  readonly name: string
  readonly shown: string
  /** When it reminds, if that is still to come. */
  readonly remind_at?: string
}

/** The time that a line states. */
export const taskTimeIn = (line: string, { now, timezone }: Clock): TaskTime | undefined => {
  const [, kind = "", day = "", time, repeat] = timed.exec(line.trim()) ?? []
  if (kind === "") return undefined
  const moment = momentOf(`${day}T${(time ?? morning).padStart(5, "0")}`, timezone)
  const shown = [day, ...(time === undefined ? [] : [time]), ...(repeat === undefined ? [] : [`(repeats ${repeat})`])]
  const isAhead = moment !== undefined && Date.parse(moment) > now.getTime()
  return { name: kind.toLowerCase(), shown: shown.join(" "), ...(isAhead ? { remind_at: moment } : {}) }
}
