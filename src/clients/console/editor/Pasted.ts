import type { EditorView } from "@codemirror/view"
import { cleaned } from "./CleanedText.ts"
import { formatsOf, markdownOf } from "./HtmlToMarkdown.ts"
import { insertionOf, isInCode, linkOfPasted, nameOfPicture } from "./Pasting.ts"

/** Maximum characters of HTML that are converted. Longer HTML is pasted as its plain text. */
const maxHtml = 1_000_000

/** Maximum pixels of a side of a pasted picture. A larger one is scaled down. */
const maxSide = 4_096

/** Elements that have a form of their own in Markdown, besides those with formats of words. */
const formed = "a[href],code,pre,h1,h2,h3,h4,h5,h6,ul,ol,blockquote,table,hr,img"

/** Whether all is in elements that keep white space: what code editors copy. */
const isCode = ({ children }: HTMLElement): boolean =>
  children.length > 0 &&
  [...children].every(
    (each) => each.tagName !== "PRE" && /white-space:\s*pre\s*(?:;|$)/i.test(each.getAttribute("style") ?? "")
  )

/**
 * The Markdown of copied HTML, or in code its text; undefined if the plain text next to it says the same. No script of it
 * runs, and nothing is loaded.
 */
const pastedMarkdown = (html: string, isAlone: boolean, inCode: boolean): string | undefined => {
  if (html.length > maxHtml) return undefined
  const { body } = new DOMParser().parseFromString(html, "text/html")
  const isFormatted = [...body.querySelectorAll("*")].some((each) => each.matches(formed) || formatsOf(each).length > 0)
  const isText = inCode || isCode(body)
  if (!isAlone && (isText || !isFormatted)) return undefined
  return (isText ? body.textContent : markdownOf(body)) || undefined
}

/** Pictures whose pixels a canvas writes again without a loss that is seen. */
const scalable = new Set(["image/png", "image/jpeg", "image/webp"])

const scaled = async (file: File, name: string): Promise<File> => {
  const bitmap = await createImageBitmap(file)
  try {
    const { height, width } = bitmap
    const factor = maxSide / Math.max(height, width)
    if (factor >= 1) return new File([file], name, { type: file.type })
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(width * factor)),
      Math.max(1, Math.round(height * factor))
    )
    canvas.getContext("2d")!.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    const blob = await canvas.convertToBlob({ type: file.type, quality: 0.9 })
    return new File([blob], name, { type: blob.type })
  } finally {
    bitmap.close()
  }
}

/** Pasted files: pictures without a name of their own get one, and large ones are scaled down. */
export const pastedFiles = (files: ReadonlyArray<File>): Promise<ReadonlyArray<File>> => {
  const at = new Date()
  let unnamed = 0
  return Promise.all(
    files.map(async (file) => {
      if (!file.type.startsWith("image/")) return file
      const name = /^image\.\w+$/.test(file.name) ? nameOfPicture(file.type, at, unnamed++) : file.name
      try {
        if (scalable.has(file.type)) return await scaled(file, name)
      } catch (error) {
        // The browser cannot read the picture: it stays as it is.
        console.warn(error)
      }
      return new File([file], name, { type: file.type })
    })
  )
}

/** Pastes an address over words as a link, and HTML as Markdown. Returns whether it has: other texts are pasted as they are. */
export const pasteText = (event: ClipboardEvent, view: EditorView): boolean => {
  const { state } = view
  const data = event.clipboardData
  if (data === null) return false
  const [text, html] = [data.getData("text/plain"), data.getData("text/html")]
  const link = linkOfPasted(state, text)
  const markdown = link === undefined ? pastedMarkdown(html, text === "", isInCode(state)) : undefined
  if (link === undefined && markdown === undefined) return false
  event.preventDefault()
  view.dispatch({ ...(link ?? insertionOf(state, cleaned(markdown!))), userEvent: "input.paste", scrollIntoView: true })
  return true
}
