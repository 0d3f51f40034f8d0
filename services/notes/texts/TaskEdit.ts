import { Result } from "effect"
import { boxOf, withBox } from "../../markdown/contents/TaskLines.ts"
import { type EditFault, maxListed, shownLines } from "./EditFault.ts"
import { NoteOutline } from "./NoteOutline.ts"

/** A task that is ticked, whose box becomes empty, or whose text changes. */
export interface TaskEdit {
  /** Its line in the version that was read, from 1. */
  readonly line: number
  /** Its text, or its whole line, as it was read. */
  readonly text?: string
  readonly done?: boolean
  /** Its text after the edit. */
  readonly becomes?: string
}

/** The text of a task, or of its line. */
const textOf = (line: string): string => {
  const box = boxOf(line)
  return (box === undefined ? line : line.slice(box.column + 2)).trim()
}

/** The fault of a line that is not the task. It has the tasks with the text, and the line as it is. */
const otherLine = (outline: NoteOutline, { line, text }: TaskEdit, index: number): EditFault => {
  const present = line <= outline.lines ? outline.line(line).replace(/\r$/, "") : undefined
  const lines: Array<number> = []
  for (let at = outline.contentLine; text !== undefined && at <= outline.lines && lines.length < maxListed; at++) {
    const each = outline.line(at)
    if (boxOf(each) !== undefined && textOf(each) === textOf(text)) lines.push(at)
  }
  const isTask = present !== undefined && line >= outline.contentLine && boxOf(present) !== undefined
  return {
    field: isTask ? `tasks.${index}.text` : `tasks.${index}.line`,
    message: isTask ? "is not the text of the task at this line" : "is no line of a task",
    lines,
    ...(present === undefined ? {} : shownLines([present]))
  }
}

/** The line of a task after its edit. What surrounds the text stays. */
const changed = (line: string, { becomes, done }: TaskEdit): string => {
  const { column, isTicked } = boxOf(line)!
  const boxed = withBox(line, done ?? isTicked)
  if (becomes === undefined || becomes === textOf(line)) return boxed
  const [, before = "", after = ""] = /^(\s*).*?(\s*)$/s.exec(boxed.slice(column + 2))!
  return boxed.slice(0, column + 2) + before + becomes + after
}

/** The text with the boxes of tasks ticked or empty, or with other texts. All lines stay where they are. */
export const tick = (body: string, tasks: ReadonlyArray<TaskEdit>): Result.Result<string, EditFault> => {
  const outline = new NoteOutline(body)
  let made = body
  for (const [index, task] of tasks.entries()) {
    const start = outline.offset(task.line)
    const line = made.slice(start, outline.offset(task.line + 1)).replace(/\r?\n$/, "")
    const isTask = task.line >= outline.contentLine && boxOf(line) !== undefined
    if (!isTask || (task.text !== undefined && textOf(task.text) !== textOf(line))) {
      return Result.fail(otherLine(outline, task, index))
    }
    made = made.slice(0, start) + changed(line, task) + made.slice(start + line.length)
  }
  return Result.succeed(made)
}
