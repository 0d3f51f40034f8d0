import { loadEditor } from "../editor/EditorModule.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { headingsOf } from "./Headings.ts"

/** A heading of the open note, and the way to it. */
export interface Heading {
  readonly text: string
  readonly level: number
  readonly show: () => unknown
}

/** The headings of the note that is read: those of the rendered text. */
const read = (): ReadonlyArray<Heading> | undefined => {
  const page = document.querySelector<HTMLIFrameElement>("iframe.note-html")?.contentDocument
  const found = page?.querySelectorAll<HTMLElement>("main :is(h1, h2, h3, h4, h5, h6)")
  return (
    found &&
    [...found].map((heading) => ({
      text: heading.textContent.trim(),
      level: Number(heading.tagName[1]),
      show: () => heading.scrollIntoView({ block: "start" })
    }))
  )
}

/** The headings of the open note, as it is read or written. */
export const outlineOf = (store: WorkspaceStore): ReadonlyArray<Heading> => {
  const [text] = store.texts
  if (document.querySelector(".writing") === null || text === undefined) return read() ?? []
  return headingsOf(text.content.value.body).map(({ level, line, text }) => ({
    text,
    level,
    show: async () => (await loadEditor(0)).showLine(line)
  }))
}
