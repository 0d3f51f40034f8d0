/** Signs of what is read. A note without them has nothing of it. */
const signs = /[[<^#]|^ {0,3}(?:=+|-+)[ \t]*\r?$|^\uFEFF?\+\+\+/m

/** Whether a note has to be parsed. */
export const mayHaveContent = (body: string): boolean => signs.test(body)
