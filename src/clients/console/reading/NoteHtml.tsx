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
  /** Called when a link without a note is clicked, with its target as written. */
  readonly onMissingNote: (link: string) => void
  /** Called with the page that shows the HTML. The function that it returns is called when the page is left. */
  readonly onPage?: ((page: Document) => () => void) | undefined
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

export const documentOf = ({ html, lang, title }: Pick<NoteHtmlProps, "html" | "lang" | "title">): string =>
  `<!doctype html><html lang="${escaped(lang ?? "")}"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<base target="_blank"><link rel="stylesheet" href="${escaped(noteStyle)}"></head><body><main class="text">${html}</main></body></html>`

/** Links to other notes in rendered HTML, and links without a note. */
const noteLink = /^#note:([^#]+)(?:#(.+))?$/
const missingNote = "#missing:"

const scrollTo = (page: Document | null, anchor: string | undefined): void => {
  if (anchor !== undefined) page?.getElementById(anchor)?.scrollIntoView({ block: "start" })
}

/**
 * A rendered note, in a frame of its own. The server has sanitised the HTML; in this sandbox no script could run either,
 * and the policy of the page allows none. Scripts of the page reach into the frame, to measure it and to follow links.
 */
export const NoteHtml = ({ anchor, onMissingNote, onNote, onPage, ...shown }: NoteHtmlProps) => {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const element = frame.current!
    let leave: (() => void) | undefined
    const fit = () => {
      const root = element.contentDocument?.documentElement
      if (root) element.style.height = `${root.offsetHeight}px`
    }
    const follow = (event: MouseEvent) => {
      const page = element.contentDocument!
      const href = (event.target as Element).closest("a")?.getAttribute("href")
      if (href?.startsWith("#") !== true) return
      event.preventDefault()
      const [, note, place] = noteLink.exec(href) ?? []
      if (note !== undefined) return onNote(note, decoded(place))
      if (href.startsWith(missingNote)) return onMissingNote(decoded(href.slice(missingNote.length))!)
      scrollTo(page, decoded(href.slice(1)))
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
