import MarkdownIt from "markdown-it"

/** Markdown without HTML of its own: what looks like it is shown as text. */
export const markdown = new MarkdownIt({ html: false })

/** What descriptions say, as paragraphs, or inside one. */
export const paragraphs = (text: string | undefined): string => (text === undefined ? "" : markdown.render(text))
export const inline = (text: string | undefined): string => (text === undefined ? "" : markdown.renderInline(text))

/** The same as plain text: links are their words. */
export const plain = (text: string): string =>
  text
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replaceAll(/`|\*\*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
