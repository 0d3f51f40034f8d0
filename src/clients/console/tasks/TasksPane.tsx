import "../SharedParts.ts"
import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { texts } from "../Messages.ts"
import { addressOf, route } from "../Navigation.ts"
import type { TaskFilter } from "../notes/NoteFilter.ts"
import { adoptStyle } from "../style/adoptStyle.ts"
import style from "../style/tasks.css" with { type: "text" }
import { Button, IconButton } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { Form } from "../ui/Form.tsx"
import { Submit } from "../ui/Submit.tsx"
import { NotebookOptions } from "../workspace/NotebookOptions.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type TaskChange, useTasks } from "./TaskList.ts"
import { taskTexts } from "./TaskMessages.ts"
import { TaskRow } from "./TaskRow.tsx"
import { dayIn, type Task, type TaskView, taskViews } from "./TaskViews.ts"

adoptStyle(style)

interface TasksPaneProps {
  readonly store: WorkspaceStore
  readonly filter: TaskFilter
  readonly onMenu: () => void
  /** Why no changes come. */
  readonly connection: ComponentChildren
}

/** The notebook whose tasks are shown; empty for all. */
const chosenNotebook = signal("")

interface DayDialogProps {
  readonly task: Task
  readonly onDay: (due: string) => Promise<unknown>
  readonly onClose: () => void
}

const DayDialog = ({ onClose, onDay, task }: DayDialogProps) => {
  const [day, setDay] = useState(task.due ?? dayIn(0))
  return (
    <Dialog title={task.text} onClose={onClose}>
      <Form onSubmit={async () => (await onDay(day)) && onClose()}>
        <Field label={taskTexts.day} type="date" autofocus required value={day} onValue={setDay} />
        <Submit label={texts.save} />
      </Form>
    </Dialog>
  )
}

interface TaskListProps {
  readonly store: WorkspaceStore
  readonly view: TaskView
  readonly notebook_id: string | undefined
}

type Row = { readonly key: string; readonly task: Task }

const TaskList = ({ notebook_id, store, view }: TaskListProps) => {
  const { change, failure, hasMore, isBusy, more, reload, rows } = useTasks(store, view, notebook_id)
  const [asked, setAsked] = useState<Row>()
  const isByNote = view === "notes"
  const rowOf = ({ key, task }: Row) => (
    <TaskRow
      key={key}
      task={task}
      canWrite={store.canWrite.value}
      isInNote={isByNote}
      onChange={(update: TaskChange) => change(key, task, update)}
      onDay={() => setAsked({ key, task })}
    />
  )
  const groups = [...Map.groupBy(rows ?? [], ({ task }) => (isByNote ? task.note_id : "")).values()]
  const isReading = rows === undefined && failure === undefined
  return (
    <div class="tasks" aria-busy={isReading}>
      {isReading && <p class="hint">…</p>}
      <Failure failure={failure} />
      {failure !== undefined && <Button onClick={() => void reload()}>{texts.retry}</Button>}
      {groups.map((group) => {
        const { note_id, note_title, notebook_id } = group[0]!.task
        return (
          <section key={note_id}>
            {isByNote && (
              <h2>
                <a href={addressOf(route.value.filter, note_id)} dir="auto">
                  {note_title}
                </a>{" "}
                <span class="hint">{store.pathOf(notebook_id).join(" / ")}</span>
              </h2>
            )}
            <ul>{group.map(rowOf)}</ul>
          </section>
        )
      })}
      {rows?.length === 0 && !hasMore && <p class="hint">{taskTexts.empty[view]}</p>}
      {hasMore && <Button onClick={() => void (isBusy || more())}>{taskTexts.more}</Button>}
      {asked !== undefined && (
        <DayDialog
          task={asked.task}
          onDay={(due) => change(asked.key, asked.task, { due })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}

/** The open tasks of all notes, in the place of the list of notes. */
export const TasksPane = ({ connection, filter, onMenu, store }: TasksPaneProps) => {
  const view = taskViews.find((each) => each === filter.query) ?? taskViews[0]
  const notebook = store.notebook(chosenNotebook.value)?.id
  return (
    <>
      <header class="bar">
        <IconButton class="menu-button" icon="menu" label={texts.openNavigation} onClick={onMenu} />
        <h1>{texts.lists.tasks}</h1>
        <select
          aria-label={texts.notebook}
          value={notebook ?? ""}
          onChange={({ currentTarget }) => (chosenNotebook.value = currentTarget.value)}
        >
          <option value="">{taskTexts.allNotebooks}</option>
          <NotebookOptions store={store} />
        </select>
      </header>
      <nav class="task-views" aria-label={taskTexts.label}>
        {taskViews.map((each) => (
          <a
            key={each}
            href={addressOf({ kind: "tasks", query: each }, route.value.note)}
            aria-current={each === view ? "page" : undefined}
          >
            {taskTexts.views[each]}
          </a>
        ))}
      </nav>
      {connection}
      <TaskList key={`${view} ${notebook}`} store={store} view={view} notebook_id={notebook} />
    </>
  )
}
