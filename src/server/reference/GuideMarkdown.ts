import MarkdownIt from "markdown-it"

/** Markdown without HTML, which is shown as text. */
export const markdown = new MarkdownIt({ html: false })

/** Renders a description as paragraphs, or inside a paragraph. */
export const paragraphs = (text: string | undefined): string => (text === undefined ? "" : markdown.render(text))
export const inline = (text: string | undefined): string => (text === undefined ? "" : markdown.renderInline(text))

/** Renders a description as plain text, with only the texts of links. */
export const plain = (text: string): string =>
  text
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replaceAll(/`|\*\*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
