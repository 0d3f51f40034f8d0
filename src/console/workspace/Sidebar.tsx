import { useSignal } from "@preact/signals"
import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { addressOf, open, route } from "../Navigation.ts"
import { Button, IconButton } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { Menu, type MenuItem } from "../ui/Menu.tsx"
import { attempt, notify } from "../ui/Notices.tsx"
import { isInside, nested, type TreeRow } from "./NestedNotebooks.ts"
import type { Place } from "./Place.ts"

type Notebook = Schemas["Notebook"]

const views = [
  ["all", "all"],
  ["archive", "archive"],
  ["trash", "trash"]
] as const satisfies ReadonlyArray<readonly ["all" | "archive" | "trash", IconName]>

const currentIf = (isCurrent: boolean) => (isCurrent ? "page" : undefined)

/** What is asked for in a dialog. */
type Question =
  | { readonly kind: "create"; readonly parent_id: string | null }
  | { readonly kind: "rename"; readonly notebook: Notebook }
  | { readonly kind: "move"; readonly notebook: Notebook }

/** The type of data while a notebook is dragged. */
const dragType = "application/x-sheaf-notebook"

interface SidebarProps {
  readonly place: Place
  readonly account: preact.ComponentChildren
}

/** The lists, notebooks and tags of the workspace. */
export const Sidebar = ({ account, place }: SidebarProps) => {
  const closed = useSignal<ReadonlySet<string>>(new Set())
  const [question, setQuestion] = useState<Question>()
  const { filter } = route.value
  const notebooks = place.notebooks.value
  const toggle = (id: string) => {
    closed.value = closed.value.has(id)
      ? new Set([...closed.value].filter((each) => each !== id))
      : new Set([...closed.value, id])
  }
  const move = (id: string, parent_id: string | null) =>
    attempt(async () => {
      const notebook = place.notebook(id)
      if (notebook === undefined || notebook.parent_id === parent_id) return
      await place.client.moveNotebook({ id, parent_id })
      await place.read()
    })
  const remove = ({ id, name }: Notebook) =>
    attempt(async () => {
      await place.client.deleteNotebook({ id })
      await place.read()
      if (filter.kind === "notebook" && isInside(notebooks, filter.id, id)) open({ kind: "all" })
      const restore = () => void attempt(async () => (await place.client.restoreNotebook({ id }), place.read()))
      notify(texts.notebookDeleted(name), { label: texts.undo, run: restore })
    })
  const itemsOf = (notebook: Notebook): ReadonlyArray<MenuItem> => [
    {
      icon: "plus",
      label: texts.newSubnotebook,
      onSelect: () => setQuestion({ kind: "create", parent_id: notebook.id })
    },
    { icon: "edit", label: texts.renameNotebook, onSelect: () => setQuestion({ kind: "rename", notebook }) },
    { icon: "book", label: texts.moveNotebook, onSelect: () => setQuestion({ kind: "move", notebook }) },
    { icon: "trash", label: texts.deleteNotebook, isDanger: true, onSelect: () => void remove(notebook) }
  ]
  const dropOn = (parent_id: string | null) => ({
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer?.types.includes(dragType) === true) event.preventDefault()
    },
    onDrop: (event: DragEvent) => {
      const id = event.dataTransfer?.getData(dragType) ?? ""
      if (id === "") return
      event.preventDefault()
      event.stopPropagation()
      if (parent_id === null || !isInside(notebooks, parent_id, id)) void move(id, parent_id)
    }
  })
  const row = ({ depth, hasChildren, notebook }: TreeRow) => {
    const { color, id, name, note_count } = notebook
    return (
      <li key={id} style={{ paddingInlineStart: `${depth * 14}px` }} {...dropOn(id)}>
        {hasChildren ? (
          <button
            type="button"
            class="twist"
            aria-expanded={!closed.value.has(id)}
            aria-label={texts.expand(name)}
            onClick={() => toggle(id)}
          >
            <Icon name="chevron" />
          </button>
        ) : (
          <span class="twist" />
        )}
        <a
          href={addressOf({ kind: "notebook", id })}
          aria-current={currentIf(filter.kind === "notebook" && filter.id === id)}
          draggable={place.canWrite.value}
          onDragStart={({ dataTransfer }) => dataTransfer?.setData(dragType, id)}
        >
          <span class="dot" style={color === null ? {} : { background: color }} />
          <span class="name">{name}</span>
          <span class="count">{note_count}</span>
        </a>
        {place.canWrite.value && <Menu icon="more" label={`${texts.more}: ${name}`} items={itemsOf(notebook)} />}
      </li>
    )
  }
  return (
    <nav class="sidebar" aria-label={texts.navigation}>
      {account}
      <ul class="views">
        {views.map(([kind, icon]) => (
          <li key={kind}>
            <a href={addressOf({ kind })} aria-current={currentIf(filter.kind === kind)}>
              <Icon name={icon} />
              <span class="name">{texts.lists[kind]}</span>
            </a>
          </li>
        ))}
      </ul>
      <div class="section" {...dropOn(null)}>
        <h2>{texts.notebooks}</h2>
        {place.canWrite.value && (
          <IconButton
            icon="plus"
            label={texts.newNotebook}
            onClick={() => setQuestion({ kind: "create", parent_id: null })}
          />
        )}
      </div>
      <ul class="tree">{nested(notebooks, (id) => !closed.value.has(id)).map(row)}</ul>
      <div class="section">
        <h2>{texts.tags}</h2>
      </div>
      <ul class="tag-list">
        {place.tags.value.map(({ color, id, name, note_count }) => (
          <li key={id}>
            <a
              href={addressOf({ kind: "tag", name })}
              aria-current={currentIf(filter.kind === "tag" && filter.name === name)}
            >
              <span class="hash" style={color === null ? {} : { color }}>
                #
              </span>
              <span class="name">{name}</span>
              <span class="count">{note_count}</span>
            </a>
          </li>
        ))}
      </ul>
      {question !== undefined && (
        <NotebookDialog place={place} question={question} onClose={() => setQuestion(undefined)} />
      )}
    </nav>
  )
}

