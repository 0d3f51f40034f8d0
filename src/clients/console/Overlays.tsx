import { useEffect, useState } from "preact/hooks"
import { isWithControl } from "./Keys.ts"
import { open } from "./Navigation.ts"
import { hasSingleKeys, overlay, typedAhead } from "./ShownOverlay.ts"
import { lazily } from "./ui/lazily.tsx"
import { attempt, loaded as fetched, shownDialog } from "./ui/Notices.tsx"
import type { WorkspaceStore } from "./workspace/WorkspaceStore.ts"

const load = () => import("./finding/Finding.ts")
const Palette = lazily(async () => (await load()).Palette)
const KeysDialog = lazily(async () => (await load()).KeysDialog)

/** Whether a key belongs to what has the focus: a text field, an open dialog or an open menu. */
const isTaken = ({ target }: Event): boolean =>
  document.querySelector("dialog[open], :popover-open") !== null ||
  (target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)))

const isOpen = (): boolean => document.querySelector("dialog[open]") !== null

/** While a dialog is loaded, keys are for it. The editor behind it handles keys before the window does. */
const onEarlyKey = (event: KeyboardEvent): void => {
  if (overlay.value === undefined || event.isComposing || isOpen()) return
  const { key } = event
  const isText = key.length === 1
  if (isText && (event.ctrlKey || event.metaKey || event.altKey)) return
  if (key === "Escape") overlay.value = undefined
  else if (isText) typedAhead.text += key
  else if (key === "Backspace") typedAhead.text = typedAhead.text.slice(0, -1)
  event.preventDefault()
  event.stopPropagation()
}
addEventListener("keydown", onEarlyKey, { capture: true })

interface OverlaysProps {
  readonly store: WorkspaceStore
  readonly onNew: () => void
}

/** The palette, the list of keys and another dialog, the keys that work on all pages, and the edges of the columns. */
export const Overlays = ({ onNew, store }: OverlaysProps) => {
  const [loaded, setLoaded] = useState<Awaited<ReturnType<typeof load>>>()
  useEffect(() => {
    const single: Readonly<Record<string, () => unknown>> = {
      "?": () => (overlay.value = "keys"),
      "/": () => {
        const search = document.querySelector<HTMLElement>(".search input")
        if (search === null) open({ kind: "search", query: "" })
        else search.focus()
      },
      t: () => open({ kind: "tasks", query: "" }),
      l: async () => (await fetched(load))?.showLinks(),
      o: () => document.querySelector(".reading, .writing") && (overlay.value = "outline"),
      ...(store.canWrite.value ? { n: onNew, d: () => attempt(async () => (await load()).openDailyNote(store)) } : {})
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const isPalette = isWithControl(event, "k")
      if (isPalette && !isOpen()) overlay.value = "palette"
      // Browsers search the web with Ctrl-K.
      if (isPalette) return event.preventDefault()
      // A capital letter with Caps Lock.
      const action = single[event.key.toLowerCase()]
      if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.repeat || !hasSingleKeys.value || isTaken(event)) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  })
  const shown = overlay.value
  useEffect(() => {
    if (shown === undefined) typedAhead.text = ""
  }, [shown])
  const isReady = store.isReady.value
  useEffect(() => {
    if (!isReady) return
    let stop: (() => void) | undefined
    let isClosed = false
    // When the browser has nothing else to do, so that the first Ctrl-K is fast. Without the file, that says why.
    const begin = () =>
      load().then(
        (all) => {
          if (isClosed) return
          stop = all.prepare(store)
          setLoaded(all)
        },
        () => undefined
      )
    const idle = globalThis.requestIdleCallback ?? ((task: () => void) => setTimeout(task, 1_000))
    idle(() => void begin())
    return () => {
      isClosed = true
      stop?.()
    }
  }, [store, isReady])
  useEffect(() => () => void (overlay.value = shownDialog.value = undefined), [store])
  const close = () => {
    // The browser says later that a dialog is closed: another one may be open by then.
    if (overlay.value === shown) overlay.value = undefined
  }
  return (
    <>
      {loaded && <loaded.ColumnEdges />}
      {shownDialog.value}
      {shown === "keys" && <KeysDialog onClose={close} />}
      {(shown === "palette" || shown === "outline") && (
        <Palette key={shown} store={store} isOutline={shown === "outline"} onNew={onNew} onClose={close} />
      )}
    </>
  )
}
