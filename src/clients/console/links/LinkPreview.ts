import { SheafError } from "../../client/SheafClient.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { isApple } from "../Keys.ts"
import { route } from "../Navigation.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { idIn, linkedBy } from "./FollowLink.ts"
import { summariesOf } from "./LinkedSummaries.ts"
import { linkTexts } from "./LinkMessages.ts"

/** Milliseconds for which the pointer rests on a link before its note is shown, and after which it has left both. */
const beforeShown = 300
const beforeClosed = 200
/** Milliseconds for which what was read is shown again. */
const kept = 30_000
/** Maximum number of links whose notes are kept. */
const mostKept = 50
/** Space between the link and what is shown, and between that and the edge of the window. */
const gap = 6

interface Shown {
  readonly title: string
  readonly where: string
  readonly text: string
}

const read = async (store: WorkspaceStore, draft: NoteDraft, target: string): Promise<Shown> => {
  const { missing, deleted, ambiguous, empty } = linkTexts.preview
  const id = idIn(target)
  const { candidates, place } = id === undefined ? await linkedBy(store, draft, target) : { place: { id } }
  const [note] = place === undefined ? [] : await summariesOf(store, [place.id])
  if (note === undefined) {
    const text = candidates !== undefined ? ambiguous : id === undefined ? missing : deleted
    return { title: target, where: "", text }
  }
  return { title: note.title, where: store.pathOf(note.notebook_id).join(" / "), text: note.excerpt || empty }
}

/** What was read, by notebook and target, and until when it is shown again. */
const reads = new Map<string, { readonly until: number; readonly shown: Promise<Shown> }>()

const readOnce = (store: WorkspaceStore, draft: NoteDraft, target: string): Promise<Shown> => {
  const key = `${store.account.workspace} ${draft.notebook_id} ${target}`
  const known = reads.get(key)
  if (known !== undefined && known.until > Date.now()) return known.shown
  const shown = read(store, draft, target)
  reads.delete(key)
  reads.set(key, { until: Date.now() + kept, shown })
  if (reads.size > mostKept) reads.delete(reads.keys().next().value!)
  shown.catch(() => reads.delete(key))
  return shown
}

const cardOf = ({ text, title, where }: Shown, isWritten: boolean): HTMLElement => {
  const card = document.createElement("div")
  card.className = "preview"
  card.popover = "manual"
  card.ariaHidden = "true"
  const part = (name: string, text: string) => {
    if (text === "") return
    const element = document.createElement(name)
    element.textContent = text
    element.dir = "auto"
    card.append(element)
  }
  part("strong", title)
  part("small", where)
  part("p", text)
  if (isWritten) part("small", linkTexts.preview.follow(isApple ? "⌘" : "Ctrl"))
  return card
}

/** Shows a card below the link, or above it where there is more room. The link may be in a frame. */
const place = (card: HTMLElement, link: Element): void => {
  const [{ bottom, left, top }] = [link.getClientRects()[0] ?? link.getBoundingClientRect()]
  const frame = link.ownerDocument.defaultView?.frameElement?.getBoundingClientRect()
  const [x, y] = [frame?.left ?? 0, frame?.top ?? 0]
  document.body.append(card)
  card.showPopover()
  const { offsetHeight, offsetWidth } = card
  const below = y + bottom + gap
  const isBelow = below + offsetHeight <= innerHeight || y + top < innerHeight - y - bottom
  card.style.left = `${Math.max(gap, Math.min(x + left, innerWidth - offsetWidth - gap))}px`
  card.style.top = `${isBelow ? below : Math.max(gap, y + top - gap - offsetHeight)}px`
}

let end = (): void => undefined
let current: Element | undefined

/**
 * Shows the note of a link while the pointer is over the link or over what is shown, until Escape, a click or scrolling.
 * What is shown is text: it runs nothing. Returns a function that ends it.
 */
export const preview = (link: Element, target: string, store: WorkspaceStore, draft: NoteDraft): (() => void) => {
  if (link === current) return end
  end()
  const left = new AbortController()
  const { signal } = left
  let card: HTMLElement | undefined
  let timer: ReturnType<typeof setTimeout>
  const close = () => {
    clearTimeout(timer)
    left.abort()
    stopRoute()
    card?.remove()
    if (current === link) current = undefined
  }
  const closeSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(close, beforeClosed)
  }
  const show = async () => {
    const isWritten = link.ownerDocument === document
    const shown = await readOnce(store, draft, target).catch((error: unknown) => {
      // Without the network nothing is shown. A click says why.
      if (!(error instanceof SheafError)) throw error
    })
    if (signal.aborted || card !== undefined) return
    if (shown === undefined || !link.isConnected || !link.matches(":hover")) return close()
    card = cardOf(shown, isWritten)
    card.addEventListener("pointerenter", () => clearTimeout(timer), { signal })
    card.addEventListener("pointerleave", closeSoon, { signal })
    place(card, link)
  }
  const before = route.peek()
  const stopRoute = route.subscribe((now) => now !== before && queueMicrotask(close))
  const showSoon = () => {
    clearTimeout(timer)
    if (card === undefined) timer = setTimeout(() => void show(), beforeShown)
  }
  showSoon()
  link.addEventListener("pointerenter", showSoon, { signal })
  link.addEventListener("pointerleave", closeSoon, { signal })
  for (const page of [document, link.ownerDocument]) page.addEventListener("pointerdown", close, { signal })
  addEventListener("scroll", close, { signal, capture: true })
  const onKey = (event: KeyboardEvent) => {
    if (card !== undefined && event.key === "Escape") {
      event.preventDefault()
      event.stopPropagation()
    }
    close()
  }
  addEventListener("keydown", onKey, { signal, capture: true })
  current = link
  return (end = close)
}
