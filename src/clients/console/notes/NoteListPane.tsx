import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { shortDate } from "../Dates.ts"
import { keyName } from "../Keys.ts"
import { texts } from "../Messages.ts"
import { addressOf, open, route as opened } from "../Navigation.ts"
import { overlay } from "../ShownOverlay.ts"
import { TemplateMenu } from "../templates/TemplateMenu.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { lazily, onDemand } from "../ui/lazily.tsx"
import { messageOf } from "../ui/Notices.tsx"
import { Windowed } from "../ui/Windowed.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { StoredDraft } from "../drafts/StoredDraft.ts"
import { dragNotes } from "../lists/DraggedNotes.ts"
import { partsOf } from "./Highlight.ts"
import { onListKey } from "../lists/listKeys.ts"
import { listView, orderOf } from "../lists/ListView.ts"
import { refreshing } from "../touch/Refreshing.ts"
import { type NoteFilter, pathOf, titleOf } from "./NoteFilter.ts"
import { type NoteRow, NoteRows } from "./NoteRows.ts"
import { Selection } from "../lists/Selection.ts"

const ListMenu = lazily(async () => (await import("../finding/Finding.ts")).ListMenu)

const WaitingDialog = onDemand((all) => all.WaitingDialog)

const SearchFilters = lazily(async () => (await import("../finding/Finding.ts")).SearchFilters)
const SelectionBar = lazily(async () => (await import("../finding/Finding.ts")).SelectionBar)

/** The heights of rows in pixels, as in the style. */
const rowHeights = { comfortable: 84, compact: 40 }
/** Milliseconds without typing after which a search begins. */
const beforeSearch = 120

interface NoteListPaneProps {
  readonly store: WorkspaceStore
  readonly filter: NoteFilter
  /** The id of the open note. */
  readonly note: string | undefined
  readonly onMenu: () => void
  readonly onNew: () => void
  readonly onDraft: (draft: StoredDraft) => void
  /** Why no changes come. */
  readonly connection: preact.ComponentChildren
}

interface RowProps {
  readonly row: NoteRow
  readonly filter: NoteFilter
  readonly isOpen: boolean
  readonly isCompact: boolean
  /** Selects several notes; undefined if the user may not change them. */
  readonly selection: Selection | undefined
  readonly rows: ReadonlyArray<NoteRow>
}

const Row = ({ filter, isCompact, isOpen, row, rows, selection }: RowProps) => (
  <>
    {selection !== undefined && (
      <input
        type="checkbox"
        class="pick"
        // The keyboard selects rows by Space.
        tabIndex={-1}
        aria-label={texts.list.pick(row.title)}
        checked={selection.ids.value.has(row.id)}
        onClick={({ shiftKey }) => (shiftKey ? selection.extend(rows, undefined, row.id) : selection.toggle(row.id))}
      />
    )}
    <a
      id={row.id}
      class="row"
      href={addressOf(filter, row.id)}
      aria-current={isOpen ? "page" : undefined}
      draggable={selection !== undefined && filter.kind !== "trash"}
      onDragStart={(event) => {
        const { value } = selection!.ids
        dragNotes(
          event,
          row,
          rows.filter(({ id }) => value.has(id))
        )
      }}
      onClick={(event) => {
        if (!event.shiftKey || selection === undefined) return
        event.preventDefault()
        selection.extend(rows, opened.value.note, row.id)
      }}
    >
      <span class="row-head">
        <span class="row-title" dir="auto">
          {row.pinned && <Icon name="pin" />}
          {row.title}
        </span>
        <time dateTime={row.updated_at}>{shortDate(row.updated_at)}</time>
      </span>
      {!isCompact && (
        <span class="row-text" dir="auto">
          {row.snippet === undefined
            ? row.excerpt
            : partsOf(row.snippet).map(({ isMatch, text }, index) =>
                isMatch ? <mark key={index}>{text}</mark> : text
              )}
        </span>
      )}
      {!isCompact && row.tags.length > 0 && <span class="row-tags">{row.tags.map((tag) => `#${tag}`).join(" ")}</span>}
    </a>
  </>
)