interface NotebookDialogProps {
  readonly place: Place
  readonly question: Question
  readonly onClose: () => void
}

const NotebookDialog = ({ onClose, place, question }: NotebookDialogProps) => {
  const [name, setName] = useState(question.kind === "rename" ? question.notebook.name : "")
  const [parent, setParent] = useState(question.kind === "move" ? (question.notebook.parent_id ?? "") : "")
  const title = {
    create: texts.newNotebook,
    rename: texts.renameNotebook,
    move: texts.moveNotebook
  }[question.kind]
  const submit = () =>
    attempt(async () => {
      const { client } = place
      if (question.kind === "create") await client.createNotebook({ name, parent_id: question.parent_id })
      else if (question.kind === "rename") await client.updateNotebook({ id: question.notebook.id, name })
      else await client.moveNotebook({ id: question.notebook.id, parent_id: parent === "" ? null : parent })
      await place.read()
      onClose()
    })
  const notebooks = place.notebooks.value
  const isPlace = (id: string) => question.kind === "move" && !isInside(notebooks, id, question.notebook.id)
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => submit()}>
        {question.kind === "move" ? (
          <label class="field">
            {question.notebook.name}
            <select value={parent} onChange={({ currentTarget }) => setParent(currentTarget.value)}>
              <option value="">{texts.topLevel}</option>
              {nested(notebooks)
                .filter(({ notebook }) => isPlace(notebook.id))
                .map(({ depth, notebook }) => (
                  <option key={notebook.id} value={notebook.id}>
                    {`${"\u2003".repeat(depth)}${notebook.name}`}
                  </option>
                ))}
            </select>
          </label>
        ) : (
          <Field label={texts.notebookName} required maxLength={100} value={name} onValue={setName} />
        )}
        <footer class="actions">
          <Button kind="main" type="submit">
            {texts.save}
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}
