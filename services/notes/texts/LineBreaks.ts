/** The line break of a text: `\r\n` if all its lines end so. */
export const lineBreakOf = (text: string): string => (text.includes("\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n")

/** A text with line breaks of one kind. */
export const withLineBreaks = (text: string, lineBreak: string): string => text.replaceAll(/\r?\n/g, lineBreak)
