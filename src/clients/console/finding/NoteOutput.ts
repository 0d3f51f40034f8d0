import { ending, headOf } from "../../../../services/transfers/formats/markdown/OwnHead.ts"
import { texts as all } from "../Messages.ts"
import { addressOf } from "../Navigation.ts"
import { documentOf } from "../reading/NoteHtml.tsx"
import { copying } from "../ui/copyText.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import { saveFile } from "../ui/saveFile.ts"
import { texts } from "./FindingMessages.ts"
import type { OpenNote } from "./OpenNote.ts"

/** Attributes of copied elements that other programs understand, and that say nothing about this server. */
const kept = ["href", "start", "colspan", "rowspan", "align", "dir", "lang"]

/**
 * Rendered HTML for other programs. Links to notes lead to this console, and images are their words: the addresses of files
 * are secret, and end after some minutes.
 */
const portable = (html: string): string => {
  const { body } = new DOMParser().parseFromString(html, "text/html")
  for (const image of body.querySelectorAll("img")) image.replaceWith(image.alt)
  for (const box of body.querySelectorAll<HTMLInputElement>("input")) box.replaceWith(box.checked ? "☑ " : "☐ ")
  for (const link of body.querySelectorAll("a")) {
    const [, note] = /^#note:([^#]+)/.exec(link.getAttribute("href") ?? "") ?? []
    if (note !== undefined) link.href = new URL(addressOf({ kind: "all" }, note), location.href).href
    // Only links that leave the page have a relation.
    else if (link.rel === "") link.replaceWith(...link.childNodes)
  }
  for (const element of body.querySelectorAll("*"))
    for (const name of element.getAttributeNames()) if (!kept.includes(name)) element.removeAttribute(name)
  return body.innerHTML
}

const rendered = async ({ draft, note, store }: OpenNote) => {
  await draft.save()
  return store.client.renderNote({ id: note.id })
}

/** Copies a note as it is read, and its Markdown for programs without formats. */
export const copyFormatted = (opened: OpenNote): Promise<boolean> =>
  attempt(async () => {
    const blobOf = (type: string, text: string) => new Blob([text], { type })
    const html = rendered(opened).then(({ html }) => blobOf("text/html", portable(html)))
    const plain = blobOf("text/plain", opened.draft.content.value.body)
    await copying(async () => {
      // The browser allows it right after the click: what it waits for is in the item.
      const written = navigator.clipboard.write([new ClipboardItem({ "text/html": html, "text/plain": plain })])
      await Promise.all([html, written])
    })
  })

/** Saves a note as a file, as the Markdown export writes it. */
export const saveNote = ({ draft, note, store }: OpenNote): Promise<boolean> =>
  attempt(async () => {
    await draft.save()
    const { body, title } = draft.content.value
    const text = headOf({ ...note, ...draft.note.value, title, body }, []) + ending + body
    // eslint-disable-next-line no-control-regex
    const name = title.replaceAll(/[\u0000-\u001f<>:"/\\|?*#^[\]]/g, "-").trim() || all.untitled
    saveFile(new Blob([text], { type: "text/markdown" }), `${name}.md`)
    const { data } = await store.client.listAttachments({ filter: `note_id = ${note.id}`, limit: 1 })
    if (data.length > 0) notify(texts.withoutFiles)
  })

/** Prints a note as it is read. While it is written, it is rendered for that in a frame that is not seen. */
export const printNote = (opened: OpenNote): Promise<boolean> =>
  attempt(async () => {
    // Some browsers do not say when a page is printed.
    document.querySelector("iframe.unseen")?.remove()
    if (document.querySelector("iframe.note-html") !== null) return print()
    const { html, lang } = await rendered(opened)
    const frame = document.createElement("iframe")
    frame.className = "note-html unseen"
    frame.hidden = true
    frame.sandbox.add("allow-same-origin")
    frame.srcdoc = documentOf({ html, lang, title: opened.note.title })
    await new Promise((resolve) => {
      frame.addEventListener("load", resolve)
      document.body.append(frame)
    })
    addEventListener("afterprint", () => frame.remove(), { once: true })
    print()
  })
