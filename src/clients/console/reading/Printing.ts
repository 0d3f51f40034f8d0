import type { NoteContent } from "../drafts/NoteContent.ts"
import { texts } from "../Messages.ts"

/** Elements that could run or load code in this page, if the server had let it through. */
const active = "base, embed, form, iframe, link, meta, object, script, style"

/**
 * The rendered note that is on the screen, as a part of this page: browsers do not break a frame over pages. Its style is
 * copied, because one that is still to be loaded would come after the print.
 */
const renderedCopy = (): HTMLElement | undefined => {
  const page = document.querySelector<HTMLIFrameElement>("iframe.note-html")?.contentDocument
  const main = page?.querySelector("main")
  if (page == null || main == null) return undefined
  const host = document.createElement("div")
  host.lang = page.documentElement.lang
  const shadow = host.attachShadow({ mode: "open" })
  const style = new CSSStyleSheet()
  const rules = [...page.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText))
  style.replaceSync(rules.join("\n").replaceAll(":root", ":host"))
  shadow.adoptedStyleSheets = [style]
  const body = document.createElement("body")
  const text = document.createElement("main")
  text.className = main.className
  text.append(...[...main.childNodes].map((node) => document.importNode(node, true)))
  for (const element of text.querySelectorAll(active)) element.remove()
  body.append(text)
  shadow.append(body)
  return host
}

/** The text as it is written: the editor has only the part on the screen. */
const sourceOf = ({ body }: NoteContent): HTMLElement => {
  const source = document.createElement("div")
  source.className = "source"
  source.textContent = body
  return source
}

/** Prints the open note instead of the page, until the returned function is called: its title and its whole text. */
export const printWhole = (read: () => NoteContent): (() => void) => {
  const article = document.createElement("article")
  article.className = "printed"
  const show = () => {
    // Something above the note is printed.
    if (document.querySelector("body > .printed") !== null && !article.isConnected) return
    const content = read()
    const title = document.createElement("h1")
    title.textContent = content.title || texts.untitled
    article.replaceChildren(title, renderedCopy() ?? sourceOf(content))
    document.body.append(article)
  }
  const hide = () => article.remove()
  addEventListener("beforeprint", show)
  addEventListener("afterprint", hide)
  return () => {
    hide()
    removeEventListener("beforeprint", show)
    removeEventListener("afterprint", hide)
  }
}