/** How many texts wait on this device, and the way to each. */
const Waiting = ({ onDraft, store }: Pick<NoteListPaneProps, "store" | "onDraft">) => {
  const [isOpen, setIsOpen] = useState(false)
  const { length } = store.waiting.waiting.value
  if (length === 0 && !isOpen) return null
  return (
    <>
      <p class="banner" role="status">
        {texts.waiting.count(length)} <Button onClick={() => setIsOpen(true)}>{texts.waiting.show}</Button>
      </p>
      {isOpen && <WaitingDialog store={store} onDraft={onDraft} onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** The list of notes, with the search. */
export const NoteListPane = ({ connection, filter, note, onDraft, onMenu, onNew, store }: NoteListPaneProps) => {
  const path = pathOf(filter)
  const order = orderOf(filter)
  // A search may name a notebook, whose id is known then.
  const isReady = filter.kind === "search" && store.isReady.value
  const rows = useMemo(() => new NoteRows(store, filter, order), [store, path, order, isReady])
  const selection = useMemo(() => new Selection(), [store, path])
  useEffect(() => {
    refreshing.now = () => (void store.retry(), rows.retry())
    return () => rows.close()
  }, [rows])
  const [query, setQuery] = useState(filter.kind === "search" ? filter.query : "")
  /** The search that the field has opened last. The way back leads to others, whose text the field then takes. */
  const searched = useRef(query)
  useEffect(() => {
    const shown = filter.kind === "search" ? filter.query : ""
    if (filter.kind !== "search" || shown !== searched.current) setQuery(shown)
    searched.current = shown
  }, [path])
  useEffect(() => {
    const isShown = filter.kind === "search" && filter.query === query
    if (isShown || (query === "" && filter.kind !== "search")) return
    const timer = setTimeout(
      // The note that is open then: one may have been opened since the last letter.
      () => {
        searched.current = query
        if (query === "") return open({ kind: "all" }, opened.value.note, { replace: true })
        open({ kind: "search", query }, opened.value.note, { replace: filter.kind === "search" })
      },
      beforeSearch
    )
    return () => clearTimeout(timer)
  }, [query])
  const canCreate = store.canWrite.value && filter.kind !== "trash" && filter.kind !== "archive"
  const listed = rows.rows.value
  const selected = listed.filter(({ id }) => selection.ids.value.has(id))
  const isSelecting = selected.length > 0 || selection.isOpen.value
  const ownSelection = store.canWrite.value ? selection : undefined
  const { isCompact } = listView.value
  /** Why the rows could not be read, unless the connection says so. */
  const failure = rows.failure.value && messageOf(rows.failure.value)
  const isSaid = store.failure.value !== undefined && failure === messageOf(store.failure.value)
  return (
    <section
      class={`pane list ${isCompact ? "compact" : ""} ${isSelecting ? "selecting" : ""}`}
      aria-label={titleOf(filter, store)}
      onKeyDown={(event) => onListKey(event, listed, ownSelection)}
    >
      <header class="bar">
        <IconButton class="menu-button" icon="menu" label={texts.openNavigation} onClick={onMenu} />
        <h1>{titleOf(filter, store)}</h1>
        <div class="tools">
          <ListMenu filter={filter} store={store} onSelect={ownSelection && (() => (selection.isOpen.value = true))} />
          {canCreate && (
            <>
              <TemplateMenu store={store} filter={filter} />
              <IconButton class="main" icon="plus" label={texts.newNote} onClick={onNew} />
            </>
          )}
        </div>
      </header>
      <search class="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={query}
          maxLength={500}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          onKeyDown={({ key }) =>
            key === "Escape" && (setQuery(""), filter.kind === "search" && open({ kind: "all" }, note))
          }
        />
        <IconButton
          icon="compass"
          label={texts.palette(keyName("Ctrl-K"))}
          onClick={() => (overlay.value = "palette")}
        />
      </search>
      {filter.kind === "search" && <SearchFilters store={store} query={filter.query} />}
      {connection}
      <Waiting store={store} onDraft={onDraft} />
      <p class="visually-hidden" role="status">
        {rows.total.value !== undefined && texts.results(rows.total.value)}
      </p>
      {failure !== undefined && !isSaid && (
        <p class="banner" role="alert">
          {failure} <Button onClick={() => void rows.retry()}>{texts.retry}</Button>
        </p>
      )}
      {rows.isRead.value && listed.length === 0 ? (
        <p class="blank">{texts.empty[filter.kind]}</p>
      ) : (
        <Windowed
          label={titleOf(filter, store)}
          rows={listed}
          rowHeight={rowHeights[isCompact ? "compact" : "comfortable"]}
          keyOf={({ id }) => id}
          selected={note}
          isComplete={rows.isComplete.value}
          onEnd={() => void rows.more()}
          render={(row) => (
            <Row
              row={row}
              rows={listed}
              filter={filter}
              isCompact={isCompact}
              isOpen={row.id === note}
              selection={ownSelection}
            />
          )}
        />
      )}
      {isSelecting && (
        <SelectionBar
          store={store}
          filter={filter}
          selection={selection}
          notes={selected}
          onClose={() => selection.clear()}
        />
      )}
    </section>
  )
}
