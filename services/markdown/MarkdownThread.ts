import { besides, type Bounds, WorkThread } from "../budgets/WorkThread.ts"
import type { FileLink, LinkedText, NoteText, Rendered } from "./Rendered.ts"

/** What a thread is asked: to render a note, or where the links of a body lead to notes and files. */
export type Asked = { readonly render: NoteText } | { readonly links: LinkedText }

const begin = <Out>(bounds: Bounds) => new WorkThread<Asked, Out>(besides(import.meta.url, "MarkdownWorker"), bounds)

export const renderThread = (bounds: Bounds) => {
  const thread = begin<Rendered>(bounds)
  return { run: (render: NoteText) => thread.run({ render }), end: () => thread.end() }
}

export const linkThread = (bounds: Bounds) => {
  const thread = begin<ReadonlyArray<FileLink>>(bounds)
  return { run: (links: LinkedText) => thread.run({ links }), end: () => thread.end() }
}
