import { type Schemas, SheafError } from "../../client/SheafClient.ts"
import { open, route, writing } from "../Navigation.ts"
import type { ShownList } from "../notes/NoteFilter.ts"
import { attempt } from "../ui/Notices.tsx"
import type { SeenNote } from "../workspace/SeenNotes.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { commandsOf } from "./Commands.ts"
import type { Entry } from "./Entry.ts"
import { texts } from "./FindingMessages.ts"
import { matching } from "./Matching.ts"
import { noteTitled } from "./NoteTitled.ts"
import { outlineOf } from "./Outline.ts"
import { recentNotes } from "./OpenedNotes.ts"

/** Entries below a heading. */
export interface Group {
  readonly name: string
  readonly entries: ReadonlyArray<Entry>
}

/** Maximum number of entries that are found without the server, of notes that were opened last, and of the server. */
const most = { local: 20, recent: 8, server: 20 }

/** Opens a list or a note, with the focus there. */
const show = (filter: ShownList, note?: string): void => {
  open(filter, note)
  // The browser has given the focus back to where it was before the dialog.
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(note === undefined ? ".list a.row" : ".pane.note")?.focus()
  )
}

/** The list that stays when a note is opened. The trash does not show it. */
const listAround = (): ShownList => {
  const { administration, filter, start } = route.value
  const isAway = administration !== undefined || start !== undefined || filter.kind === "trash"
  return isAway ? { kind: "all" } : filter
}

const ofNote = (store: WorkspaceStore, note: SeenNote, snippet?: string): Entry => {
  const notebook = store.notebook(note.notebook_id)?.name
  return {
    key: note.id,
    kind: "note",
    title: note.title,
    icon: note.archived ? "archive" : "document",
    detail: note.archived ? [texts.filters.archive, notebook].filter(Boolean).join(" · ") : notebook,
    snippet,
    run: () => show(listAround(), note.id)
  }
}

const ofNotebook = (store: WorkspaceStore, { id, icon, name }: Schemas["Notebook"]): Entry => ({
  key: id,
  kind: "notebook",
  title: name,
  icon: (icon ?? "notebook") as Entry["icon"],
  detail: store.pathOf(id).slice(0, -1).join(" / ") || texts.filters.notebook,
  run: () => show({ kind: "notebook", id })
})

const ofTag = (name: string): Entry => ({
  key: `tag ${name}`,
  kind: "tag",
  title: `#${name}`,
  icon: "tag",
  aliases: name,
  detail: texts.filters.tag,
  run: () => show({ kind: "tag", name })
})

const headings = (store: WorkspaceStore): ReadonlyArray<Entry> => {
  const places = outlineOf(store)
  const least = Math.min(...places.map(({ level }) => level))
  return places.map(({ level, show, text }, index) => ({
    key: `heading ${index}`,
    kind: "heading",
    title: text,
    depth: level - least,
    run: show
  }))
}

const filled = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  groups.filter(({ entries }) => entries.length > 0)

/** The headings of the open note that match. */
export const outlineGroups = (store: WorkspaceStore, query: string): ReadonlyArray<Group> => {
  const all = headings(store)
  const found = new Set(matching(all, query, all.length))
  // In the order of the text, whatever matches better.
  const entries = query === "" ? all : all.filter((entry) => found.has(entry))
  return filled([{ name: texts.palette.headings, entries }])
}

/** What is found without the server. Without a query: the notes that were opened last, and all commands. */
export const localGroups = (store: WorkspaceStore, query: string, onNew: () => void): ReadonlyArray<Group> => {
  const commands = commandsOf(store, onNew)
  const { commands: ofCommands, create, loaded, recent, searchFor } = texts.palette
  if (query === "") {
    const notes = recentNotes(store).slice(0, most.recent)
    return filled([
      { name: recent, entries: notes.map((note) => ofNote(store, note)) },
      { name: ofCommands, entries: commands }
    ])
  }
  const all = [
    ...store.seen.all().map((note) => ofNote(store, note)),
    ...headings(store).map(({ depth: _, ...entry }) => ({
      ...entry,
      icon: "list" as const,
      detail: texts.palette.heading
    })),
    ...store.notebooks.value.map((notebook) => ofNotebook(store, notebook)),
    ...store.tags.value.map(({ name }) => ofTag(name)),
    ...commands
  ]
  const title = query.slice(0, 200)
  const actions: ReadonlyArray<Entry> = [
    {
      key: "search",
      kind: "command",
      title: searchFor(query),
      icon: "search",
      run: () => show({ kind: "search", query })
    },
    ...(store.canWrite.value
      ? [
          {
            key: "create",
            kind: "command",
            title: create(title),
            icon: "plus",
            run: () => attempt(async () => open(listAround(), await noteTitled(store, title), { state: writing }))
          } as const
        ]
      : [])
  ]
  return filled([
    { name: loaded, entries: matching(all, query, most.local) },
    { name: ofCommands, entries: actions }
  ])
}

/** What the server finds, also with typing errors. Undefined if it cannot be reached, or the query has changed. */
export const serverGroup = async (
  store: WorkspaceStore,
  query: string,
  signal: AbortSignal
): Promise<Group | undefined> => {
  const { client } = store
  try {
    const [found, completions] = await Promise.all([
      client.searchNotes({ query, limit: most.server, archived: null }, { signal }),
      client.suggestCompletions({ q: query, limit: 10 }, { signal })
    ])
    store.seen.add(found.hits)
    const tags = completions.data.filter(({ type }) => type === "tag").map(({ text }) => ofTag(text))
    return {
      name: texts.palette.server,
      entries: [...found.hits.map((hit) => ofNote(store, hit, hit.snippet)), ...tags]
    }
  } catch (error) {
    if (error instanceof SheafError || signal.aborted) return undefined
    throw error
  }
}
