import { useRef } from "preact/hooks"
import { addressOf, route } from "../Navigation.ts"
import { Menu, type MenuItem } from "../ui/Menu.tsx"
import type { TaskChange } from "./TaskList.ts"
import { taskTexts } from "./TaskMessages.ts"
import { dayIn, shortDay, type Task } from "./TaskViews.ts"

interface TaskRowProps {
  readonly task: Task
  readonly canWrite: boolean
  /** Whether its note is shown above it. */
  readonly isInNote: boolean
  /** Returns whether it has succeeded. */
  readonly onChange: (change: TaskChange) => Promise<boolean>
  /** Asks for a due date. */
  readonly onDay: () => void
}

const priorities = Object.keys(taskTexts.priorities) as ReadonlyArray<keyof typeof taskTexts.priorities>

const dueItems = ({ onChange, onDay, task: { due } }: TaskRowProps): ReadonlyArray<MenuItem> => {
  const { none, other, today, tomorrow, week } = taskTexts.dates
  const item = (label: string, day: string | null) => ({
    label,
    isChecked: due === day,
    onSelect: () => void onChange({ due: day })
  })
  return [
    item(today, dayIn(0)),
    item(tomorrow, dayIn(1)),
    item(week, dayIn(7)),
    { label: other, onSelect: onDay },
    item(none, null)
  ]
}

const priorityItems = ({ onChange, task }: TaskRowProps): ReadonlyArray<MenuItem> =>
  [...priorities, null].map((priority) => ({
    label: priority === null ? taskTexts.noPriority : taskTexts.priorities[priority],
    isChecked: task.priority === priority,
    onSelect: () => void onChange({ priority })
  }))

/** A task, which is ticked where it is. Its words lead to its line in the note. */
export const TaskRow = (props: TaskRowProps) => {
  const { canWrite, isInNote, onChange, task } = props
  const { done, due, line, note_id, note_title, priority, scheduled, text } = task
  const { filter } = route.value
  const isBusy = useRef(false)
  const tick = async (box: HTMLInputElement) => {
    const isTicked = box.checked
    box.checked = done
    if (isBusy.current) return
    isBusy.current = true
    box.checked = isTicked
    if (!(await onChange({ done: isTicked }))) box.checked = done
    isBusy.current = false
  }
  return (
    <li class={done ? "task done" : "task"}>
      <input
        type="checkbox"
        checked={done}
        disabled={!canWrite}
        aria-label={text}
        onChange={({ currentTarget }) => void tick(currentTarget)}
      />
      <div>
        <a class="task-text" href={addressOf(filter, note_id, `${line - 1}`)} dir="auto">
          {text}
        </a>
        <p class="task-facts">
          {due !== null && <span class={!done && due < dayIn(0) ? "late" : ""}>{taskTexts.dueOn(shortDay(due))}</span>}
          {scheduled !== null && <span>{taskTexts.planned(shortDay(scheduled))}</span>}
          {priority !== null && <span>{taskTexts.priorities[priority]}</span>}
          {!isInNote && (
            <a href={addressOf(filter, note_id)} dir="auto">
              {note_title}
            </a>
          )}
        </p>
      </div>
      {canWrite && (
        <>
          <Menu icon="calendar" label={taskTexts.due(text)} items={dueItems(props)} />
          <Menu icon="flag" label={taskTexts.priority(text)} items={priorityItems(props)} />
        </>
      )}
    </li>
  )
}
