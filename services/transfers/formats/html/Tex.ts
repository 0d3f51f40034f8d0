/** Formulas as they stand in Markdown. */

const withoutComment = (line: string): string => line.replace(/((?:^|[^\\])(?:\\\\)*)%.*$/, "$1")

/** Without spaces at its end: of one with a backslash, the backslash alone would be left. */
const withoutEnd = (tex: string): string => {
  let end = tex.trimEnd().length
  while (true) {
    let first = end
    while (first > 0 && tex[first - 1] === "\\") first--
    if ((end - first) % 2 === 0) return tex.slice(0, end)
    end = tex.slice(0, end - 1).trimEnd().length
  }
}

/** TeX without what would end it early in Markdown: blank lines, and those of a formula within a paragraph. */
export const texOf = (source: string, isBlock: boolean): string => {
  const lines = source.split("\n").map((line) => (isBlock ? line : withoutComment(line)).trimEnd())
  return withoutEnd(lines.filter((line) => line !== "").join(isBlock ? "\n" : " ")).trimStart()
}

/** TeX of one line in a cell of a table (GFM), which a pipe would end: it is escaped, and a norm has a name instead. */
export const texInCell = (tex: string): string =>
  tex.replaceAll(/\\\\|\\\||\|/g, (sign) => (sign === "|" ? "\\|" : sign === "\\|" ? "\\Vert " : sign)).trimEnd()
