import { momentIn, timeOf } from "./EnexTime.ts"

/** A task of Evernote, which an export stores outside of the text of its note. */
export interface Task {
  readonly group: string
  readonly title: string
  readonly isDone: boolean
  /** Further lines: when it is due, when it reminds, and its description. */
  readonly lines: ReadonlyArray<string>
  /** The time of its reminder, if that is still active. */
  readonly remind_at?: string
}

/** Members by name, below `task`. */
type TaskMembers = ReadonlyMap<string, string>

/** Members that only control how Evernote displays a task. */
const ofProgram = new Set([
  ...["dueDateUIOption", "noteLevelID", "sortWeight", "taskGroupNoteLevelID", "taskStatus", "timeZone", "title"],
  ...["reminder/dueDateOffset", "reminder/noteLevelID", "reminder/reminderDateUIOption", "reminder/reminderStatus"],
  ...["reminder/timeZone", "inNote"]
])

/** When it was created or changed, and by which user. */
const ofHistory = ["created", "creator", "lastEditor", "statusUpdated", "updated"]

const labels: Readonly<Record<string, string>> = {
  assigneeEmail: "Assigned to",
  assignee: "Assigned to",
  description: "",
  dueDate: "Due",
  recurrence: "Repeats",
  "reminder/reminderDate": "Reminder",
  repeatAfterCompletion: "Repeats after it is done",
  taskFlag: "Flagged"
}

export const taskOf = (members: TaskMembers): Task => {
  const isDone = members.get("taskStatus") === "completed"
  const zone = members.get("timeZone") ?? ""
  const lines: Array<string> = []
  const said = (name: string, value: string) => {
    const label = labels[name] ?? name.replace("/", " ")
    if (value === "" || value === "false") return
    if (name === "taskFlag" && value === "true") lines.push(label)
    else
      lines.push(...(label === "" ? value : `${label}: ${value}`).split(/\r?\n/).filter((line) => line.trim() !== ""))
  }
  said("dueDate", momentIn(members.get("dueDate") ?? "", zone, members.get("dueDateUIOption") === "date_only"))
  const reminderZone = members.get("reminder/timeZone") ?? zone
  said("reminder/reminderDate", momentIn(members.get("reminder/reminderDate") ?? "", reminderZone, false))
  for (const [name, value] of members) {
    const isOfReminder = name.startsWith("reminder/") && ofHistory.includes(name.slice("reminder/".length))
    const isSaid = name === "dueDate" || name === "reminder/reminderDate"
    if (!isSaid && !isOfReminder && !ofProgram.has(name) && !ofHistory.includes(name)) said(name, value)
  }
  const remind_at = timeOf(members.get("reminder/reminderDate") ?? "")
  // A dismissed reminder, or that of a completed task, is over.
  const isArmed = !isDone && (members.get("reminder/reminderStatus") ?? "active") === "active"
  return {
    group: members.get("taskGroupNoteLevelID") ?? "",
    title: members.get("title") ?? "",
    isDone,
    lines,
    ...(remind_at !== undefined && isArmed ? { remind_at } : {})
  }
}

/** When a task was created and changed, and by which user, in one line; undefined if its note has the same times. */
export const historyOf = (members: TaskMembers, known: ReadonlyArray<string>): string | undefined => {
  const names = [...ofHistory, ...ofHistory.map((name) => `reminder/${name}`)]
  const said = names.flatMap((name) => {
    const value = members.get(name) ?? ""
    return value === "" || known.includes(value) ? [] : [`${name.replace("/", " ")} ${timeOf(value) ?? value}`]
  })
  return said.length === 0 ? undefined : `${members.get("title") ?? ""}: ${said.join(", ")}`
}
