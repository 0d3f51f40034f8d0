import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { isWithControl, keyName } from "../Keys.ts"
import { texts as common } from "../Messages.ts"
import { partsOf } from "../notes/Highlight.ts"
import { IconButton } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { typedAhead } from "../ShownOverlay.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { Entry } from "./Entry.ts"
import { texts } from "./FindingMessages.ts"
import { markedParts } from "./Matching.ts"
import { type Group, localGroups, outlineGroups, serverGroup } from "./PaletteGroups.ts"

/** Milliseconds without typing after which the server is asked. */
const beforeAsking = 90

interface PaletteProps {
  readonly store: WorkspaceStore
  /** Whether only the headings of the open note are offered. */
  readonly isOutline: boolean
  readonly onNew: () => void
  readonly onClose: () => void
}

const Marked = ({ parts }: { readonly parts: ReturnType<typeof markedParts> }) => (
  <>{parts.map(({ isMatch, text }, index) => (isMatch ? <mark key={index}>{text}</mark> : text))}</>
)

interface OptionProps {
  readonly entry: Entry
  readonly id: string
  readonly query: string
  readonly isSelected: boolean
  readonly onPoint: () => void
  readonly onRun: () => void
}

const Option = ({ entry, id, isSelected, onPoint, onRun, query }: OptionProps) => {
  const { depth = 0, detail, icon, shortcut, snippet, title } = entry
  return (
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      class="found"
      style={{ paddingInlineStart: depth === 0 ? "" : `${12 + 16 * depth}px` }}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span class="found-title">
        <Marked parts={markedParts(title, query)} />
      </span>
      {detail !== undefined && <span class="hint">{detail}</span>}
      {shortcut !== undefined && <kbd>{keyName(shortcut)}</kbd>}
      {snippet !== undefined && (
        <span class="found-text hint">
          <Marked parts={partsOf(snippet)} />
        </span>
      )}
    </div>
  )
}

/** Finds notes, notebooks, tags, headings and commands: at once what is loaded, and below it what the server finds. */
export const Palette = ({ isOutline, onClose, onNew, store }: PaletteProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  /** Whether an entry was run: the browser says later that the dialog is closed, when another one may be open. */
  const hasRun = useRef(false)
  const id = useId()
  const [query, setQuery] = useState(() => typedAhead.text)
  /** What the server has found, and for which query. */
  const [answer, setAnswer] = useState<{ readonly query: string; readonly group: Group | undefined }>()
  const [selected, setSelected] = useState<string>()
  useLayoutEffect(() => {
    const element = dialog.current!
    element.showModal()
    input.current!.focus()
    typedAhead.text = ""
    return () => element.close()
  }, [])
  const wanted = query.trim()
  const local = useMemo(
    () => (isOutline ? outlineGroups(store, wanted) : localGroups(store, wanted, onNew)),
    [store, wanted, isOutline]
  )
  useEffect(() => {
    if (isOutline || wanted === "") return
    const ended = new AbortController()
    const timer = setTimeout(
      () => void serverGroup(store, wanted, ended.signal).then((group) => setAnswer({ query: wanted, group })),
      beforeAsking
    )
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [store, wanted, isOutline])
  const isAnswered = answer !== undefined && answer.query === wanted && wanted !== ""
  const known = new Set(local.flatMap(({ entries }) => entries.map(({ key }) => key)))
  const joined = isAnswered ? (answer.group?.entries ?? []).filter(({ key }) => !known.has(key)) : []
  const groups = joined.length === 0 ? local : [...local, { name: texts.palette.server, entries: joined }]
  const entries = groups.flatMap((group) => group.entries)
  const at = Math.max(
    0,
    entries.findIndex(({ key }) => key === selected)
  )
  const current = entries[at]
  const optionId = (entry: Entry) => `${id}-${entry.key.replaceAll(/\s/g, "_")}`
  const select = (index: number) => {
    const entry = entries[(index + entries.length) % entries.length]
    if (entry === undefined) return
    setSelected(entry.key)
    document.getElementById(optionId(entry))?.scrollIntoView({ block: "nearest" })
  }
  const run = (entry: Entry) => {
    // First: what it opens may be a dialog, and the browser gives the focus back when this one is closed.
    hasRun.current = true
    dialog.current!.close()
    onClose()
    void entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: Math.min(at + 8, entries.length - 1),
      PageUp: Math.max(at - 8, 0)
    }
    const step = steps[event.key]
    if (step !== undefined) select(step)
    else if (event.key === "Enter" && current !== undefined) run(current)
    else if (isWithControl(event, "k")) onClose()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const { noHeadings, none, offline, outlinePlaceholder, placeholder, title } = texts.palette
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={isOutline ? texts.commands.outline.title : title}
      onClose={() => hasRun.current || onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={onKeyDown}
    >
      <header>
        <Icon name={isOutline ? "list" : "search"} />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current && optionId(current)}
          aria-autocomplete="list"
          aria-label={isOutline ? outlinePlaceholder : placeholder}
          placeholder={isOutline ? outlinePlaceholder : placeholder}
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="go"
          maxLength={200}
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value)
            setSelected(undefined)
            document.getElementById(`${id}-list`)!.scrollTop = 0
          }}
        />
        <IconButton icon="close" label={common.close} onClick={onClose} />
      </header>
      <div
        id={`${id}-list`}
        role="listbox"
        class="found-list"
        aria-label={isOutline ? texts.commands.outline.title : title}
      >
        {groups.map(({ entries, name }, index) => (
          <div key={name} role="group" aria-labelledby={`${id}-group-${index}`}>
            <h3 id={`${id}-group-${index}`} role="presentation">
              {name}
            </h3>
            {entries.map((entry) => (
              <Option
                key={entry.key}
                id={optionId(entry)}
                entry={entry}
                query={wanted}
                isSelected={entry === current}
                onPoint={() => entry === current || setSelected(entry.key)}
                onRun={() => run(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="hint none">{isOutline && query === "" ? noHeadings : none}</p>}
      {isAnswered && answer.group === undefined && <p class="hint none">{offline}</p>}
      <p class="visually-hidden" role="status">
        {query !== "" && texts.palette.count(entries.length)}
      </p>
      <footer aria-hidden="true">
        {texts.palette.hints.map(([key, meaning]) => (
          <span key={key}>
            <kbd>{key}</kbd> {meaning}
          </span>
        ))}
      </footer>
    </dialog>
  )
}
