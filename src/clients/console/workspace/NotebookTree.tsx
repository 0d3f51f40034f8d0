import { useSignal } from "@preact/signals"
import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { addressOf, route } from "../Navigation.ts"
import { droppedNotes, noteDragType } from "../lists/DraggedNotes.ts"
import { IconButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { onDemand } from "../ui/lazily.tsx"
import { Menu, type MenuItem } from "../ui/Menu.tsx"
import { attempt, loaded } from "../ui/Notices.tsx"
import { isInside, nested, notesInside, pathTo, type TreeRow } from "./NestedNotebooks.ts"
import type { NotebookQuestion } from "./NotebookDialog.tsx"
import type { WorkspaceStore } from "./WorkspaceStore.ts"

type Notebook = Schemas["Notebook"]

const loadFinding = () => import("../finding/Finding.ts")
const NotebookDialog = onDemand((all) => all.NotebookDialog)

/** The type of data while a notebook is dragged. */
const dragType = "application/x-sheaf-notebook"

/** Maximum number of notebooks that are all shown at first. */
const maxOpen = 15

/** The notebooks of the workspace, which can be created, edited, moved and deleted. */
export const NotebookTree = ({ store }: { readonly store: WorkspaceStore }) => {
  /** The notebooks that the user has opened or closed. */
  const states = useSignal<ReadonlyMap<string, boolean>>(new Map())
  /** The notebook over which something is dragged; empty for none. */
  const over = useSignal<string | undefined>(undefined)
  const [question, setQuestion] = useState<NotebookQuestion>()
  const { filter } = route.value
  const notebooks = store.notebooks.value
  const setOpen = (id: string, isOpen: boolean) => {
    states.value = new Map([...states.value, [id, isOpen]])
  }
  const around = filter.kind === "notebook" ? pathTo(notebooks, filter.id).slice(1) : []
  const sums = notesInside(nested(notebooks))
  /** At first, few notebooks are open, and of many those that lead to the shown one. */
  const isOpen = (id: string): boolean => states.value.get(id) ?? (notebooks.length <= maxOpen || around.includes(id))
  const move = (id: string, parent_id: string | null) =>
    attempt(async () => {
      const notebook = store.notebook(id)
      if (notebook === undefined || notebook.parent_id === parent_id) return
      await store.client.moveNotebook({ id, parent_id })
      await store.read()
    })
  const dropNotes = async (event: DragEvent, id: string) => {
    const notes = droppedNotes(event)
    if (notes.length === 0) return
    const { moveDragged } = await loadFinding()
    await moveDragged(store, notes, id)
  }
  const remove = async (notebook: Notebook) => (await loaded(loadFinding))?.deleteNotebook(store, notebook)
  const itemsOf = (notebook: Notebook): ReadonlyArray<MenuItem> => [
    {
      icon: "plus",
      label: texts.newSubnotebook,
      onSelect: () => {
        setOpen(notebook.id, true)
        setQuestion({ kind: "create", parent_id: notebook.id })
      }
    },
    { icon: "edit", label: texts.editNotebook, onSelect: () => setQuestion({ kind: "edit", notebook }) },
    { icon: "book", label: texts.moveNotebook, onSelect: () => setQuestion({ kind: "move", notebook }) },
    { icon: "trash", label: texts.deleteNotebook, isDanger: true, onSelect: () => void remove(notebook) }
  ]
  const dropOn = (parent_id: string | null) => ({
    class: over.value === (parent_id ?? "") ? "over" : undefined,
    onDragOver: (event: DragEvent) => {
      const types = event.dataTransfer?.types ?? []
      if (!types.includes(dragType) && (parent_id === null || !types.includes(noteDragType))) return
      event.preventDefault()
      event.stopPropagation()
      over.value = parent_id ?? ""
    },
    onDragLeave: (event: DragEvent) => {
      const { currentTarget, relatedTarget } = event as DragEvent & { readonly currentTarget: Element }
      if (!currentTarget.contains(relatedTarget as Node | null)) over.value = undefined
    },
    onDrop: (event: DragEvent) => {
      over.value = undefined
      const isNotes = parent_id !== null && event.dataTransfer?.types.includes(noteDragType) === true
      const id = event.dataTransfer?.getData(dragType) ?? ""
      if (id === "" && !isNotes) return
      event.preventDefault()
      event.stopPropagation()
      if (isNotes) void dropNotes(event, parent_id)
      else if (parent_id === null || !isInside(notebooks, parent_id, id)) void move(id, parent_id)
    }
  })
  const row = ({ depth, hasChildren, notebook }: TreeRow) => {
    const { color, icon, id, name, note_count } = notebook
    return (
      <li key={id} style={{ paddingInlineStart: `${depth * 14}px` }} {...dropOn(id)}>
        {hasChildren ? (
          <button
            type="button"
            class="twist"
            aria-expanded={isOpen(id)}
            aria-label={texts.expand(name)}
            onClick={() => setOpen(id, !isOpen(id))}
          >
            <Icon name="chevron" />
          </button>
        ) : (
          <span class="twist" />
        )}
        <a
          href={addressOf({ kind: "notebook", id })}
          aria-current={filter.kind === "notebook" && filter.id === id ? "page" : undefined}
          title={texts.notebookTitle(name, note_count, sums.get(id)!)}
          draggable={store.canWrite.value}
          onDragStart={({ dataTransfer }) => dataTransfer?.setData(dragType, id)}
        >
          {(icon !== null || color !== null) && (
            <span class="mark" style={{ color: color ?? "" }}>
              {icon === null ? <span class="dot" style={{ background: color ?? "" }} /> : <Icon name={icon} />}
            </span>
          )}
          <span class="name">{name}</span>
          <span class="count">{note_count}</span>
        </a>
        {store.canWrite.value && <Menu icon="more" label={`${texts.more}: ${name}`} items={itemsOf(notebook)} />}
      </li>
    )
  }
  return (
    <>
      <div {...dropOn(null)} class="section">
        <h2>{texts.notebooks}</h2>
        {store.canWrite.value && (
          <IconButton
            icon="plus"
            label={texts.newNotebook}
            onClick={() => setQuestion({ kind: "create", parent_id: null })}
          />
        )}
      </div>
      <ul class="labels tree">{nested(notebooks, isOpen).map(row)}</ul>
      {question !== undefined && (
        <NotebookDialog store={store} question={question} onClose={() => setQuestion(undefined)} />
      )}
    </>
  )
}
