import { useEffect, useRef, useState } from "preact/hooks"
import { isProblem, type Schemas } from "../../client/SheafClient.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { taskTexts } from "./TaskMessages.ts"
import { type Task, taskQuery, type TaskView } from "./TaskViews.ts"

export type TaskChange = Omit<Schemas["TaskUpdate"], "version">

/**
 * The tasks of a view, read in pages. A task that was changed here stays where it is, also if it does not belong to the view
 * any more: nothing moves under the pointer.
 */
export const useTasks = (store: WorkspaceStore, view: TaskView, notebook_id: string | undefined) => {
  const { client } = store
  const query = taskQuery(view, notebook_id)
  const list = usePages((page) => client.listTasks({ ...query, sort: [...query.sort], ...page }), [query.filter, view])
  /** The tasks as they were changed here, by the ids with which they were read. */
  const [changed, setChanged] = useState<ReadonlyMap<string, Task>>(new Map())
  const rows = list.pages?.flat().map((task) => ({ key: task.id, task: changed.get(task.id) ?? task }))
  const reload = () => {
    setChanged(new Map())
    return list.reload()
  }
  // The notebooks are read again after each change of the workspace, and so are the tasks.
  const changes = store.notebooks.value
  const shown = useRef(changes)
  useEffect(() => {
    if (shown.current === changes) return
    shown.current = changes
    if (changed.size === 0 && (list.pages?.length ?? 0) < 2) void list.reload()
  }, [changes])

  /** Changes a task under the version that is shown, and once more under the present one. Returns whether it has succeeded. */
  const change = (key: string, shownTask: Task, update: TaskChange): Promise<boolean> =>
    attempt(async () => {
      const send = async (before: Task) => ({ before, after: await client.updateTask({ ...update, ...at(before) }) })
      try {
        const { after, before } = await send(shownTask).catch(async (error: unknown) => {
          if (!isProblem(error, "precondition_failed")) throw error
          return send(await client.getTask({ id: shownTask.id }))
        })
        setChanged((earlier) => new Map([...earlier, ...besides(rows ?? [], before, after), [key, after]]))
      } catch (error) {
        // Its words were changed, or its note was again.
        if (isProblem(error, "not_found", "precondition_failed")) {
          notify(taskTexts.moved, undefined, "task")
          await reload()
        } else throw error
      }
    })
  return { ...list, rows, change, reload }
}

const at = ({ id, version }: Task) => ({ id, version })

/** The other tasks of the note of a task, at the version that the change of it has made: nothing else of them has changed. */
const besides = (
  rows: ReadonlyArray<{ readonly key: string; readonly task: Task }>,
  before: Task,
  after: Task
): ReadonlyArray<readonly [key: string, task: Task]> =>
  after.version !== before.version + 1
    ? []
    : rows
        .filter(({ task }) => task.note_id === before.note_id && task.version === before.version)
        .map(({ key, task }) => [key, { ...task, version: after.version }])
