/** Finds the private parts of a note without a parser (contract 5, "shares"). `publicText` finds them with one. */

/** YAML (the first group) or TOML (the second) at the beginning of a body. */
export const frontMatter =
  /^\uFEFF?(?:---[ \t]*(?:\r?\n|\r)(?:([\s\S]*?)(?:\r?\n|\r))?(?:---|\.\.\.)|\+\+\+[ \t]*(?:\r?\n|\r)(?:([\s\S]*?)(?:\r?\n|\r))?\+\+\+)[ \t]*(?:\r?\n|\r|$)/

/** The beginning of a comment of Obsidian or of HTML, unless it is in code. The last two only count in HTML. */
export const comment = /%%|<!--|<[!?]/

/** The public text of a body that cannot be parsed. It ends at the first sign of a comment, even if that is code. */
export const publicStart = (body: string): string => {
  const text = body.slice(frontMatter.exec(body)?.[0].length ?? 0)
  const at = text.search(comment)
  return at < 0 ? text : text.slice(0, at)
}

/** The public text of a title. A title has no code, and only complete comments. */
export const publicTitle = (title: string): string => {
  const text = title.replaceAll(/%%.*?%%|<!--.*?-->/gs, "").trim()
  return text === "" ? "Untitled" : text
}
