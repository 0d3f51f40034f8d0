import type { Converted } from "./Converted.ts"
import { convertEnml, type EnmlText } from "./Enml.ts"
import { convertMarkdown } from "./MarkdownText.ts"
import { convertNotionHtml } from "./NotionHtml.ts"
import { convertNotionMarkdown, convertNotionTable } from "./NotionText.ts"

/** One note to be made Markdown. It can be sent to another thread, and what comes of it can be sent back. */
export type Work =
  | { readonly kind: "markdown"; readonly text: string; readonly isOutline: boolean }
  | ({ readonly kind: "enml" } & EnmlText)
  | { readonly kind: "notion-html" | "notion-table"; readonly text: string }
  | { readonly kind: "notion-markdown"; readonly text: string; readonly columns: ReadonlyArray<string> }

/** Undefined where nothing can be made of it within the bounds of whoever does it. */
export type Convert = (work: Work) => Converted | undefined | Promise<Converted | undefined>

/** Makes it here and now, without bounds of time; it keeps nothing between two notes. */
export const convert = (work: Work): Converted => {
  switch (work.kind) {
    case "markdown":
      return convertMarkdown(work.text, work.isOutline)
    case "enml":
      return convertEnml(work)
    case "notion-html":
      return convertNotionHtml(work.text)
    case "notion-markdown":
      return convertNotionMarkdown(work.text, work.columns)
    case "notion-table":
      return convertNotionTable(work.text)
  }
}
