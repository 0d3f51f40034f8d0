import type { Converted } from "./Converted.ts"
import type { EnmlText } from "./evernote/Enml.ts"

/** One note to be made Markdown. It can be sent to another thread, and what comes of it can be sent back. */
export type Work =
  | {
      readonly kind: "markdown"
      readonly text: string
      /** Of a page of Logseq: the first words of the blocks that it refers to, by their ids. */
      readonly blocks?: ReadonlyMap<string, string>
      readonly now: Date
    }
  | ({ readonly kind: "enml" } & EnmlText)
  | { readonly kind: "notion-html"; readonly text: string; readonly now: Date }
  | { readonly kind: "notion-table"; readonly text: string }
  | {
      readonly kind: "notion-markdown"
      readonly text: string
      readonly columns: ReadonlyArray<string>
      readonly now: Date
    }

/** Undefined where nothing can be made of it within the bounds of whoever does it. */
export type Convert = (work: Work) => Promise<Converted | undefined>

/** Makes it here and now, without bounds of time; it keeps nothing between two notes. What a source needs is read with it. */
export const convert = async (work: Work): Promise<Converted> => {
  switch (work.kind) {
    case "markdown":
      return (await import("./markdown/MarkdownText.ts")).convertMarkdown(work.text, work.now, work.blocks)
    case "enml":
      return (await import("./evernote/Enml.ts")).convertEnml(work)
    case "notion-html":
      return (await import("./notion/NotionHtml.ts")).convertNotionHtml(work.text, work.now)
    case "notion-markdown":
      return (await import("./notion/NotionText.ts")).convertNotionMarkdown(work.text, work.columns, work.now)
    case "notion-table":
      return (await import("./notion/NotionText.ts")).convertNotionTable(work.text)
  }
}
