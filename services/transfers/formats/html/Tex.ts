/** Formulas of TeX in Markdown. */

const withoutComment = (line: string): string => line.replace(/((?:^|[^\\])(?:\\\\)*)%.*$/, "$1")

/** Removes white space at the end; if it is escaped, the backslash too, which would be left alone. */
const withoutEnd = (tex: string): string => {
  let end = tex.trimEnd().length
  while (true) {
    let first = end
    while (first > 0 && tex[first - 1] === "\\") first--
    if ((end - first) % 2 === 0) return tex.slice(0, end)
    end = tex.slice(0, end - 1).trimEnd().length
  }
}

/** TeX without lines that would end it early in Markdown: blank lines, and in a paragraph also line breaks. */
export const texOf = (source: string, isBlock: boolean): string => {
  const lines = source.split("\n").map((line) => (isBlock ? line : withoutComment(line)).trimEnd())
  return withoutEnd(lines.filter((line) => line !== "").join(isBlock ? "\n" : " ")).trimStart()
}

/** TeX of one line in a table cell (GFM), which a pipe would end: pipes are escaped, and a norm is written by name. */
export const texInCell = (tex: string): string =>
  tex.replaceAll(/\\\\|\\\||\|/g, (sign) => (sign === "|" ? "\\|" : sign === "\\|" ? "\\Vert " : sign)).trimEnd()
