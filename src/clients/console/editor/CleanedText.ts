/** A text from elsewhere with the line breaks of the editor. The server refuses NUL and half surrogate pairs. */
export const cleaned = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll("\0", "").toWellFormed()
