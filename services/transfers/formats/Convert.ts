import type { Converted } from "./Converted.ts"
import type { EnmlText } from "./evernote/Enml.ts"
import type { Clock } from "./WrittenTime.ts"

/** The conversion of one note to Markdown. The work and its result can be sent between threads. */
export type Work =
  | {
      readonly kind: "markdown"
      readonly text: string
      /** For a page of Logseq: the first words of the blocks that it refers to, by block id. */
      readonly blocks?: ReadonlyMap<string, string>
      readonly clock: Clock
    }
  | { readonly kind: "html" | "keep-page"; readonly text: string; readonly clock: Clock }
  | ({ readonly kind: "enml" } & EnmlText)
  | { readonly kind: "notion-html"; readonly text: string; readonly clock: Clock }
  | { readonly kind: "notion-table"; readonly text: string }
  | {
      readonly kind: "notion-markdown"
      readonly text: string
      readonly columns: ReadonlyArray<string>
      readonly clock: Clock
    }

/** Returns undefined if the conversion exceeds the limits of the implementation. */
export type Convert = (work: Work) => Promise<Converted | undefined>

/** Converts in this thread, without a time limit and without state. Loads the converter of a source on demand. */
export const convert = async (work: Work): Promise<Converted> => {
  switch (work.kind) {
    case "markdown":
      return (await import("./markdown/MarkdownText.ts")).convertMarkdown(work.text, work.clock, work.blocks)
    case "html":
      return (await import("./html/PageText.ts")).convertHtml(work.text, work.clock)
    case "keep-page":
      return (await import("./apps/KeepPage.ts")).convertKeepPage(work.text, work.clock)
    case "enml":
      return (await import("./evernote/Enml.ts")).convertEnml(work)
    case "notion-html":
      return (await import("./notion/NotionHtml.ts")).convertNotionHtml(work.text, work.clock)
    case "notion-markdown":
      return (await import("./notion/NotionText.ts")).convertNotionMarkdown(work.text, work.columns, work.clock)
    case "notion-table":
      return (await import("./notion/NotionText.ts")).convertNotionTable(work.text)
  }
}
