import { useEffect, useRef } from "preact/hooks"
import { looks } from "../DeviceSettings.ts"
import { decoded } from "../Navigation.ts"
import { noteStyle } from "../PageData.ts"

interface NoteHtmlProps {
  readonly title: string
  readonly html: string
  readonly lang: string | null
  /** The id of the place from which the note is read. */
  readonly anchor: string | undefined
  /** Called when a link to a note is clicked, with the id of a place in that note if the link has one. */
  readonly onNote: (id: string, anchor: string | undefined) => void
  /** Called when a link is clicked that leads to no note or may mean several, with its target as written. */
  readonly onTarget: (target: string) => void
  /** Called when the pointer is moved to a link to a note, with the target of the link: an id or as written. */
  readonly onHover: (link: Element, target: string) => void
  /** Called with the page that shows the HTML. The function that it returns is called when the page is left. */
  readonly onPage?: ((page: Document) => () => void) | undefined
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

export const documentOf = ({ html, lang, title }: Pick<NoteHtmlProps, "html" | "lang" | "title">): string =>
  `<!doctype html><html lang="${escaped(lang ?? "")}"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<base target="_blank"><link rel="stylesheet" href="${escaped(noteStyle)}"></head><body><main class="text">${html}</main></body></html>`

/** Addresses of links to notes in rendered HTML: to one, to none, or to one of several. */
const noteLink = /^#(note|missing|ambiguous):([^#]+)#?(.*)$/

/** The link that an event is about, with its address in the page and its parts, if it leads to a note. */
const linkOf = ({ target }: Event) => {
  const link = (target as Element).closest("a")
  const href = link?.getAttribute("href") ?? ""
  const [, kind, name, place] = noteLink.exec(href) ?? []
  return { link, href, kind, name: decoded(name), place: decoded(place) }
}

/**
 * A note is read from the element with an id, from the task of a line, counted from 0, or from one of the links to a note:
 * `nt_…~2` is the third.
 */
const placeIn = (page: Document, anchor: string): Element | undefined => {
  const [note = "", link = 0] = anchor.split("~")
  return (
    page.getElementById(anchor) ??
    page.querySelectorAll(`[data-line="${CSS.escape(anchor)}"],[href^="#note:${CSS.escape(note)}"]`)[Number(link)]
  )
}

const scrollTo = (page: Document | null, anchor: string | undefined): void => {
  if (page && anchor !== undefined) placeIn(page, anchor)?.scrollIntoView({ block: "start" })
}

/**
 * A rendered note, in a frame of its own. The server has sanitised the HTML; in this sandbox no script could run either,
 * and the policy of the page allows none. Scripts of the page reach into the frame, to measure it and to follow links.
 */
export const NoteHtml = ({ anchor, onHover, onNote, onPage, onTarget, ...shown }: NoteHtmlProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const element = frame.current!
    let leave: (() => void) | undefined
    const fit = () => {
      const root = element.contentDocument?.documentElement
      if (root) element.style.height = `${root.offsetHeight}px`
    }
    const follow = (event: MouseEvent) => {
      const { href, kind, name, place } = linkOf(event)
      if (!href.startsWith("#")) return
      event.preventDefault()
      if (name === undefined) scrollTo(element.contentDocument, decoded(href.slice(1)))
      else if (kind === "note") onNote(name, place || undefined)
      else onTarget(name)
    }
    const hover = (event: PointerEvent) => {
      const { link, name } = linkOf(event)
      if (link && name !== undefined && event.pointerType !== "touch") onHover(link, name)
    }
    /** Keys of the page work in the frame too. */
    const forward = (event: KeyboardEvent) => {
      if (!dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault()
    }
    const onLoad = () => {
      const page = element.contentDocument
      if (page?.body === undefined || page.body === null) return
      // The page around the frame has the space and the width.
      Object.assign(page.body.style, { margin: "0", padding: "0 0 1px", maxWidth: "none", background: "transparent" })
      page.querySelector("main")?.style.setProperty("margin", "0")
      const style = getComputedStyle(document.documentElement)
      page.documentElement.style.setProperty("--link", style.getPropertyValue("--accent-ink"))
      page.documentElement.style.fontSize = `${100 * Number(style.getPropertyValue("--text"))}%`
      leave?.()
      const observer = new ResizeObserver(fit)
      observer.observe(page.documentElement)
      const left = new AbortController()
      page.addEventListener("click", follow, left)
      page.addEventListener("pointerover", hover, left)
      page.addEventListener("keydown", forward, left)
      fit()
      scrollTo(page, anchor)
      const leavePage = onPage?.(page)
      leave = () => {
        observer.disconnect()
        left.abort()
        leavePage?.()
      }
    }
    element.addEventListener("load", onLoad)
    onLoad()
    return () => {
      element.removeEventListener("load", onLoad)
      leave?.()
    }
  }, [shown.html, onPage, looks.size.value])
  useEffect(() => scrollTo(frame.current!.contentDocument, anchor), [anchor])
  return (
    <iframe
      ref={frame}
      class="note-html"
      title={shown.title}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcdoc={documentOf(shown)}
    />
  )
}
